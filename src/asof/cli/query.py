"""``asof query``: what ``asof ask`` would read out of a question, written as JSON."""

import sys

import click

from asof.cli.ask import explain_query, tell
from asof.cli.options import Day, base_option, json_option, known_on_option, open_base
from asof.cli.output import write_json
from asof.reading.ask import read_query
from asof.reading.ask.answer import Status
from asof.reading.ask.evaluate import evaluate
from asof.timeline import Date

_EXAMPLES = """\b
Examples:
  asof query '{"ask": "lookup", "relation": "head of government", "subject": "Italy", "when": "2012"}'
  asof query '{"ask": "count", "relation": "manager", "subject": "Acme"}' --base my-base
  asof ask "Who led Italy in 2012?" --json | jq .query | asof query -
"""


@click.command("query", epilog=_EXAMPLES)
@click.argument("query", metavar="JSON")
@click.option("--entity", "entities", multiple=True, metavar="ID", help="The id that an ambiguous name stands for.")
@click.option("--today", type=Day(), help="The day that 'today' means in the query (default: today).")
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Show at most this many answers."
)
@click.option("--explain", is_flag=True, help="Show how the query was understood.")
@base_option
@known_on_option
@json_option
def command(
    query: str,
    entities: tuple[str, ...],
    today: Date | None,
    limit: int,
    explain: bool,
    base: str,
    known_on: Date | None,
    as_json: bool,
) -> None:
    """Answer a query that is given as JSON (- reads it from the standard input).

    A question in plain English is read as such a query: see asof ask --explain. Its keys are in asof schema query, with
    the relations of a base in asof schema query --base.
    """
    text = sys.stdin.read() if query == "-" else query
    asked = read_query(text)
    store = open_base(base, known_on)
    for id in entities:
        store.entity(id)
    answer = evaluate(asked, store, today=today, entities=entities)
    if as_json:
        write_json(answer.as_row())
    else:
        tell(answer, limit)
        if explain:
            explain_query(answer)
    if answer.status in (Status.AMBIGUOUS, Status.NOT_UNDERSTOOD):
        raise click.exceptions.Exit(1)
