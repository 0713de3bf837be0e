"""``asof timeline``: one subject and relation through the years, drawn as bars."""

import sys
from collections.abc import Sequence

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from asof.cli.options import base_option, json_option, known_on_option, open_base
from asof.cli.output import ends_in_words, show, talk
from asof.errors import UserError
from asof.facts import Fact, FactStore, find_entity, find_relation
from asof.facts.timelines import Timeline, timeline
from asof.timeline import MAX_DAY, MIN_DAY, Date, Open
from asof.timeline.calendar import calendar_day

_WIDEST_NAME = 30
_NARROWEST_BAR = 20
_MARGIN_DAYS = 365  # of blank time before the first and after the last date, where an end is open

_EXAMPLES = """\b
Examples:
  asof timeline Italy "head of government"
  asof timeline Italy "head of government" --after "Mario Draghi"
  asof timeline --object "Manchester United F.C."
"""


@click.command("timeline", epilog=_EXAMPLES)
@click.argument("subject", required=False)
@click.argument("relation", required=False)
@click.option(
    "--object", "object_name", metavar="NAME", help="The timeline of an object, such as who held a position when."
)
@click.option("--before", metavar="NAME", help="Only what came right before this object.")
@click.option("--after", metavar="NAME", help="Only what came right after this object.")
@click.option("--first", "end", flag_value="first", help="Only the first.")
@click.option("--last", "end", flag_value="last", help="Only the last.")
@base_option
@known_on_option
@json_option
def command(
    subject: str | None,
    relation: str | None,
    object_name: str | None,
    before: str | None,
    after: str | None,
    end: str | None,
    base: str,
    known_on: Date | None,
    as_json: bool,
) -> None:
    """Show the facts of a subject or an object in the order of time.

    Gaps and overlaps are reported for relations that have one object at a time.
    """
    if not subject and not object_name:
        raise UserError("Whose timeline? Give a subject (asof timeline Italy) or --object NAME.")
    store = open_base(base, known_on)
    found = timeline(
        store,
        subject=find_entity(store, subject).id if subject else None,
        relation=find_relation(store, relation).id if relation else None,
        object=find_entity(store, object_name).id if object_name else None,
    )
    part = bool(before or after or end)
    if before:
        found = Timeline(found.before(find_entity(store, before).id), store.known_by)
    if after:
        found = Timeline(found.after(find_entity(store, after).id), store.known_by)
    if end:
        found = Timeline(found.first if end == "first" else found.last, store.known_by)
    if not found.facts:
        talk("No matching facts.")
    elif as_json or not sys.stdout.isatty():
        rows = [fact.as_row(known_to=store.known_by) for fact in found.facts]
        show(rows if as_json else map(ends_in_words, rows), columns=[], as_json=as_json)
    else:
        _draw(found, by_subject=subject is None)
    if not part:
        _tell_breaks(store, found)
    if store.known_by and any(fact.end is Open.ONGOING for fact in found.facts):
        talk(f"Data current to {store.known_by_in_words}.")


def _draw(timeline: Timeline, *, by_subject: bool) -> None:
    """Draw one bar per fact; facts of several relations stand together by relation."""
    relations = list(dict.fromkeys(fact.relation_label or "" for fact in timeline.facts))
    facts = sorted(timeline.facts, key=lambda fact: relations.index(fact.relation_label or ""))
    first, last = _reach(facts, timeline.known_by)
    rows = []
    for fact in facts:
        whom = (fact.subject_label if by_subject else fact.object_label) or ""
        named = [fact.relation_label or ""] if len(relations) > 1 else []
        rows.append((fact, [*named, whom, str(fact.start), str(fact.end)]))
    names = ["relation"] * (len(relations) > 1) + ["subject" if by_subject else "object", "start", "end"]
    widths = [
        min(_WIDEST_NAME, max(map(len, [name, *(cells[index] for _, cells in rows)])))
        for index, name in enumerate(names)
    ]
    console = Console()
    width = max(_NARROWEST_BAR, console.width - sum(widths) - 2 * len(widths))
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name, wide in zip(names, widths, strict=True):
        table.add_column(name, no_wrap=True, width=wide)
    table.add_column(_scale(first, last, width), no_wrap=True, width=width)
    for fact, cells in rows:
        table.add_row(*map(Text, cells), Text(bar(fact, first, last, width, timeline.known_by), style="cyan"))
    console.print(table)


def bar(fact: Fact, first: int, last: int, width: int, known_by: Date | None) -> str:
    """Draw when a fact held: ░ possibly, █ surely, an arrow where it goes on.

    Args:
        known_by: The day up to which the base is known.

    >>> from asof.timeline import Interval
    >>> spell = Fact(subject="a", relation="b", object="c", interval=Interval.parse("2001", "2003-12-31"))
    >>> bar(spell, Date.parse("2000").first, Date.parse("2005").last, 12, None)
    '  ░░████    '
    """
    bounds = fact.interval.bounds(known_by=known_by)
    days = (last - first + 1) / width
    cells = []
    for cell in range(width):
        left, right = first + cell * days, first + (cell + 1) * days - 1
        middle = (left + right) / 2
        possible = bounds.earliest_start <= right and left <= bounds.latest_end
        sure = bounds.latest_start <= middle <= bounds.earliest_end
        cells.append("█" if sure else "░" if possible else " ")
    if bounds.latest_end == MAX_DAY:
        cells[-1] = "→"
    return "".join(cells)


def _reach(facts: Sequence[Fact], known_by: Date | None) -> tuple[int, int]:
    bounds = [fact.interval.bounds(known_by=known_by) for fact in facts]
    starts = [bound.earliest_start for bound in bounds if bound.earliest_start != MIN_DAY]
    ends = [bound.latest_end for bound in bounds if bound.latest_end != MAX_DAY]
    ongoing = [bound.earliest_end for bound in bounds if bound.latest_end == MAX_DAY and bound.earliest_end != MIN_DAY]
    dated = starts + ends + ongoing or [0]
    first = min(dated) - (_MARGIN_DAYS if len(starts) < len(bounds) else 0)
    return first, max(dated) + (_MARGIN_DAYS if len(ends) < len(bounds) else 0)


def _scale(first: int, last: int, width: int) -> str:
    left, right = (str(Date.of(calendar_day(day)[0])) for day in (first, last))
    return left + right.rjust(width - len(left))


def _tell_breaks(store: FactStore, timeline: Timeline) -> None:
    relations = {fact.relation for fact in timeline.facts}
    if len(relations) != 1 or not store.relations[relations.pop()].one_at_a_time or not timeline.facts:
        return
    if len({fact.subject for fact in timeline.facts}) != 1:
        return
    for name, stretches in (("gap", timeline.gaps), ("overlap", timeline.overlaps)):
        for stretch in stretches:
            talk(f"{name} {stretch}: {stretch.before.object_label} / {stretch.after.object_label}")
