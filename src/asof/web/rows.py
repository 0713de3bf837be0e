"""Facts in the order in which pages show them, and the dates of pages."""

from __future__ import annotations

from collections.abc import Iterable

from asof.errors import DateError, UserError
from asof.facts import Fact
from asof.facts.row import FactRow, fact_row
from asof.timeline import Date, Period, Time, parse_when
from asof.timeline.calendar import calendar_day
from asof.timeline.words import in_words

LONGEST_DATE = 60  # characters


def fact_rows(facts: Iterable[Fact], known_to: Date | None, on: Time | None = None) -> list[FactRow]:
    """Return facts in the order in which they began."""
    rows = [fact_row(fact, known_to=known_to, on=on) for fact in facts]
    return sorted(rows, key=lambda row: (row.bounds.earliest_start, row.bounds.latest_end, row.object, row.object_id))


def read_date(text: str | None) -> Time | None:
    """Read the date of a page; nothing where none is given."""
    if text is None or not text.strip():
        return None
    if len(text) > LONGEST_DATE:
        raise UserError(f"A date cannot have {len(text):,} characters. Write 1995, 1995-03, 1995-03-20 or '44 BC'.")
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
