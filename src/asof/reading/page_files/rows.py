"""Rows of tables as a line of text: of HTML, of markdown, of text that keeps its columns by spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_DATE = re.compile(
    r"(?:\w+ )?(?:\d{1,2} )?\d{4}|\d{1,2}/\d{4}|\d{1,2}\.\d{1,2}\.\d{4}|present|now|today|ongoing", re.IGNORECASE
)
_PROSE = 200  # letters of a line in a cell
_GAP = re.compile(r" {3,}|\s*\t\s*")
_PIPES = re.compile(r"\s*\|(?P<cells>.+)\|\s*")
_RULE = re.compile(r"[\s|:+=-]+")


def row_of(cells: Sequence[str]) -> str:
    """Join the cells of a row; two dates side by side are a range.

    >>> row_of(["Ann Lee", "1990", "1995", "Oslo"])
    'Ann Lee , 1990–1995 , Oslo'
    """
    return "".join(
        one + ("" if two is None else "–" if _DATE.fullmatch(one) and _DATE.fullmatch(two) else " , ")
        for one, two in pairwise([*cells, None])
        if one is not None
    )


def rows_of(cells: Sequence[Sequence[str]]) -> list[str]:
    """Join the cells of a row whose cells may have several lines: a row for each, with what stands there once.

    >>> rows_of([["Names"], ["Old Hall (1871–1909)", "New Hall (1909–1964)"]])
    ['Names , Old Hall (1871–1909)', 'Names , New Hall (1909–1964)']
    >>> rows_of([["Long lines are prose, however they were put into the cells of a table. " * 4, "So."], ["Oslo"]])[1:]
    ['So.', 'Oslo']
    """
    if any(len(line) > _PROSE for lines in cells for line in lines) and len(cells) * max(map(len, cells)) > 1:
        return [line for lines in cells for line in lines]
    count = max(map(len, cells), default=0)
    columns = [lines if len(lines) == count else [" , ".join(lines)] * count for lines in cells]
    return [row_of(row) for row in zip(*columns, strict=True)]


def with_rows(text: str) -> str:
    r"""Write each line that has columns as an entry of a list.

    >>> print(with_rows("| Name | From |\n|------|------|\n| Ann Lee | 1990 |\n\n2009    PhD, Oslo\nIt was | so."))
    - Name , From
    - Ann Lee , 1990
    <BLANKLINE>
    - 2009 , PhD, Oslo
    It was | so.
    """
    return "\n".join(said for line in text.split("\n") if (said := _line(line)) is not None)


def _line(line: str) -> str | None:
    piped = _PIPES.fullmatch(line)
    if piped:
        if _RULE.fullmatch(line):
            return None
        cells = [cell.strip() for cell in piped["cells"].split("|")]
    else:
        cells = [cell.strip() for cell in _GAP.split(line.strip())]
    cells = [cell for cell in cells if cell]
    return f"- {row_of(cells)}" if len(cells) > 1 else line
