"""Cells of an .xlsx that show an error, or a formula that nobody has computed; calamine gives them as empty.

An empty cell means that nothing is stated. A #REF! and a formula without its value do not, so they become text, which
is no date and refused with its line.
"""

import posixpath
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

_SHEET = re.compile(rb"<(?:\w+:)?sheet\b[^>]*>")
_RELATIONSHIP = re.compile(rb"<(?:\w+:)?Relationship\b[^>]*>")
_CELL = re.compile(rb"<c\b([^>]*?)(?<!/)>(.*?)</c>", re.DOTALL)
_VALUE = re.compile(rb"<v>([^<]+)</v>")
_PLACE = re.compile(rb'\br="([A-Z]+)([0-9]+)"')


def faulty_cells(path: Path, sheet: int) -> Iterator[tuple[int, int, str]]:
    """Give row and column, counted from 0, of each faulty cell of a sheet, and what to read in its place."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        name = _file_of(archive, sheet)
        text = archive.read(name) if name else b""
    if b't="e"' not in text and b"<f" not in text:
        return
    for attributes, inside in _CELL.findall(text):
        place, value = _PLACE.search(attributes), _VALUE.search(inside)
        if place is None:
            continue
        if b't="e"' in attributes:
            yield int(place[2]) - 1, _column(place[1]), value[1].decode() if value else "#ERROR!"
        elif b"<f" in inside and value is None and b't="str"' not in attributes:
            yield int(place[2]) - 1, _column(place[1]), "a formula without its value (open the workbook and save it)"


def _file_of(archive: zipfile.ZipFile, sheet: int) -> str | None:
    names = set(archive.namelist())
    if not {"xl/workbook.xml", "xl/_rels/workbook.xml.rels"} <= names:
        return None
    sheets = _SHEET.findall(archive.read("xl/workbook.xml"))
    wanted = re.search(rb'r:id="([^"]+)"', sheets[sheet]) if sheet < len(sheets) else None
    for relationship in _RELATIONSHIP.findall(archive.read("xl/_rels/workbook.xml.rels")):
        target = re.search(rb'\bTarget="([^"]+)"', relationship)
        if wanted and target and b'Id="' + wanted[1] + b'"' in relationship:
            name = posixpath.normpath(posixpath.join("/xl", target[1].decode())).lstrip("/")
            return name if name in names else None
    return None


def _column(letters: bytes) -> int:
    """Count columns: A is 0, Z is 25, AA is 26."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number - 1
