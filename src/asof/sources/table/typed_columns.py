"""Columns that have a type (Parquet, data frames) as the text of a file: 2021-03-15, years without a point."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from asof.errors import UserError
from asof.facts.rejects import Rejects
from asof.sources.table.chunk import ROWS_PER_CHUNK, Chunk


class ParquetFile:
    """A Parquet file."""

    notes: Sequence[str] = ()

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = pq.ParquetFile(path)
        self.header: list[str] = self._file.schema_arrow.names

    def chunks(self, wanted: Sequence[int], rejects: Rejects) -> Iterator[Chunk]:
        """Give the rows, numbered from 1."""
        row = 1
        for batch in self._file.iter_batches(ROWS_PER_CHUNK, columns=[self.header[place] for place in wanted]):
            columns = {place: self._text(batch.column(self.header[place]), self.header[place]) for place in wanted}
            yield Chunk(np.arange(row, row + batch.num_rows, dtype=np.int64), columns)
            row += batch.num_rows

    def _text(self, column: pa.Array, name: str) -> pa.Array:
        mark = (self._file.schema_arrow.field(name).metadata or {}).get(b"ARROW:extension:name")
        if mark and not pa.types.is_string(column.type):
            raise UserError(
                f"{self.path}: the column {name!r} holds {mark.decode()}, numbers that mean something else. Save it as "
                "text: frame[...].astype(str)"
            )
        try:
            return text_column(column)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
            raise UserError(
                f"{self.path}: the column {name!r} holds values of the type {column.type}, which are not text. Make it "
                f"a column of text, numbers or dates ({error})."
            ) from error


def text_column(column: pa.Array) -> pa.Array:
    """Write a column of any type as text.

    >>> text_column(pa.array([2001.0, None, float("nan"), 1999.5])).to_pylist()
    ['2001', None, None, '1999.5']
    """
    kind = column.type
    if isinstance(column, pa.ExtensionArray):
        return _extension_as_text(column)
    if pa.types.is_dictionary(kind):
        words = text_column(column.dictionary)
        return pa.DictionaryArray.from_arrays(column.indices, words).dictionary_decode()
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return column.cast(pa.date32(), safe=False).cast(pa.string())
    if pa.types.is_decimal(kind):
        return text_column(column.cast(pa.float64()))
    if pa.types.is_floating(kind):  # pandas makes years with a gap among them floats
        number = pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
        whole = pc.equal(pc.floor(number), number)
        return pc.if_else(
            whole, pc.cast(pc.cast(pc.floor(number), pa.int64()), pa.string()), pc.cast(number, pa.string())
        )
    return column.cast(pa.string())


def _extension_as_text(column: pa.ExtensionArray) -> pa.Array:
    """Write what a library has put into numbers or texts of its own: a period of pandas is 399 for April 2003."""
    if column.type.extension_name == "pandas.period":
        return pa.array([None if str(period) == "NaT" else str(period) for period in column.to_pandas()], pa.string())
    if pa.types.is_string(column.storage.type) or pa.types.is_large_string(column.storage.type):
        return text_column(column.storage)
    raise pa.ArrowNotImplementedError(f"{column.type.extension_name} has no text")
