"""The time points of LAMA-TK: the ends of facts as years, months or days, each one an answer that a model may give.

A date that is more precise is said as the year (or month) in which it lies; one that is less precise stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from asof.timeline import Date, End, Open, Precision
from asof.timeline.calendar import calendar_day, day_number
from asof.timeline.words import at, in_words

By = Literal["day", "month", "year"]
Numbers = npt.NDArray[np.int64]

_OPEN = {str(end): number for number, end in enumerate(Open)}
_OPEN_ENDS: list[Open] = list(Open)
_DATED = {str(precision): int(precision) for precision in Precision}  # all above the numbers of open ends


@dataclass(frozen=True)
class Points:
    """Time points by number; an open end is one, too, but is never asked for."""

    ends: Sequence[End]
    language: str

    @cached_property
    def texts(self) -> pa.Array:
        """As asof writes them: 2011, -0044, 2011-03. They are the ids of answers."""
        return pa.array([str(end) for end in self.ends], pa.string())

    @cached_property
    def words(self) -> pa.Array:
        """As a sentence says them: 2011, 44 BCE, March 2011; nothing for an open end."""
        said = [in_words(end, self.language) if isinstance(end, Date) else "" for end in self.ends]
        return pa.array(said, pa.string())

    @cached_property
    def dated(self) -> npt.NDArray[np.bool_]:
        """Which of them are dates."""
        return np.array([isinstance(end, Date) for end in self.ends], bool)


class EndNumbers(NamedTuple):
    """The two ends of facts as numbers of time points."""

    start: Numbers
    end: Numbers


def time_points(facts: pa.Table, by: By | None, language: str) -> tuple[Points, EndNumbers]:
    """Number the ends of facts.

    Args:
        by: How finely they are told apart; None: as they are.
    """
    keys = [_keys(facts, which, by) for which in ("start", "end")]
    known, index = np.unique(np.concatenate(keys), return_inverse=True)
    ends = [_end(int(key)) for key in known]
    start, end = np.split(index.reshape(-1).astype(np.int64), 2)
    return Points(ends, language), EndNumbers(start, end)


# One number for first day, last day and precision: 32 + 20 + 4 bits; a millennium has less than 2**20 days.
_SHIFT, _LENGTH_BITS, _WORD_BITS = 2**31, 20, 4


def _keys(facts: pa.Table, which: str, by: By | None) -> Numbers:
    words = facts[f"{which}_precision"].combine_chunks()
    words = words if pa.types.is_dictionary(words.type) else words.dictionary_encode()
    number_of = np.array([(_OPEN | _DATED)[word] for word in words.dictionary.to_pylist()], np.int64)
    precision = number_of[words.indices.to_numpy()]
    first, last = (pc.fill_null(facts[f"{which}_{name}"].cast(pa.int64()), 0).to_numpy() for name in ("first", "last"))
    if by is not None:
        finer = precision > Precision[by.upper()]
        low, high = _whole(first, by)
        first, last = np.where(finer, low, first), np.where(finer, high, last)
        precision = np.where(finer, int(Precision[by.upper()]), precision)
    keys: Numbers = ((first + _SHIFT) << (_LENGTH_BITS + _WORD_BITS)) | ((last - first) << _WORD_BITS) | precision
    return keys


def _whole(days: Numbers, by: By) -> tuple[Numbers, Numbers]:
    """Return the first and the last day of the years or months in which days lie."""
    year, month, _ = calendar_day(days)
    if by == "year":
        one = np.ones_like(year)
        return day_number(year, one, one), day_number(year + 1, one, one) - 1
    after = year * 12 + month
    return day_number(year, month, np.ones_like(year)), day_number(after // 12, after % 12 + 1, np.ones_like(year)) - 1


def _end(key: int) -> End:
    precision = key & ((1 << _WORD_BITS) - 1)
    if precision in _OPEN.values():
        return _OPEN_ENDS[precision]
    first = (key >> (_LENGTH_BITS + _WORD_BITS)) - _SHIFT
    return Date(first, first + (key >> _WORD_BITS & ((1 << _LENGTH_BITS) - 1)), Precision(precision))


def unit_of(days: Numbers, by: By) -> Numbers:
    """Count the years, months or days up to some days."""
    if by == "day":
        return days
    year, month, _ = calendar_day(days)
    return year if by == "year" else year * 12 + month - 1


def said_at(unit: int, by: By, language: str) -> tuple[str, str]:
    """Return a year, month or day as asof writes it and as a sentence says it.

    >>> said_at(2011, "year", "en"), said_at(2011 * 12 + 2, "month", "en"), said_at(0, "day", "en")
    (('2011', 'in 2011'), ('2011-03', 'in March 2011'), ('1970-01-01', 'on January 1, 1970'))
    """
    date = (
        Date.of(unit // 12, unit % 12 + 1) if by == "month" else Date.of(unit) if by == "year" else Date.from_day(unit)
    )
    return str(date), at(date, language)
