"""Names, descriptions and sitelinks of items: cut out of a line as they stand, decoded only where facts mention them.

A line has its parts in the order labels, descriptions, aliases, claims, sitelinks. A quote inside a string of JSON is
always escaped, so a key such as ``"aliases":`` stands in a line once, and the search for a label ends where the
descriptions begin.
"""

import json
from dataclasses import dataclass, field

import msgspec
from stringzilla import count as count_in
from stringzilla import find, rfind

from asof.sources.wikidata_dump.wanted import Wanted

_BACKSLASH = 92


@dataclass
class ItemRows:
    """Columns of items; texts are bytes of JSON, several of them divided by newlines."""

    id: list[int] = field(default_factory=list)
    labels: list[bytes | None] = field(default_factory=list)  # in the order of the languages
    description: list[bytes | None] = field(default_factory=list)
    aliases: list[bytes | None] = field(default_factory=list)  # one list for each language
    sitelinks: list[int] = field(default_factory=list)
    title: list[bytes | None] = field(default_factory=list)

    def texts(self) -> list[object]:
        """Decode the columns, to compare them."""
        pairs = list(zip(self.labels, self.aliases, strict=True))
        named = [(label_of(labels), aliases_of(labels, aliases)) for labels, aliases in pairs]
        others = [raw if raw is None else text_of(raw) for raw in (*self.description, *self.title)]
        return [self.id, named, others, self.sitelinks]


class ItemCutter:
    """Cuts the wanted texts out of lines."""

    def __init__(self, wanted: Wanted) -> None:
        self._names = [_value_of(language) for language in wanted.name_languages]
        self._descriptions = [_value_of(language) for language in wanted.languages]
        self._aliases = [f'"{language}":['.encode() for language in wanted.name_languages]
        self._one_language = len(wanted.languages) == 1
        wiki = wanted.titles_of
        self._title = f'"{wiki}":{{"site":"{wiki}","title":"'.encode() if wiki else b""

    def cut(self, block: bytes, id: int, begin: int, stop: int, rows: ItemRows) -> bool:
        """Add the item whose line lies between two bytes of a block; return whether the parts are in their order."""
        descriptions = find(block, b'"descriptions":', begin, stop)
        aliases = find(block, b'"aliases":', descriptions, stop)
        claims = find(block, b'"claims":', aliases, stop)
        if descriptions < 0 or aliases < 0 or claims < 0:
            return False
        sitelinks = rfind(block, b'"sitelinks":', claims, stop)
        rows.id.append(id)
        one = self._one_language
        rows.labels.append((_first_text if one else _all_texts)(block, self._names, begin, descriptions))
        rows.description.append(_first_text(block, self._descriptions, descriptions, aliases))
        # "aliases":{} or [] and a comma have 13 bytes
        rows.aliases.append(_lists(block, self._aliases, aliases, claims) if claims - aliases > 13 else None)
        rows.sitelinks.append(count_in(block, b'"site":"', sitelinks, stop) if sitelinks >= 0 else 0)
        if self._title:
            rows.title.append(_first_text(block, [self._title], sitelinks, stop) if sitelinks >= 0 else None)
        return True


def _value_of(language: str) -> bytes:
    return f'"{language}":{{"language":"{language}","value":"'.encode()


def _first_text(block: bytes, names: list[bytes], begin: int, stop: int) -> bytes | None:
    """Cut out the string behind the first name that is there."""
    for name in names:
        place = find(block, name, begin, stop)
        if place >= 0:
            place += len(name)
            end = block.find(b'"', place, stop)
            if block[end - 1] == _BACKSLASH:
                end = _end_of_string(block, b'"', place, stop)
            return block[place:end] if end >= 0 else None
    return None


def _all_texts(block: bytes, names: list[bytes], begin: int, stop: int) -> bytes | None:
    """Cut out the strings behind all names, an empty one where a name is not there; nothing where none is."""
    found = [_first_text(block, [name], begin, stop) or b"" for name in names]
    return b"\n".join(found) if any(found) else None


def _lists(block: bytes, names: list[bytes], begin: int, stop: int) -> bytes | None:
    """Cut out the lists behind all names that are there."""
    found = []
    for name in names:
        place = find(block, name, begin, stop)
        if place >= 0:
            place += len(name) - 1
            end = block.find(b'"}]', place, stop)
            if block[end - 1] == _BACKSLASH:
                end = _end_of_string(block, b'"}]', place, stop)
            if end >= 0:
                found.append(block[place : end + 3])
    return b"\n".join(found) if found else None


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


def label_in(labels: bytes | None, place: int) -> str | None:
    """Decode the label in the language at a place of several; the last of them is for all languages."""
    texts = labels.split(b"\n") if labels else []
    raw = (texts[place] or texts[-1]) if place < len(texts) else b""
    return text_of(raw) if raw else None


def aliases_of(labels: bytes | None, aliases: bytes | None) -> list[str]:
    """Decode the other names of an item: labels in further languages and aliases, each name once."""
    if aliases is None and (labels is None or b"\n" not in labels):
        return []
    first, *names = [text_of(label) for label in labels.split(b"\n") if label] if labels else [""]
    for texts in aliases.split(b"\n") if aliases else ():
        names += _texts_of(texts)
    return [name for name in dict.fromkeys(names) if name != first]
