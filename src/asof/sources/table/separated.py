"""Tables as separated text: comma, semicolon, tab or bar; in any encoding; with a header that may not come first.

Blocks of plain lines are cut by Arrow. A block with quotes, odd bytes or odd line ends goes line by line, so that what
is broken costs its row and nothing else.
"""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.csv

from asof.errors import UserError
from asof.facts.rejects import Rejects
from asof.sources.table.chunk import Chunk, chunk_of
from asof.sources.table.content import ending, opened
from asof.sources.table.encoding import UTF8, as_utf8, encoding_of, known_encoding

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "pipe": "|"}
_USUAL = {".tsv": "\t", ".tab": "\t", ".psv": "|"}  # of others it is the comma
_BLOCK = 4 << 20
_SAMPLE = 1 << 16
_LOOKED_AT = 200  # rows from which the separator and the header are found
_BEFORE_HEADER = 10  # rows that may stand above the names of columns
_NOT_CLOSED = "a quote is opened and not closed"
_MOST_LINES_PER_ROW = 100  # a quoted cell that runs over more lines is a quote that somebody forgot to close

IsHeader = Callable[[Sequence[str]], bool]
Record = tuple[int, list[str] | None, str, str]  # line, cells (None when broken), the text itself, the reason


class SeparatedFile:
    """A file of separated text.

    Args:
        is_header: Tells whether a row names the columns that are needed.
    """

    def __init__(
        self, path: Path, *, is_header: IsHeader, separator: str | None = None, encoding: str | None = None
    ) -> None:
        self.path = path
        self._is_header = is_header
        self._usual = _USUAL.get(ending(str(path)), ",")
        self._given_separator = _separator_named(separator) if separator else None
        if encoding:
            self._encoding = known_encoding(encoding)
        else:
            with opened(path) as file:
                self._encoding = encoding_of(file, path)

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return self._layout[2]

    @property
    def notes(self) -> list[str]:
        """What was found: the separator, the encoding, the line of the header."""
        separator, line, _, first = self._layout
        found = []
        if separator != self._usual:
            found.append(f"separator {_name_of(separator)}")
        if self._encoding != UTF8:
            found.append(f"encoding {self._encoding}")
        if line > first:
            found.append(f"line {line} names the columns")
        return [", ".join(found)] if found else []

    def chunks(self, wanted: Sequence[int], rejects: Rejects) -> Iterator[Chunk]:
        """Give the rows below the header."""
        separator, _, header, _ = self._layout
        with self._utf8() as file:
            lines = _Lines(file)
            records = _records(lines, separator, self._quotes(separator))
            next(line for line, cells, _, _ in records if line == self._layout[1])
            while block := lines.block():
                first, raw = block
                chunk, rest = self._quickly(raw, first, wanted)
                if chunk:
                    yield chunk
                lines.give_back(rest)
                slow = list(_records(lines, separator, self._quotes(separator), only_given_back=True))
                good = list(self._whole(slow, len(header), rejects))
                if good:
                    yield chunk_of([line for line, _ in good], [cells for _, cells in good], wanted)

    def _quickly(self, raw: bytes, first: int, wanted: Sequence[int]) -> tuple[Chunk | None, list[tuple[int, bytes]]]:
        """Cut a block by Arrow; return what is for the slower way, with its lines."""
        separator, _, header, _ = self._layout
        lines = [*enumerate(raw.split(b"\n"), start=first)]
        odd = raw.count(b"\r") != raw.count(b"\r\n") or not _is_utf8(raw)
        if odd or len(header) < 2 or (b'"' in raw and self._quotes(separator)) or len(separator) > 1:
            return None, lines if lines[-1][1] else lines[:-1]
        strange: list[tuple[int, bytes]] = []

        def set_aside(row: pyarrow.csv.InvalidRow) -> str:
            strange.append((first + row.number - 1, row.text.encode()))
            return "skip"

        names = [str(place) for place in range(len(header))]
        table = pyarrow.csv.read_csv(
            io.BytesIO(raw),
            read_options=pyarrow.csv.ReadOptions(column_names=names, use_threads=False, block_size=len(raw) + 1),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=separator, quote_char=False, ignore_empty_lines=False, invalid_row_handler=set_aside
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                strings_can_be_null=False,
                include_columns=[str(place) for place in wanted],
                column_types=dict.fromkeys((str(place) for place in wanted), pa.string()),
            ),
        )
        there = np.arange(first, first + table.num_rows + len(strange), dtype=np.int64)
        keep = ~np.isin(there, [line for line, _ in strange])
        return Chunk(there[keep], {place: table[str(place)].combine_chunks() for place in wanted}), strange

    def _whole(self, records: list[Record], width: int, rejects: Rejects) -> Iterator[tuple[int, list[str]]]:
        """Give the records that have a cell for each column; the others go to the rejects."""
        separator, _, header, _ = self._layout
        least = max((place for place, name in enumerate(header, start=1) if name), default=width)
        for line, cells, raw, reason in records:
            if cells is None:
                kind = "it is not text in this encoding" if "UTF-8" in reason else "its quotes are not in pairs"
                rejects.add(file=self.path.name, line=line, reason=reason, row=raw, kind=kind)
            elif not any(cells):
                continue
            elif len(cells) < least or any(cell.strip() for cell in cells[width:]):
                why = f"{len(cells)} columns instead of {width}."
                if len(cells) > width:
                    why += f" A cell in which {_name_of(separator)} stands needs quotes."
                rejects.add(
                    file=self.path.name, line=line, reason=why, row=raw, kind="it has not as many columns as the header"
                )
            else:
                yield line, [*cells, *[""] * (width - len(cells))]

    @cached_property
    def _layout(self) -> tuple[str, int, list[str], int]:
        """Find the separator; the line of the header and its cells; the line of the first row."""
        with self._utf8() as file:
            sample = [(number, raw) for number, raw in enumerate(islice(file, _LOOKED_AT), start=1)]
        told = sample[0][1].decode(UTF8, "replace").lstrip("\ufeff").strip() if sample else ""
        stated = told[4:] if told.startswith("sep=") and len(told) == 5 else None  # Excel's own line
        if stated:
            sample = sample[1:]
        separators = [self._given_separator or stated] if self._given_separator or stated else None
        tried = separators or dict.fromkeys((self._usual, *SEPARATORS.values()))
        layouts = [layout for one in tried if one and (layout := self._laid_out(sample, one))]
        if not layouts:
            line, _, _, reason = next(_records(_Lines(io.BytesIO(b"".join(raw for _, raw in sample))), ",", True))
            raise UserError(f"{self.path}, line {line}: {reason} The first line must name the columns.")
        return max(layouts, key=lambda layout: layout[0])[1]

    def _laid_out(
        self, sample: list[tuple[int, bytes]], separator: str
    ) -> tuple[tuple[bool, float, int], tuple[str, int, list[str], int]] | None:
        """Read the first rows with a separator; return how well that fits, and the layout."""
        lines = _Lines(io.BytesIO(b""))
        lines.give_back(sample)
        rows = [
            (line, [cell.strip() for cell in cells])
            for line, cells, _, _ in _records(lines, separator, self._quotes(separator))
            if cells is not None
        ]
        if not rows:
            return None
        start = next((place for place, row in enumerate(rows[:_BEFORE_HEADER]) if self._is_header(row[1])), None)
        found = start is not None
        if start is None:
            widest = max(len([cell for cell in row[1] if cell]) for row in rows[:_BEFORE_HEADER])
            start = next(place for place, row in enumerate(rows) if len([cell for cell in row[1] if cell]) == widest)
        line, header = rows[start]
        alike = sum(len(cells) == len(header) for _, cells in rows[start:]) / len(rows[start:])
        fits = (found, alike if len(header) > 1 else 0.0, len(header))
        return fits, (separator, line, header, rows[0][0])

    def _utf8(self) -> IO[bytes]:
        return as_utf8(opened(self.path), self._encoding, self.path, returns=self._returns)

    @cached_property
    def _returns(self) -> bool:
        """Whether lines end as on an old Mac."""
        with opened(self.path) as file:
            head = file.read(_SAMPLE)
        return b"\r" in head and b"\n" not in head

    def _quotes(self, separator: str) -> bool:
        """Whether quotes enclose cells: not in files of tabs."""
        return not (separator == "\t" and self._usual == "\t")


