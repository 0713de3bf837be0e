"""The daily adds-changes dumps of Wikidata: MediaWiki's XML export of pages, with the JSON of an entity as their text.

Each page has the revisions of that day; any order and any number of them will do. A revision whose text is hidden or
not there says nothing, so the base keeps what it has.
"""

from __future__ import annotations

import bz2
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from isal import igzip

from asof.errors import UserError
from asof.sources.changes.documents import BROKEN, REDIRECT, EntityDocument

_ENDINGS = (".xml", ".xml.gz", ".xml.bz2")
_TITLE = re.compile(r"(?:(?:Item|Property|Lexeme):)?([QPL][0-9]+)")
_REDIRECT = re.compile(r'\s*\{\s*"entity"\s*:\s*"([QPL][0-9]+)"\s*,\s*"redirect"\s*:\s*"([QPL][0-9]+)"')


def is_page_export(path: Path) -> bool:
    """Tell whether a file has the name of such a dump."""
    return path.is_file() and path.name.lower().endswith(_ENDINGS)


def read_pages(path: Path, counts: Counter[str], *, accept_cut: bool = False) -> Iterator[EntityDocument]:
    """Read the revisions of entities in a dump.

    Args:
        accept_cut: Take what there is of a dump that ends too early.
    """
    pages = 0
    try:
        with _open(path) as file:
            # The parser knows no entities but XML's own, and nothing is fetched.
            for _, element in ElementTree.iterparse(file, events=("end",)):  # noqa: S314
                if _name(element) == "page":
                    pages += 1
                    yield from _documents(element, path.name, counts)
                    element.clear()
    except (ElementTree.ParseError, EOFError, OSError, ValueError, zlib.error) as error:
        if not accept_cut:
            raise UserError(
                f"{path} is cut or broken after {pages:,} pages ({error}), so nothing was taken from it. Get the file "
                "again, or take what could be read with --accept-cut."
            ) from error
        counts["cut files"] += 1


def _documents(page: Any, file: str, counts: Counter[str]) -> Iterator[EntityDocument]:
    title = _TITLE.fullmatch(_text(page, "title"))
    if title is None:
        counts["other pages"] += 1
        return
    for revision in (one for one in page if _name(one) == "revision"):
        yield _document(title[1], revision, file)


def _document(id: str, revision: Any, file: str) -> EntityDocument:
    number, modified, text = (_text(revision, name) for name in ("id", "timestamp", "text"))
    said: dict[str, Any] = {"id": id, "modified": modified, "where": f"{file}, revision {number or '?'} of {id}"}
    if not number.isdecimal():
        return EntityDocument(state=BROKEN, reason="its revision has no number", **said)
    said["revision"] = int(number)
    if not text.strip():
        return EntityDocument(state=BROKEN, reason="its text is hidden or not there", **said)
    if moved := _REDIRECT.match(text):
        return EntityDocument(state=REDIRECT, target=moved[2], **said)
    return EntityDocument(raw=text.replace("\n", " ").encode(), **said)


def _text(element: Any, name: str) -> str:
    return next((one.text or "" for one in element if _name(one) == name), "")


def _name(element: Any) -> str:
    """Return the name of an element without its namespace, which has the version of the format in it."""
    return str(element.tag).rpartition("}")[2]


def _open(path: Path) -> Any:
    if path.name.lower().endswith(".gz"):
        return igzip.open(path, "rb")  # type: ignore[no-untyped-call]
    return bz2.open(path, "rb") if path.name.lower().endswith(".bz2") else path.open("rb")
