"""``asof ask``: a question in plain words, answered from facts."""

import click

from asof.cli.options import Day, base_option, json_option, open_base
from asof.cli.output import talk, write_json
from asof.errors import UserError
from asof.reading.facts import Answer, Evidence, FactsReader, Holds, Item, Status
from asof.timeline import Date

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
@base_option
@json_option
def command(
    question: tuple[str, ...],
    entities: tuple[str, ...],
    today: Date | None,
    limit: int,
    explain: bool,
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
    reader = FactsReader(store, today=today, entities=entities)
    answer = reader.ask(" ".join(question))
    if as_json:
        write_json(answer.as_row())
    else:
        _tell(answer, limit)
        if explain:
            talk("Read as: " + "; ".join(f"{name}: {value}" for name, value in answer.read_as.items()))
    if answer.status in (Status.AMBIGUOUS, Status.NOT_UNDERSTOOD):
        raise click.exceptions.Exit(1)


def _tell(answer: Answer, limit: int) -> None:
    if answer.status is Status.AMBIGUOUS:
        raise UserError(_candidates(answer))
    if answer.status is Status.NOT_UNDERSTOOD:
        raise UserError("\n".join(answer.notes))
    if answer.status is Status.UNKNOWN:
        click.echo("Unknown.")
    else:
        line = headline(answer, limit)
        click.echo(f"{_capital(answer.hedge)}: {line}" if answer.hedge else line)
    for item in answer.items[:limit]:
        for one in item.evidence:
            click.echo(f"  {_line(one)}")
    if len(answer.items) > limit:
        talk(f"... and {len(answer.items) - limit:,} more. Show all with --limit {len(answer.items)}.")
    for note in answer.notes:
        talk(note)
    for one in answer.near:
        click.echo(f"  {_line(one)}")


def headline(answer: Answer, limit: int) -> str:
    """Say the answer in one line: what surely holds, what does as far as is known, then what possibly does."""
    sure = [item.text for item in answer.items if item.holds is not Holds.POSSIBLY]
    possible = [item for item in answer.items if item.holds is Holds.POSSIBLY]
    if answer.read_as.get("kind") == "yes or no":
        reason = _reason(possible[0]) if possible and not sure else ""
        if reason:
            return f"Yes, {reason}."
        return _capital((sure or [item.text for item in possible])[0]) + "."
    whole = [item.text for item in answer.items if item.holds is Holds.WHOLE]
    partly = [item.text for item in answer.items if item.holds is Holds.PART]
    if whole and partly:
        parts = [_listed(whole, limit), f"for a part of that time {_listed(partly, limit)}"]
    else:
        parts = [_listed(sure, limit)] if sure else []
    for reason in dict.fromkeys(_reason(item) for item in possible):
        texts = [item.text for item in possible if _reason(item) == reason]
        parts.append(f"{_listed(texts, limit)}, {reason}" if reason else f"possibly {_listed(texts, limit)}")
    line = _capital("; ".join(parts))
    return line if line.endswith(".") else f"{line}."


def _reason(item: Item) -> str:
    why = item.evidence[0].why
    return why if why.startswith("as far as known") and "," not in why else ""


def _listed(texts: list[str], limit: int) -> str:
    shown = texts[:limit] if len(texts) <= limit else [*texts[:limit], f"{len(texts) - limit:,} more"]
    return ", ".join(shown)


def _line(one: Evidence) -> str:
    fact = one.fact
    holds = {Holds.WHOLE: "", Holds.ALWAYS: ""}.get(one.holds, f"  [{one.holds}{': ' + one.why if one.why else ''}]")
    return f"{fact.in_names}{holds}"


def _candidates(answer: Answer) -> str:
    rows = [
        f"  {entity.id:12} {entity.label}, {entity.description or entity.kind or '?'}" for entity in answer.candidates
    ]
    chosen = answer.candidates[0].id
    return "\n".join([*answer.notes, *rows, f"Say which one you mean, for example: --entity {chosen!r}"])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
