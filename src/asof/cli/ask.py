"""``asof ask``: a question in plain words, answered from facts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from asof.cli.options import Day, base_option, json_option, known_on_option, open_base
from asof.cli.output import talk, write_json
from asof.errors import UserError
from asof.reading.ask.answer import FactEvidence, FactsAnswer, Holds, Status
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
@click.option("--entity", "entities", multiple=True, metavar="ID", help="The id that an ambiguous name stands for.")
@click.option("--today", type=Day(), help="The day that 'now' means in the question (default: today).")
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Show at most this many answers."
)
@click.option("--explain", is_flag=True, help="Show how the question was understood.")
@click.option("--with", "model", metavar="MODEL", help="A language model reads the question; the facts answer.")
@base_option
@known_on_option
@json_option
def command(
    question: tuple[str, ...],
    entities: tuple[str, ...],
    today: Date | None,
    limit: int,
    explain: bool,
    model: str | None,
    base: str,
    known_on: Date | None,
    as_json: bool,
) -> None:
    """Answer a question in plain English, with evidence.

    Nothing is guessed: if the base has no answer, the answer is "unknown", and a question that was not understood is
    reported as such. Without a time, "who was" asks about all times and "who is" about today.
    """
    store = open_base(base, known_on)
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


def explain_query(answer: FactsAnswer) -> None:
    """Say how a question was understood: in words, and as the query that asof query takes."""
    talk("Read as: " + "; ".join(f"{name}: {value}" for name, value in answer.read_as.items()))
    if answer.query is not None:
        talk(f"Query: {json.dumps(answer.query, ensure_ascii=False)}")


def tell(answer: FactsAnswer, limit: int) -> None:
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
        talk(f"Did you mean another one? For example: --entity {answer.candidates[0].id!r}")
    for one in answer.near:
        click.echo(f"  {_line(one)}")


def _line(evidence: FactEvidence) -> str:
    fact = evidence.fact
    holds = {Holds.WHOLE: "", Holds.ALWAYS: ""}.get(
        evidence.holds, f"  [{evidence.holds}{': ' + evidence.why if evidence.why else ''}]"
    )
    return f"{fact.in_names}{holds}"
