"""Names, descriptions and sitelinks of items: cut out of a line as they stand, decoded only where facts mention them.

A line has its parts in the order labels, descriptions, aliases, claims, sitelinks. A quote inside a string of JSON is
always escaped, so a key such as ``"aliases":`` stands in a line once, and the search for a label ends where the
descriptions begin. A line that has its parts in another order, or spaces between them, is told from one in which
something is not there, and has to be decoded.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec
from stringzilla import count as count_in
from stringzilla import find, rfind

from asof.sources.wikidata_dump.wanted import MiningSettings

_BACKSLASH = 92
_LABELS = b'","labels":'
_SITELINKS = b',"sitelinks":'


class CutItem(NamedTuple):
    """What a line says of an item; texts are bytes of JSON, several of them divided by newlines."""

    labels: bytes | None  # in the order of the languages
    description: bytes | None
    aliases: bytes | None  # one list for each language
    sitelinks: int
    title: bytes | None


@dataclass
class ItemRows:
    """Columns of items. An item that stands in a dump twice is told apart by its line and revision."""

    id: list[int] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    revision: list[int] = field(default_factory=list)
    labels: list[bytes | None] = field(default_factory=list)
    description: list[bytes | None] = field(default_factory=list)
    aliases: list[bytes | None] = field(default_factory=list)
    sitelinks: list[int] = field(default_factory=list)
    title: list[bytes | None] = field(default_factory=list)

    def add(self, id: int, line: int, revision: int, item: CutItem) -> None:
        """Add a row."""
        self.id.append(id)
        self.line.append(line)
        self.revision.append(revision)
        self.labels.append(item.labels)
        self.description.append(item.description)
        self.aliases.append(item.aliases)
        self.sitelinks.append(item.sitelinks)
        self.title.append(item.title)


class _UnusualError(Exception):
    """A line that is not written as usual, so that what is in it can be told only by decoding it."""


class _Key:
    """A key of a map in which texts are looked for.

    Args:
        name: The key.
        begins: How its value begins in the usual way of writing.
    """

    def __init__(self, name: str, begins: str) -> None:
        self._quoted = f'"{name}"'.encode()
        self._usual = f'"{name}":{begins}'.encode()

    def find(self, block: bytes, begin: int, stop: int) -> int:
        """Return the place behind the beginning of its value, -1 if it is not there."""
        offset: int = find(block, self._usual, begin, stop)
        if offset >= 0:
            return offset + len(self._usual)
        if find(block, self._quoted, begin, stop) >= 0:
            raise _UnusualError
        return -1


class ItemCutter:
    """Cuts the wanted texts out of lines that are written as usual."""

    def __init__(self, wanted: MiningSettings) -> None:
        self._names = [_text_in(language) for language in wanted.name_languages]
        self._descriptions = [_text_in(language) for language in wanted.languages]
        self._aliases = [(_Key(language, "["), _text(language)) for language in wanted.name_languages]
        self._one_language = len(wanted.languages) == 1
        wiki = wanted.titles_of
        self._title = [_Key(wiki, f'{{"site":"{wiki}","title":"')] if wiki else []

    def cut(self, block: bytes, begin: int, stop: int) -> CutItem | None:
        """Cut an item out of a line; None if the line is not written as usual.

        Args:
            begin: The quote that ends the id.
            stop: The end of the line.
        """
        if not block.startswith(_LABELS, begin):
            return None
        descriptions = find(block, b',"descriptions":', begin, stop)
        aliases = find(block, b',"aliases":', descriptions, stop)
        claims = find(block, b',"claims":', aliases, stop)
        if descriptions < 0 or aliases < 0 or claims < 0:
            return None
        sitelinks = rfind(block, _SITELINKS, claims, stop)
        if sitelinks < 0:
            return None
        try:
            return CutItem(
                (_first_text if self._one_language else _all_texts)(block, self._names, begin, descriptions),
                _first_text(block, self._descriptions, descriptions, aliases),
                # ,"aliases":{} or [] have 13 bytes
                _lists(block, self._aliases, aliases, claims) if claims - aliases > 13 else None,
                _sites(block, sitelinks, stop),
                _first_text(block, self._title, sitelinks, stop) if self._title else None,
            )
        except _UnusualError:
            return None


def _text(language: str) -> bytes:
    return f'{{"language":"{language}","value":"'.encode()


def _text_in(language: str) -> _Key:
    return _Key(language, _text(language).decode())


def _first_text(block: bytes, keys: list[_Key], begin: int, stop: int) -> bytes | None:
    """Cut out the string behind the first key that is there."""
    for key in keys:
        offset = key.find(block, begin, stop)
        if offset >= 0:
            end = block.find(b'"', offset, stop)
            if block[end - 1] == _BACKSLASH:
                end = _end_of_string(block, b'"', offset, stop)
            if end < 0:
                raise _UnusualError
            return block[offset:end]
    return None


def _all_texts(block: bytes, keys: list[_Key], begin: int, stop: int) -> bytes | None:
    """Cut out the strings behind all keys, an empty one where a key is not there; nothing where none is."""
    found = [_first_text(block, [key], begin, stop) or b"" for key in keys]
    return b"\n".join(found) if any(found) else None


def _lists(block: bytes, keys: list[tuple[_Key, bytes]], begin: int, stop: int) -> bytes | None:
    """Cut out the lists behind all keys that are there."""
    found = []
    for key, text in keys:
        offset = key.find(block, begin, stop)
        if offset >= 0:
            end = block.find(b'"}]', offset, stop)
            if block[end - 1] == _BACKSLASH:
                end = _end_of_string(block, b'"}]', offset, stop)
            raw = block[offset - 1 : end + 3]
            if end < 0 or count_in(raw, b'"language"') != count_in(raw, text):
                raise _UnusualError  # it goes on into another language
            found.append(raw)
    return b"\n".join(found) if found else None


def _sites(block: bytes, begin: int, stop: int) -> int:
    """Count sitelinks."""
    sites: int = count_in(block, b'"site":"', begin, stop)
    if sites != count_in(block, b'"site"', begin, stop):
        raise _UnusualError
    if not sites and not block.startswith((b"{}", b"[]"), begin + len(_SITELINKS)):
        raise _UnusualError
    return sites


def _end_of_string(block: bytes, closing: bytes, begin: int, stop: int) -> int:
    """Return where a quote ends a string: one before which there is an even number of backslashes; -1 if none does."""
    end = block.find(closing, begin, stop)
    while end >= 0 and block[end - 1] == _BACKSLASH:
        before = end - 1
        while block[before - 1] == _BACKSLASH:
            before -= 1
        if (end - before) % 2 == 0:
            return end
        end = block.find(closing, end + 1, stop)
    return end


class _Text(msgspec.Struct):
    value: str


_decode_string = msgspec.json.Decoder(str).decode
_decode_texts = msgspec.json.Decoder(list[_Text]).decode


def text_of(raw: bytes) -> str:
    r"""Decode a string that was cut out of JSON, without its quotes; signs that are none become a question mark.

    >>> text_of(rb"caf\u00e9 \/"), text_of(rb"half a \ud83d")
    ('café /', 'half a ?')
    """
    try:
        return _decode_string(b'"' + raw + b'"') if b"\\" in raw else raw.decode()
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = raw.decode("utf-8", errors="replace")
    try:
        return _mended(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text


def _texts_of(raw: bytes) -> list[str]:
    """Decode a list of texts in the same way."""
    try:
        return [text.value for text in _decode_texts(raw)]
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        return [_mended(text["value"]) for text in json.loads(raw.decode("utf-8", errors="replace"), strict=False)]
    except (ValueError, KeyError, TypeError):
        return []


def _mended(text: str) -> str:
    return text.encode("utf-8", errors="replace").decode()


def label_of(labels: bytes | None) -> str | None:
    """Decode the first label that is there."""
    return text_of(labels.lstrip(b"\n").partition(b"\n")[0]) if labels is not None else None


def label_in(labels: bytes | None, index: int) -> str | None:
    """Decode the label in the language at a place of several; the last of them is for all languages."""
    texts = labels.split(b"\n") if labels else []
    raw = (texts[index] or texts[-1]) if index < len(texts) else b""
    return text_of(raw) if raw else None


def aliases_of(labels: bytes | None, aliases: bytes | None) -> list[str]:
    """Decode the other names of an item: labels in further languages and aliases, each name once."""
    if aliases is None and (labels is None or b"\n" not in labels):
        return []
    first, *names = [text_of(label) for label in labels.split(b"\n") if label] if labels else [""]
    for texts in aliases.split(b"\n") if aliases else ():
        names += _texts_of(texts)
    return [name for name in dict.fromkeys(names) if name != first]
