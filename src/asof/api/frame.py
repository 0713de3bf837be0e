"""A table as a notebook shows it: what every verb that gives rows returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from importlib import import_module
from io import StringIO
from os import PathLike
from typing import Any, Literal, Self, overload

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import compute, csv

from asof.errors import UserError

NO_ROWS = "No rows."
_ROWS_SHOWN = 20
_WIDTH = 120


@dataclass(frozen=True, repr=False)
class Frame:
    """Rows with named columns. It shows itself in a notebook and turns into the table type that you work with.

    Args:
        table: All columns.
        shown: The columns that a person looks at first; the others are in every conversion.
        notes: What a reader should know beside the numbers.

    >>> frame = Frame.of([{"metric": "win rate", "value": 0.5}, {"metric": "robustness", "value": 0.25}])
    >>> len(frame), frame.columns, frame["value"]
    (2, ['metric', 'value'], [0.5, 0.25])
    >>> print(frame)
    metric      value
    win rate    0.5
    robustness  0.25
    """

    table: pa.Table
    shown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]], *, shown: Sequence[str] = (), notes: Sequence[str] = ()) -> Frame:
        """Make a frame from rows; a column that some of them lack is empty there."""
        listed = [dict(row) for row in rows]
        names = dict.fromkeys(name for row in listed for name in row)
        table = pa.table({name: pa.array([row.get(name) for row in listed]) for name in names})
        return cls(table, tuple(shown), tuple(notes))

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return list(self.table.column_names)

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        return self.table

    def to_pandas(self) -> Any:
        """Return the rows as a pandas data frame."""
        pandas = needed("pandas")
        gaps = {field.type for field in self.table.schema if self.table[field.name].null_count}
        # Without these, whole numbers with a gap among them become floats, and truth values become objects.
        kinds = {pa.int64(): pandas.Int64Dtype(), pa.int32(): pandas.Int32Dtype(), pa.bool_(): pandas.BooleanDtype()}
        return self.table.to_pandas(
            date_as_object=False, types_mapper={kind: kinds[kind] for kind in gaps & kinds.keys()}.get
        )

    def to_polars(self) -> Any:
        """Return the rows as a polars data frame."""
        return needed("polars").from_arrow(self.table)

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write all columns to a Parquet file."""
        pq.write_table(self.table, path)

    def to_pylist(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
        rows: list[dict[str, Any]] = self.table.to_pylist()
        return rows

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write all columns to a CSV file; of a list of values each is separated by a comma."""
        texts = {
            name: [_text(value) for value in column.to_pylist()] if pa.types.is_list(column.type) else column
            for name, column in zip(self.columns, self.table.columns, strict=True)
        }
        csv.write_csv(pa.table(texts), path)

    def head(self, rows: int = 5) -> Self:
        """Return the first rows."""
        return self[:rows]

    def sort(self, *columns: str, descending: bool = False) -> Self:
        """Return the rows in the order of some columns; those without a value come last.

        >>> frame = Frame.of([{"metric": "win rate", "value": 0.5}, {"metric": "robustness", "value": 0.25}])
        >>> frame.sort("value")["metric"]
        ['robustness', 'win rate']
        """
        for name in columns:
            self[name]
        order: Literal["ascending", "descending"] = "descending" if descending else "ascending"
        return self._rows_at(compute.sort_indices(self.table, [(self._order_of(name), order) for name in columns]))

    def _order_of(self, column: str) -> str:
        """Return the column that has the order of a column."""
        return column

    def _rows_at(self, positions: Any) -> Self:
        return replace(self, table=self.table.take(positions))

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_pylist())

    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    @overload
    def __getitem__(self, key: list[str] | tuple[str, ...] | slice) -> Self: ...
    @overload
    def __getitem__(self, key: Any) -> Any: ...
    def __getitem__(self, key: Any) -> Any:
        """Return a column by its name, a row by its number; a frame of the columns in a list, or of some rows."""
        if isinstance(key, list | tuple):
            for name in key:
                self[name]
            return replace(self, shown=tuple(key), table=self.table.select(list(key)))
        if isinstance(key, slice):
            return self._rows_at(pa.array(range(len(self))[key], pa.int64()))
        if isinstance(key, str):
            if key not in self.columns:
                raise KeyError(f"There is no column {key!r}. The columns are: {', '.join(self.columns)}.")
            return self.table[key].to_pylist()
        if isinstance(key, int) and not -len(self) <= key < len(self):
            raise IndexError(f"There is no row {key}: there are {len(self):,}, from 0.")
        return self.to_pylist()[key]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Let other libraries (DuckDB, polars, pandas) read the rows without a copy."""
        return self.table.__arrow_c_stream__(requested_schema)

    @cached_property
    def _cells(self) -> tuple[list[str], list[list[str]]]:
        names = [name for name in self.shown if name in self.columns] or self.columns
        return names, [[_text(row[name]) for name in names] for row in self._shown_rows(_ROWS_SHOWN)]

    def _shown_rows(self, most: int) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.table.slice(0, most).to_pylist()
        return rows

    @property
    def _more(self) -> str:
        rest = len(self) - _ROWS_SHOWN
        return f"... and {rest:,} more of {len(self):,} rows" if rest > 0 else ""

    def __repr__(self) -> str:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        if not len(self):
            return "\n".join([NO_ROWS, *self.notes])
        names, cells = self._cells
        drawn = Table(box=None, pad_edge=False, header_style="")
        for name in names:
            drawn.add_column(name, overflow="fold")
        for row in cells:
            drawn.add_row(*map(Text, row))
        console = Console(file=StringIO(), width=_WIDTH, color_system=None, force_jupyter=False)
        console.print(drawn)
        text: str = console.file.getvalue()  # type: ignore[attr-defined]
        lines = [line.rstrip() for line in text.rstrip("\n").split("\n")]
        return "\n".join([*lines, *([self._more] if self._more else []), *self.notes])

    def _repr_html_(self) -> str:
        names, cells = self._cells
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in cells)
        below = [escape(line) for line in (self._more, "" if len(self) else NO_ROWS, *self.notes) if line]
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"{''.join(f'<p>{line}</p>' for line in below)}"
        )


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return f"{value + 0.0:.4g}" if isinstance(value, float) else str(value)  # -0.0 is 0


def needed(package: str) -> Any:
    """Import a package of the extra for notebooks, or say how it is installed."""
    try:
        return import_module(package)
    except ImportError as error:
        raise UserError(
            f"This needs {package.partition('.')[0]}. Install it with: pip install 'asof[notebook]'"
        ) from error
