"""``asof relations``: what the relations of a base are, and saying it."""

import sys
from dataclasses import asdict

import click

from asof.api.relation_settings import accepted, set_by_words, set_checked
from asof.cli.options import base_argument, base_option, json_option, limit_option, open_base
from asof.cli.output import counted, show, talk
from asof.errors import UserError
from asof.facts import FactStore
from asof.facts.relation_row import RelationRow, relation_rows

_EXAMPLES = """\b
Examples:
  asof relations teams
  asof relations teams --set "head coach:one_at_a_time=yes" --set "head coach:kind=office"
  asof relations teams --accept
"""


@click.command("relations", epilog=_EXAMPLES)
@base_argument
@click.option(
    "--set", "pairs", multiple=True, metavar="RELATION:NAME=VALUE", help="Say what a relation is. Repeatable."
)
@click.option("--accept", is_flag=True, help="Confirm all that is proposed.")
@limit_option
@base_option
@json_option
def command(
    folder: str | None, pairs: tuple[str, ...], accept: bool, limit: int | None, base: str, as_json: bool
) -> None:
    """List the relations of a base and what they are, or say what they are.

    NAME in --set is one_at_a_time, symmetric, for_life or complete (yes, no); inverse (a relation); kind (office,
    career, place, award, membership, name, creative role); label; alias. An empty value takes back what was said.
    What the facts suggest is proposed until it is confirmed or denied. The base gets a new version; what was said is
    kept when it is mined again.
    """
    store = open_base(folder or base)
    if pairs:
        set_by_words(store, pairs)
    if accept:
        store = FactStore(store.folder)
        proposals = accepted(store)
        if not proposals and not pairs:
            raise UserError(f"{store.folder} has no proposals. Say what a relation is with --set RELATION:NAME=VALUE.")
        if proposals:
            set_checked(store, proposals)
    store = FactStore(store.folder)
    rows = relation_rows(store)
    if sys.stdout.isatty() and not as_json:
        show(map(_short, rows[:limit]), columns=["relation", "facts", "what it is"], as_json=False)
    else:
        show(map(asdict, rows[:limit]), columns=[], as_json=as_json)
    _tell(rows, folder or base)


def _short(row: RelationRow) -> dict[str, object]:
    """Return what fits a terminal; the evidence stands below its meaning."""
    said = "; ".join([row.meaning, *row.evidence] if row.meaning else row.evidence)
    return {"relation": row.relation, "facts": f"{row.facts:,}", "what it is": said}


def _tell(rows: list[RelationRow], base: str) -> None:
    proposed = sum(len(row.proposed) for row in rows)
    unsaid = sum(not row.meaning for row in rows)
    told = [counted(len(rows), "relation")]
    told += [f"{unsaid:,} of which nobody has said anything"] if unsaid else []
    talk(f"{', '.join(told)}.")
    if proposed:
        talk(f"{counted(proposed, 'meaning')} proposed from the facts. Confirm: asof relations {base} --accept")
