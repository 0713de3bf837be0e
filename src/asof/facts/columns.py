"""Columns of dates as a source writes them, turned into the columns of a base.

Years, months and days in ISO form are read all at once by numpy; every other text is parsed once, however often it
stands in the column.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from asof.errors import DateError
from asof.timeline import Date, End, Open, Precision, parse_end
from asof.timeline.calendar import day_number
from asof.timeline.column_format import UnsettledDateError

_ISO = r"^[0-9]{4}(-[0-9]{2}){0,2}$"
_WORDS = [*map(str, Precision), *map(str, Open)]
_NO_END = 9999  # a year by which databases mean "no end"; the parser of the source says whether it does

ReadEnd = Callable[[str], End]


@dataclass(frozen=True)
class EndColumns:
    """One end of many facts: day numbers, precision words, and what is wrong in which row."""

    first: pa.Array
    last: pa.Array
    precision: pa.Array
    errors: dict[int, str]
    unsettled: frozenset[int] = frozenset()  # the rows that can be read in several ways


def end_columns(values: pa.Array | pa.ChunkedArray, *, may_be_ongoing: bool, read: ReadEnd = parse_end) -> EndColumns:
    """Parse a column of dates; strings, whole years and Arrow dates all will do.

    Args:
        read: Reads each text that is no plain year, month or day.

    >>> columns = end_columns(pa.array(["2011", "ongoing", "2022-06-31"]), may_be_ongoing=True)
    >>> columns.precision.to_pylist(), columns.errors
    (['year', 'ongoing', 'not stated'], {2: '2022-06-31 is not a valid date: June 2022 has 30 days.'})
    """
    texts = _as_texts(values)
    first, last, word = _iso_dates(texts)
    errors: dict[int, DateError] = {}
    rows = np.flatnonzero(word < 0)
    if len(rows):
        others = texts.take(pa.array(rows)).dictionary_encode()
        indices = others.indices.to_numpy()
        ends = [_read(text, read, may_be_ongoing) for text in others.dictionary.to_pylist()]
        first[rows], last[rows], word[rows] = np.array([numbers for numbers, _ in ends])[indices].T
        wrong = np.array([error is not None for _, error in ends])[indices]
        found = ((int(row), ends[index][1]) for row, index in zip(rows[wrong], indices[wrong], strict=True))
        errors = {row: error for row, error in found if error}
    is_open = word >= len(Precision)
    return EndColumns(
        first=pa.array(first, pa.int32(), mask=is_open),
        last=pa.array(last, pa.int32(), mask=is_open),
        precision=pa.DictionaryArray.from_arrays(pa.array(word, pa.int32()), pa.array(_WORDS)),
        errors={row: str(error) for row, error in errors.items()},
        unsettled=frozenset(row for row, error in errors.items() if isinstance(error, UnsettledDateError)),
    )


@lru_cache(maxsize=200_000)
def _read(text: str, read: ReadEnd, may_be_ongoing: bool) -> tuple[tuple[int, int, int], DateError | None]:
    """Parse one text: first day, last day and the number of the precision word; and what is wrong with it."""
    try:
        end = read(text)
        if end is Open.ONGOING and not may_be_ongoing:
            raise DateError(f"A start cannot be {text!r}: give a date, 'unknown' or nothing.")
    except DateError as error:
        return (0, 0, _WORDS.index(str(Open.NOT_STATED))), error
    if isinstance(end, Date):
        return (end.first, end.last, _WORDS.index(str(end.precision))), None
    return (0, 0, _WORDS.index(str(end))), None


Days = npt.NDArray[np.int64]


def _iso_dates(texts: pa.Array) -> tuple[Days, Days, Days]:
    """Read 2011, 2011-03 and 2011-03-20; return first and last days and precision words, -1 for any other text."""
    length = pc.utf8_length(texts).to_numpy(zero_copy_only=False)
    plain = pc.match_substring_regex(texts, _ISO).to_numpy(zero_copy_only=False)

    def part(start: int, stop: int) -> Days:
        there = plain & (length >= stop)
        digits = pc.if_else(pa.array(there), pc.utf8_slice_codeunits(texts, start, stop), "1")
        return np.asarray(digits.cast(pa.int64()).to_numpy())

    year, month, day = part(0, 4), part(5, 7), part(8, 10)
    whole_month = (month >= 1) & (month <= 12)
    month = np.where(whole_month, month, 1)
    month_first = day_number(year, month, np.ones_like(year))
    month_last = day_number(year + month // 12, month % 12 + 1, np.ones_like(year)) - 1
    year_last = day_number(year, np.full_like(year, 12), np.full_like(year, 31))
    first = month_first + day - 1
    last = np.select([length == 10, length == 7], [first, month_last], year_last)
    precision = np.select([length == 10, length == 7], [Precision.DAY, Precision.MONTH], Precision.YEAR)
    may_be_years = (length == 7) & (month > year % 100)  # 2003-05 is a month, or two years: for the parser to say
    valid = plain & ~may_be_years & (year >= 1) & (year < _NO_END) & whole_month & (day >= 1) & (first <= month_last)
    return first, last, np.where(valid, precision - Precision.MILLENNIUM, -1)


def _as_texts(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.date32(), safe=False)
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        values = pc.cast(values, pa.int64(), safe=True)
    return pc.fill_null(values.cast(pa.string()), "")
