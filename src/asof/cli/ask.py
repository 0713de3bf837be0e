"""``asof ask``: a question in plain words, answered from facts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from asof.cli.options import Day, base_option, json_option, open_base
from asof.cli.output import talk, write_json
from asof.errors import UserError
from asof.reading.ask.answer import Answer, Evidence, Holds, Status
from asof.reading.ask.headline import headline, why_no_answer
from asof.reading.ask.reader import QuestionReader
from asof.timeline import Date

if TYPE_CHECKING:
    from asof.reading.ask.by_model import ModelFront

_EXAMPLES = """\b
Examples:
  asof ask "Who was the prime minister of Italy before Mario Draghi?"
  asof ask "Which teams did LeBron James play for between 2005 and 2012?"
  asof ask "Was Bonn the capital of Germany in 1980?" --explain
"""


@click.command("ask", epilog=_EXAMPLES)
@click.argument("question", nargs=-1, required=True)
@click.option("--entity", "entities", multiple=True, metavar="ID", help="Whom a name means that fits several.")
@click.option("--today", type=Day(), help="What 'now' means in the question (default: the day of the clock).")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Show so many answers.")
@click.option("--explain", is_flag=True, help="Tell how the question was read.")
@click.option("--with", "model", metavar="MODEL", help="A language model that reads the question; the facts answer.")
@base_option
@json_option
def command(
    question: tuple[str, ...],
    entities: tuple[str, ...],
    today: Date | None,
    limit: int,
    explain: bool,
    model: str | None,
    base: str,
    as_json: bool,
) -> None:
    """Answer a question from facts, with the facts that say so.

    Nothing is guessed: what the base does not know is unknown, and a question that was not understood is said to be so.
    Without a time, "who was" asks for all times and "who is" for today.
    """
    store = open_base(base)
    for id in entities:
        store.entity(id)
    reader = QuestionReader(store, today=today, entities=entities)
    ask = reader.ask if model is None else _front(model, reader, entities, today).ask
    answer = ask(" ".join(question))
    if as_json:
        write_json(answer.as_row())
    else:
        tell(answer, limit)
        if explain:
            explain_query(answer)
    if answer.status in (Status.AMBIGUOUS, Status.NOT_UNDERSTOOD):
        raise click.exceptions.Exit(1)


def _front(model: str, reader: QuestionReader, entities: tuple[str, ...], today: Date | None) -> ModelFront:
    from asof.models import open_model
    from asof.reading.ask.by_model import ModelFront, check_writes

    writer = check_writes(open_model(model))
    return ModelFront(store=reader.store, model=writer, own=reader.ask, today=today, entities=entities)


def explain_query(answer: Answer) -> None:
    """Tell how a question was read: in words, and as the query that asof query takes."""
    talk("Read as: " + "; ".join(f"{name}: {value}" for name, value in answer.read_as.items()))
    if answer.query is not None:
        talk(f"Query: {json.dumps(answer.query, ensure_ascii=False)}")


def tell(answer: Answer, limit: int) -> None:
    """Print an answer, or say why there is none."""
    if answer.status in (Status.AMBIGUOUS, Status.NOT_UNDERSTOOD):
        example = f"--entity {answer.candidates[0].id!r}" if answer.candidates else ""
        raise UserError(why_no_answer(answer, example))
    click.echo(headline(answer, limit))
    for item in answer.items[:limit]:
        for one in item.evidence:
            click.echo(f"  {_line(one)}")
    if len(answer.items) > limit:
        talk(f"... and {len(answer.items) - limit:,} more. Show all with --limit {len(answer.items)}.")
    for note in answer.notes:
        talk(note)
    if answer.status is Status.ANSWERED and answer.candidates:
        talk(f"Another one is meant? For example: --entity {answer.candidates[0].id!r}")
    for one in answer.near:
        click.echo(f"  {_line(one)}")


def _line(one: Evidence) -> str:
    fact = one.fact
    holds = {Holds.WHOLE: "", Holds.ALWAYS: ""}.get(one.holds, f"  [{one.holds}{': ' + one.why if one.why else ''}]")
    return f"{fact.in_names}{holds}"
