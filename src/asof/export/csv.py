"""CSV as RFC 4180 has it: UTF-8, a header, one file per table, lines that end with CR LF.

Text stands in quotes, so that an empty text ("") is told from no value (nothing). A list is a JSON array in its cell.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from asof.export import ExportRequest
from asof.export._tables import counted, tables
from asof.registry import export

_ROWS_PER_CHUNK = 50_000
_FORMULA = r"^[=+\-@\t\r]"  # what makes spreadsheets take a text for a formula


@export.register("csv")
@dataclass(frozen=True, kw_only=True)
class Csv:
    """CSV files, one per table: RFC 4180, UTF-8.

    Args:
        for_spreadsheets: Put an apostrophe before text that begins with = + - or @, so that no spreadsheet runs it.
            Without it, text is the same to the letter.
    """

    asks: ClassVar[bool] = False

    for_spreadsheets: bool = False  # programs read benchmarks more often than people do, and need them unchanged

    def write(self, wanted: ExportRequest, folder: Path) -> Sequence[str]:
        """Write a file for each table."""
        formulas = 0
        found = list(tables(wanted.benchmark))
        for table in found:
            with (folder / f"{table.name}.csv").open("w", encoding="utf-8", newline="") as file:
                file.write(",".join(_quoted(name) for name in table.arrow.column_names) + "\r\n")
                for batch in table.arrow.to_batches(max_chunksize=_ROWS_PER_CHUNK):
                    cells, new = _cells(batch, safe=self.for_spreadsheets)
                    formulas += new
                    file.writelines(cells.to_pylist())
        if formulas and not self.for_spreadsheets:
            return [
                counted(found),
                f"{formulas:,} cells begin with = + - or @, which a spreadsheet may run as a formula. Programs read "
                "them as they are; for a spreadsheet write again with --set for_spreadsheets=true",
            ]
        return [counted(found), *([f"{formulas:,} cells have an apostrophe before them."] if formulas else [])]

    def next_step(self, wanted: ExportRequest, folder: Path) -> str:
        """Return the command that reads the items."""
        query = f"FROM {_quoted(str(folder / 'items.csv'))}"
        return f"duckdb -c {quote(query)}"


def _cells(batch: pa.RecordBatch, *, safe: bool) -> tuple[pa.Array, int]:
    """Return the lines of some rows, and how many of their texts look like formulas."""
    columns, formulas = [], 0
    for column in batch.columns:
        text = _text(column)
        if text is None:
            columns.append(pc.fill_null(column.cast(pa.string()), ""))
            continue
        looks = pc.fill_null(pc.match_substring_regex(text, _FORMULA), False)
        formulas += pc.sum(looks).as_py() or 0
        if safe:
            text = pc.if_else(looks, pc.binary_join_element_wise("'", text, ""), text)
        doubled = pc.replace_substring(text, '"', '""')
        columns.append(pc.fill_null(pc.binary_join_element_wise('"', doubled, '"', ""), ""))
    ends = pa.repeat("\r\n", len(batch))
    return pc.binary_join_element_wise(pc.binary_join_element_wise(*columns, ","), ends, ""), formulas


def _text(column: pa.Array) -> pa.Array | None:
    """Return a column of texts or lists as text, None for one of numbers."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return column.cast(pa.string())
    if pa.types.is_nested(column.type):
        return pa.array([None if value is None else _json(value) for value in column.to_pylist()], pa.string())
    return None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
