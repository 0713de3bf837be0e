"""Columns of dates as a source writes them, turned into the columns of a base.

Each distinct text is parsed once; a million facts share a few thousand dates.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from asof.errors import DateError
from asof.timeline import Date, Open, parse_end


@dataclass(frozen=True)
class EndColumns:
    """One end of many facts: day numbers, precision words, and what is wrong in which row."""

    first: pa.Array
    last: pa.Array
    precision: pa.Array
    errors: dict[int, str]


def end_columns(values: pa.Array | pa.ChunkedArray, *, may_be_ongoing: bool) -> EndColumns:
    """Parse a column of dates; strings, whole years and Arrow dates all will do.

    >>> columns = end_columns(pa.array(["2011", "ongoing", "2022-06-31"]), may_be_ongoing=True)
    >>> columns.precision.to_pylist(), columns.errors
    (['year', 'ongoing', 'not stated'], {2: '2022-06-31 is no date: June 2022 has 30 days.'})
    """
    texts = _as_texts(values)
    encoded = texts.dictionary_encode()
    rows = []
    errors_by_text: dict[int, str] = {}
    for index, text in enumerate(encoded.dictionary.to_pylist()):
        try:
            end = parse_end(text)
            if end is Open.ONGOING and not may_be_ongoing:
                raise DateError(f"A start cannot be {text!r}: give a date, 'unknown' or nothing.")
        except DateError as error:
            errors_by_text[index] = str(error)
            end = Open.NOT_STATED
        dated = (end.first, end.last, str(end.precision)) if isinstance(end, Date) else (None, None, str(end))
        rows.append(dated)
    firsts, lasts, words = zip(*rows, strict=True) if rows else ((), (), ())
    codes = encoded.indices
    errors = {}
    if errors_by_text:
        bad = np.isin(codes.to_numpy(zero_copy_only=False), list(errors_by_text)).nonzero()[0]
        errors = {int(row): errors_by_text[codes[int(row)].as_py()] for row in bad}
    return EndColumns(
        first=pa.array(firsts, pa.int32()).take(codes),
        last=pa.array(lasts, pa.int32()).take(codes),
        precision=pa.array(words, pa.string()).dictionary_encode().take(codes),
        errors=errors,
    )


def _as_texts(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.date32(), safe=False)
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        values = pc.cast(values, pa.int64(), safe=True)
    return pc.fill_null(values.cast(pa.string()), "")
