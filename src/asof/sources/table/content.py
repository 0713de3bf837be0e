"""What a file is, told by its first bytes: separated text, JSON lines, Parquet or a workbook; or no table at all."""

import codecs
import gzip
import re
import stat
import zipfile
from enum import Enum
from pathlib import Path
from typing import IO, cast

from asof.errors import UserError
from asof.sources._web_page import is_page, page_instead

ENDINGS = (".csv", ".tsv", ".tab", ".psv", ".txt", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".xlsm", ".xls", ".ods")
JSON_ENDINGS = (".jsonl", ".ndjson")
_SAMPLE = 4_096
_NEW_LINE = b"\n"
_JSON_LIST, _JSON_OBJECT = re.compile(rb"\[\s*\{\s*\""), re.compile(rb"\{\s*\"[^\"]*\"\s*:")
_GZIP, _ZIP, _OLD_WORKBOOK, _PARQUET = b"\x1f\x8b", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"PAR1"
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a\x1b"))  # what no text has


class Content(Enum):
    """The forms in which a table can be kept."""

    SEPARATED = "separated text"
    JSON_LINES = "JSON lines"
    PARQUET = "Parquet"
    WORKBOOK = "a workbook"


def content_of(path: Path) -> Content:
    """Tell what a file holds, or why it holds no table."""
    see_that_it_is_a_file(path)
    with opened(path) as file:
        head = file.read(_SAMPLE)
    if not head.strip():
        raise UserError(f"{path} is empty: it has not even a line that names the columns. Give a table with rows.")
    if is_page(head):
        raise UserError(page_instead(path))
    end = ending(str(path))
    if head.startswith(_PARQUET) or end == ".parquet":
        return Content.PARQUET
    if head.startswith(_ZIP):
        return _in_archive(path)
    if head.startswith(_OLD_WORKBOOK):
        return Content.WORKBOOK
    if end in (".xlsx", ".xlsm", ".xls", ".ods"):
        raise UserError(f"{path} is not a workbook, whatever its name says. If it is text, let its name end in .csv.")
    odd = () if _is_utf16(head) else [place for place, byte in enumerate(head) if byte in _CONTROL]
    if head.startswith(b"%PDF") or odd:
        where = f" (line {head.count(_NEW_LINE, 0, odd[0]) + 1}: {head[odd[0]]:#04x})" if odd else ""
        raise UserError(
            f"{path} is not text: it has bytes that no table has{where}. Give the table itself, saved as CSV, .xlsx or "
            "Parquet."
        )
    return Content.JSON_LINES if _is_json(path, head) or end in JSON_ENDINGS else Content.SEPARATED


def see_that_it_is_a_file(path: Path) -> None:
    """Refuse what is not there, a folder, and what can be read only once."""
    if not path.exists():
        raise UserError(f"{path} does not exist.")
    if path.is_dir():
        raise UserError(f"{path} is a folder. Give a table in it, as in {path / 'facts.csv'}.")
    if not stat.S_ISREG(path.stat().st_mode):
        raise UserError(
            f"{path} is a pipe or a device, and asof reads a table more than once. Write it to a file first: "
            f"cat {path} > facts.csv"
        )


def opened(path: Path) -> IO[bytes]:
    """Open a file, decompressed."""
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
    return cast(IO[bytes], gzip.open(path, "rb")) if packed or path.suffix == ".gz" else path.open("rb")


def ending(name: str) -> str:
    """Return the ending of a name, without that of the compression.

    >>> ending("Staff.CSV.gz")
    '.csv'
    """
    return Path(name.lower().removesuffix(".gz")).suffix


def _in_archive(path: Path) -> Content:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile as error:
        raise UserError(f"{path} is broken or cut: {error}. Get the file again.") from error
    if any(name.startswith("xl/") for name in names) or "content.xml" in names:
        return Content.WORKBOOK
    raise UserError(f"{path} is a zip archive ({', '.join(names[:3])}). Unpack it first: unzip {path}")


def _is_json(path: Path, head: bytes) -> bool:
    """Tell whether text is JSON lines, whatever its name says; a list of objects is refused."""
    plain = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if _JSON_LIST.match(plain):
        raise UserError(
            f"{path} is a JSON list, and asof reads one object a line. Write it so: jq -c '.[]' {path} > facts.jsonl"
        )
    return bool(_JSON_OBJECT.match(plain))


def _is_utf16(head: bytes) -> bool:
    """Tell whether every other byte is empty, as in the UTF-16 of western letters, or a mark says so."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    return max(head[0::2].count(0), head[1::2].count(0)) > len(head) // 4
