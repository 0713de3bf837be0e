"""Facts as pages and JSON show them, each with what it is worth on the date of the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from asof.errors import DateError, UserError
from asof.facts import Fact
from asof.facts.transitional import why
from asof.timeline import Bounds, Date, Period, Time, Verdict, parse_when, verdict
from asof.timeline.calendar import calendar_day
from asof.timeline.words import in_words

LONGEST_DATE = 60  # characters


@dataclass(frozen=True)
class Days:
    """The four day numbers that decide when a fact holds; day 0 is 1970-01-01, an open end is ±2147483648 or so."""

    earliest_start: int
    latest_start: int
    earliest_end: int
    latest_end: int


@dataclass(frozen=True)
class FactRow:
    """One fact.

    ``holds`` is "correct" when it holds on the whole date of the page, "transitional" when on a part of it or only
    possibly, "incorrect" when not, and null when the page has no date. ``possibly`` tells the two apart that are
    transitional, and ``why`` says why they are.
    """

    subject: str
    subject_label: str
    relation: str
    relation_label: str
    object: str
    object_label: str
    start: str
    end: str
    days: Days
    holds: str | None
    possibly: bool
    why: str
    rank: str
    source: str
    statement: str | None

    @property
    def bounds(self) -> Bounds:
        """The four day numbers, as ``Axis`` wants them."""
        days = self.days
        return Bounds(days.earliest_start, days.latest_start, days.earliest_end, days.latest_end)


def fact_row(fact: Fact, known_by: Date | None, on: Time | None = None) -> FactRow:
    """Return a fact as a page shows it."""
    bounds = fact.interval.bounds(known_by=known_by)
    judged = None if on is None else verdict(on, fact.interval, known_by=known_by)
    return FactRow(
        subject=fact.subject,
        subject_label=fact.subject_label or fact.subject,
        relation=fact.relation,
        relation_label=fact.relation_label or fact.relation,
        object=fact.object,
        object_label=fact.object_label or fact.object,
        start=str(fact.start),
        end=str(fact.end),
        days=Days(*bounds),
        holds=None if judged is None else str(judged),
        possibly=on is not None and judged is Verdict.TRANSITIONAL and not bounds.surely_meets(on),
        why=why(fact, on, known_by) if on and judged is Verdict.TRANSITIONAL else "",
        rank=str(fact.rank),
        source=fact.source,
        statement=fact.statement,
    )


def fact_rows(facts: Iterable[Fact], known_by: Date | None, on: Time | None = None) -> list[FactRow]:
    """Return facts in the order in which they began."""
    rows = [fact_row(fact, known_by, on) for fact in facts]
    return sorted(rows, key=lambda row: (row.days.earliest_start, row.days.latest_end, row.object_label, row.object))


def read_date(text: str | None) -> Time | None:
    """Read the date of a page; nothing where none is given."""
    if text is None or not text.strip():
        return None
    if len(text) > LONGEST_DATE:
        raise UserError(f"A date of {len(text):,} characters is none. Write 1995, 1995-03, 1995-03-20 or '44 BC'.")
    return parse_when(text)


def shown_end(written: str) -> str:
    """Write an end of a fact for people: years before Christ in words, early years without zeros before them.

    >>> shown_end("1995-03"), shown_end("0230-01"), shown_end("-0044-03-15"), shown_end("ongoing")
    ('1995-03', '230-01', 'March 15, 44 BCE', 'ongoing')
    """
    if not written.startswith("-"):
        return written.lstrip("0")
    try:
        return in_words(Date.parse(written))
    except DateError:
        return written


def neighbours(on: Time) -> tuple[str, str] | None:
    """Return the dates before and after one, of the same length; None for what has no written neighbours.

    >>> neighbours(Date.parse("1995")), neighbours(Date.parse("1995-12")), neighbours(Period.parse("2021-Q1"))
    (('1994', '1996'), ('1995-11', '1996-01'), ('2020-Q4', '2021-Q2'))
    """
    if isinstance(on, Period):
        return str(on - 1), str(on + 1)
    if not isinstance(on, Date):
        return None
    try:
        return str(_same_length(on, on.first - 1)), str(_same_length(on, on.last + 1))
    except DateError:  # the last of all years has none
        return None


def _same_length(on: Date, day: int) -> Date:
    year, month, number = calendar_day(day)
    shown = year if year > 0 else 1 - year
    makers = {
        "day": lambda: Date.of(year, month, number),
        "month": lambda: Date.of(year, month),
        "year": lambda: Date.of(year),
        "decade": lambda: Date.decade(shown, before_christ=year <= 0),
        "century": lambda: Date.century((shown - 1) // 100 + 1, before_christ=year <= 0),
        "millennium": lambda: Date.millennium((shown - 1) // 1000 + 1, before_christ=year <= 0),
    }
    return makers[str(on.precision)]()
