"""Files of entity JSON, as Special:EntityData/Q42.json or the API's wbgetentities give it: one or many entities each.

Also a plain entity, or a list of them with one on each line. Files may be compressed (.gz, .bz2).
"""

from __future__ import annotations

import bz2
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from isal import igzip

from asof.errors import UserError
from asof.sources.changes.documents import BROKEN, DELETED, REDIRECT, EntityDocument

_ENDINGS = (".json", ".jsonl", ".json.gz", ".json.bz2", ".jsonl.gz", ".jsonl.bz2")
_LOOKED_AT = 2_000
_BEGINS = re.compile(
    rb'(?s)\{\s*(?:(?:"success"\s*:\s*1\s*,\s*)?"entities"\s*:|"entity"\s*:\s*"[QPL][0-9]'
    rb'|(?:[^{}\[\]]*,)?\s*"(?:type"\s*:\s*"(?:item|property|lexeme)"|id"\s*:\s*"[QPL][0-9]+"))'
)
_ID = re.compile(r"[QPL][0-9]+")
_ASKED_FOR = re.compile(r"([QPL][0-9]+)\.jsonl?(?:\.gz|\.bz2)?")


class _Head(msgspec.Struct):
    """What tells one entity from another."""

    id: str = ""
    lastrevid: int = 0
    modified: str = ""
    missing: Any = msgspec.UNSET
    redirect: str = ""
    entity: str = ""


class _Envelope(msgspec.Struct):
    entities: dict[str, msgspec.Raw]


_head = msgspec.json.Decoder(_Head)
_envelope = msgspec.json.Decoder(_Envelope)


def holds_entities(path: Path) -> bool:
    """Tell whether a file is entity JSON and not a dump of everything, or a folder holds such files."""
    if path.is_dir():
        return next(iter(entity_files(path, quietly=True)), None) is not None
    if not path.is_file() or not path.name.lower().endswith(_ENDINGS):
        return False
    try:
        with _open(path) as file:
            head: bytes = file.read(_LOOKED_AT)
    except (OSError, EOFError):
        return False
    return _BEGINS.match(head.removeprefix(b"\xef\xbb\xbf").lstrip()) is not None


def entity_files(path: Path, *, quietly: bool = False) -> Iterator[Path]:
    """Walk over a file, or over the files of a folder that hold entities."""
    if not path.is_dir():
        yield path
        return
    found = False
    for file in sorted(path.rglob("*")):
        if file.is_file() and holds_entities(file):
            found = True
            yield file
    if not found and not quietly:
        raise UserError(f"{path} holds no file of entity JSON, such as Special:EntityData/Q42.json gives it.")


def read_entities(path: Path) -> Iterator[EntityDocument]:
    """Read the documents of a file; what cannot be read is a broken document, so that the base keeps what it has.

    A file with an entity on each line is read line by line, however large it is.
    """
    asked = _id_in(path)
    try:
        with _open(path) as file:
            first: bytes = file.readline().removeprefix(b"\xef\xbb\xbf")
            if _is_whole_line(first):
                yield from _documents_on_lines(chain([first], file), path.name, asked)
                return
            raw = (first + file.read()).strip()
    except (OSError, EOFError, zlib.error) as error:
        yield _broken(path.name, asked, str(error) or "it is cut", b"")
        return
    yield from documents_in(raw, asked=asked, where=path.name)


def _documents_on_lines(lines: Iterable[bytes], where: str, asked: str) -> Iterator[EntityDocument]:
    for number, line in enumerate(lines, 1):
        text = line.strip().removesuffix(b",")
        if text and text not in (b"[", b"]"):
            yield from documents_in(text, asked=asked if number == 1 else "", where=f"{where}, line {number}")


def documents_in(raw: bytes, *, asked: str = "", where: str = "") -> Iterator[EntityDocument]:
    """Read the entities of one answer or file.

    Args:
        asked: The entity that was asked for: where another one comes in its place, it is a redirect.
    """
    if b'"entities"' not in raw[:_LOOKED_AT]:
        yield _document(raw, where, asked)
        return
    try:
        given = _envelope.decode(raw).entities
    except msgspec.ValidationError:
        yield _document(raw, where, asked)
        return
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        yield _broken(where, asked, f"it is not JSON, or cut: {error}", raw)
        return
    found = [_document(bytes(text), where, id) for id, text in given.items()]
    yield from found
    if asked and len(found) == 1 and found[0].id != asked and _ID.fullmatch(found[0].id):
        yield EntityDocument(id=asked, state=REDIRECT, target=found[0].id, where=where)


def _document(raw: bytes, where: str, key: str) -> EntityDocument:
    try:
        head = _head.decode(raw)
        if head.redirect and head.entity:
            return EntityDocument(id=head.entity, state=REDIRECT, target=head.redirect, where=where)
        if head.missing is not msgspec.UNSET:
            return EntityDocument(id=head.id or key, state=DELETED, is_now=True, where=where)
        if not _ID.fullmatch(head.id):
            return _broken(where, key, f"it has no id of an entity, but {head.id!r}", raw)
        line = msgspec.json.format(raw, indent=-1) if b"\n" in raw else raw
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _broken(where, key, f"it is not an entity: {error}", raw)
    return EntityDocument(id=head.id, raw=line, revision=head.lastrevid, modified=head.modified, where=where)


def _broken(where: str, id: str, reason: str, raw: bytes) -> EntityDocument:
    return EntityDocument(id=id, state=BROKEN, raw=raw, where=where, reason=reason)


def _is_whole_line(first: bytes) -> bool:
    """Tell whether the first line of a file is an entity, and not the beginning of a longer text."""
    text = first.strip().removesuffix(b",")
    try:
        return text == b"[" or isinstance(json.loads(text), dict)
    except (ValueError, UnicodeDecodeError):
        return False


def _id_in(path: Path) -> str:
    named = _ASKED_FOR.fullmatch(path.name)
    return named[1] if named else ""


def _open(path: Path) -> Any:
    if path.name.lower().endswith(".gz"):
        return igzip.open(path, "rb")  # type: ignore[no-untyped-call]
    return bz2.open(path, "rb") if path.name.lower().endswith(".bz2") else path.open("rb")
