"""Workbooks: .xlsx, .xlsm, .xls and .ods, read by calamine. Dates that are dates in the workbook stay dates."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook

from asof.errors import UserError, did_you_mean
from asof.facts.rejects import Rejects
from asof.sources.table.chunk import ROWS_PER_CHUNK, Chunk, chunk_of
from asof.sources.table.separated import IsHeader
from asof.sources.table.workbook_errors import faulty_cells

_BEFORE_HEADER = 10


class WorkbookFile:
    """A sheet of a workbook: the one that is named, or the first that has the columns.

    Args:
        is_header: Tells whether a row names the columns that are needed.
    """

    def __init__(self, path: Path, *, is_header: IsHeader, sheet: str | None = None) -> None:
        self.path = path
        self._is_header = is_header
        try:
            self._workbook = CalamineWorkbook.from_path(str(path))
        except CalamineError as error:
            raise UserError(f"{path} is broken, cut or locked: {error}. Open it and save it again as .xlsx.") from error
        names = self._workbook.sheet_names
        if sheet is not None and sheet not in names:
            raise UserError(f"{path} has no sheet {sheet!r}.{did_you_mean(sheet, names)} It has: {', '.join(names)}.")
        self._given = sheet

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return self._layout[2]

    @property
    def notes(self) -> list[str]:
        """Which sheet was taken where there are several, and where its header stands."""
        sheet, line, _ = self._layout
        others = [name for name in self._workbook.sheet_names if name != sheet]
        found = []
        if others and not self._given:
            found.append(f"sheet {sheet!r} (others, for --sheet: {', '.join(others)})")
        if line > 1:
            found.append(f"line {line} names the columns")
        return [", ".join(found)] if found else []

    def chunks(self, wanted: Sequence[int], rejects: Rejects) -> Iterator[Chunk]:
        """Give the rows below the header."""
        sheet, header_line, header = self._layout
        found = self._rows(sheet)
        self._mark_faulty(found, sheet)
        self._fill_merged(found, sheet, header_line)
        rows = iter([(line, row) for line, row in enumerate(found, start=1) if line > header_line])
        while some := list(islice(rows, ROWS_PER_CHUNK)):
            cells = [[_text(cell) for cell in row] + [""] * (len(header) - len(row)) for _, row in some]
            yield chunk_of([line for line, _ in some], cells, wanted)

    def _mark_faulty(self, rows: list[list[Any]], sheet: str) -> None:
        for row, column, shown in faulty_cells(self.path, self._workbook.sheet_names.index(sheet)):
            if row < len(rows) and column < len(rows[row]) and rows[row][column] in ("", None):
                rows[row][column] = shown

    def _fill_merged(self, rows: list[list[Any]], sheet: str, header_line: int) -> None:
        """Write the value of cells that are merged into one below each other into each of them."""
        for (top, left), (bottom, right) in self._workbook.get_sheet_by_name(sheet).merged_cell_ranges or ():
            if left == right and top >= header_line:
                for row in rows[top + 1 : bottom + 1]:
                    row[left] = rows[top][left]

    @cached_property
    def _layout(self) -> tuple[str, int, list[str]]:
        """Find the sheet, the line of its header and the header."""
        sheets = [self._given] if self._given else self._workbook.sheet_names
        first: tuple[str, int, list[str]] | None = None
        for sheet in sheets:
            rows = [[_text(cell).strip() for cell in row] for row in self._rows(sheet)[:_BEFORE_HEADER]]
            for line, row in enumerate(rows, start=1):
                if self._is_header(row):
                    return sheet, line, row
            if first is None and rows:
                widest = max(range(len(rows)), key=lambda place: (sum(map(bool, rows[place])), -place))
                first = sheet, widest + 1, rows[widest]
        if first is None:
            raise UserError(f"{self.path} is empty: no sheet of it has a cell. Give a table with rows.")
        return first

    def _rows(self, sheet: str) -> list[list[Any]]:
        return self._workbook.get_sheet_by_name(sheet).to_python(skip_empty_area=False)


def _text(cell: object) -> str:
    """Write a cell as text.

    >>> _text(datetime(2001, 2, 3)), _text(2001.0), _text("x"), _text(None)
    ('2001-02-03', '2001', 'x', '')
    """
    if isinstance(cell, datetime):
        return cell.date().isoformat()
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell)
