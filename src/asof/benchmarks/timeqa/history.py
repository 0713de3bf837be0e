"""A time-evolving fact: what one subject and relation had as objects, one after the other, and where a page tells it.

Chen et al. 2021 (arXiv:2108.06314), section 2.1. Also what may be asked about it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Literal

from asof.benchmarks.timeqa.times import QuestionTime
from asof.timeline import Bounds, Date, Interval, Open, Precision

Level = Literal["easy", "hard"]


@dataclass(frozen=True, slots=True, order=True)
class TextSpan:
    """Where an answer stands: the paragraph of a document, and the letters of it from ``start`` to before ``end``.

    >>> str(TextSpan(18, 11, 23))
    '18:11-23'
    """

    paragraph: int
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.paragraph}:{self.start}-{self.end}"


@dataclass(frozen=True, slots=True)
class TimedObject:
    """An object and the interval in which it was one.

    Args:
        names: What it is called, the first name first; none when only that there was one is known.
        span: Where the page names it; None when it does not, or when there is no page.
        said: The words of the page for it.
    """

    object: str
    names: tuple[str, ...]
    interval: Interval
    bounds: Bounds
    span: TextSpan | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """An interval of a history with all that held in exactly it, and the question that a person wrote for it."""

    start: Date
    end: Date | None  # None: it goes on
    held: tuple[TimedObject, ...]
    question: str | None = None


@dataclass(frozen=True, slots=True)
class UntimedQuestion:
    """A question that a person wrote without the time of a segment in it."""

    held: tuple[TimedObject, ...]
    question: str


@dataclass(frozen=True)
class History:
    """All that is known of one subject and relation.

    Args:
        document: The id of the page that tells it, None when there is none.
        given: Its segments as people annotated them, in their order, each with its question.
    """

    subject: str
    relation: str
    subject_label: str
    relation_label: str
    held: tuple[TimedObject, ...]
    document: str | None = None
    given: tuple[Segment | UntimedQuestion, ...] = ()

    def known_up_to(self, day: Date | None) -> History:
        """Return it with what goes on held surely until a day, possibly afterwards."""
        held = (replace(one, bounds=sure_bounds(one.interval, day)) for one in self.held)
        return replace(self, held=tuple(held))

    @property
    def group(self) -> str:
        """Its name among the facts of a benchmark."""
        return f"{self.subject}|{self.relation}"

    @cached_property
    def segments(self) -> list[Segment]:
        """Its segments that start in a known year and end in one or go on, in the order of time."""
        if self.given:
            return [segment for segment in self.given if isinstance(segment, Segment)]
        dated = [held for held in self.held if _is_dated(held.interval)]
        ordered = sorted(dated, key=lambda held: (held.bounds, held.object))
        return [
            Segment(*_ends(interval), tuple(together))
            for interval, together in groupby(ordered, key=lambda held: held.interval)
        ]


def _is_dated(interval: Interval) -> bool:
    start, end = interval.start, interval.end
    if not isinstance(start, Date) or start.precision < Precision.YEAR:
        return False
    return end.precision >= Precision.YEAR if isinstance(end, Date) else end is Open.ONGOING


def _ends(interval: Interval) -> tuple[Date, Date | None]:
    if not isinstance(interval.start, Date):
        raise TypeError("a segment starts at a date")
    return interval.start, interval.end if isinstance(interval.end, Date) else None


def sure_bounds(interval: Interval, known_by: Date | None = None) -> Bounds:
    """Return the bounds of an interval; one that ends before it starts says nothing of when it held."""
    told = Interval(Open.UNKNOWN, Open.UNKNOWN) if interval.inverted else interval
    return told.bounds(known_by=known_by)


@dataclass(frozen=True, slots=True)
class TimeQaQuestion:
    """A time and the objects that are right then.

    Args:
        specifier: None when a person asked without a time.
        segment: The one it was drawn for, None when nothing held.
    """

    specifier: QuestionTime | None
    held: tuple[TimedObject, ...]
    segment: Segment | UntimedQuestion | None