class _Lines:
    """The lines of a file, some at a time; lines can be given back."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._number = 0
        self._back: deque[tuple[int, bytes]] = deque()

    def next(self) -> tuple[int, bytes] | None:
        if self._back:
            return self._back.popleft()
        raw = self._file.readline()
        self._number += bool(raw)
        return (self._number, raw) if raw else None

    def block(self) -> tuple[int, bytes] | None:
        """Return the next lines and the number of the first."""
        raw = self._file.read(_BLOCK) + self._file.readline()
        first = self._number + 1
        self._number += raw.count(b"\n") + (not raw.endswith(b"\n"))
        return (first, raw) if raw else None

    def give_back(self, lines: Sequence[tuple[int, bytes]]) -> None:
        self._back.extendleft(reversed(lines))

    @property
    def given_back(self) -> bool:
        return bool(self._back)


def _records(lines: _Lines, separator: str, quotes: bool, *, only_given_back: bool = False) -> Iterator[Record]:
    """Cut lines into rows. A quote that is never closed costs one row, not the rest of the file."""
    while (lines.given_back or not only_given_back) and (following := lines.next()):
        line, raw = following
        text, reason = _decoded(raw, first=line == 1)
        if reason:
            yield line, None, raw.decode(UTF8, errors="backslashreplace").rstrip("\r\n"), reason
        elif not text:
            continue
        elif not quotes or '"' not in text:
            yield line, text.split(separator), text, ""
        else:
            taken, further = [text], list[tuple[int, bytes]]()
            while sum(part.count('"') for part in taken) % 2 and len(taken) < _MOST_LINES_PER_ROW:
                more = lines.next()
                if more is None:
                    break
                further.append(more)
                taken.append(_decoded(more[1], first=False)[0])
            whole = "\n".join(taken)
            try:
                if whole.count('"') % 2:
                    raise csv.Error(_NOT_CLOSED)
                cells = next(csv.reader(whole.splitlines(keepends=True), strict=True, delimiter=separator))
                yield line, cells, whole, ""
            except csv.Error as error:
                lines.give_back(further)
                reason = str(error) if str(error) == _NOT_CLOSED else f"a quote stands where none may be: {error}"
                yield line, None, text, f"{reason}."


def _decoded(raw: bytes, *, first: bool) -> tuple[str, str]:
    try:
        text = raw.decode("utf-8-sig" if first else UTF8).rstrip("\r\n")
    except UnicodeDecodeError as error:
        return "", f"byte {error.start + 1} ({raw[error.start]:#04x}) is not UTF-8. Save the table as UTF-8."
    return text, ""


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode(UTF8)
    except UnicodeDecodeError:
        return False
    return True


def _separator_named(text: str) -> str:
    separator = SEPARATORS.get(text.casefold(), text.replace("\\t", "\t"))
    if len(separator) != 1 or separator.isalnum() or separator in "\"'\r\n":
        raise UserError(f"--separator {text!r} is no separator. Write one sign, as in ';', or tab.")
    return separator


def _name_of(separator: str) -> str:
    return "tab" if separator == "\t" else repr(separator)
