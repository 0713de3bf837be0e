"""Lines of a dump, looked through without being parsed; only lines with dated statements are decoded.

Of those, only the lists of statements with dates are (``dated_lists``). That holds for lines in the usual way of
writing: compact JSON, its parts in their order, no ASCII sign escaped. Every line is looked at for signs of another
way, and is decoded as a whole if it has one: no way of writing JSON loses anything, it only takes longer.
"""

import re
from collections import Counter
from collections.abc import Iterator

import msgspec
from stringzilla import find

from asof.sources.wikidata_dump.dated_lists import next_date
from asof.sources.wikidata_dump.entities import MOST_DIGITS, EntityReader, LineKind, kind_of
from asof.sources.wikidata_dump.items import ItemCutter, ItemRows
from asof.sources.wikidata_dump.statements import FactRows, StatementReader
from asof.sources.wikidata_dump.wanted import MiningSettings
from asof.timeline import parse_date

_ITEM = b'{"type":"item","id":"Q'
_TAIL = re.compile(rb'(?:"lastrevid":([0-9]{1,15}),)?"modified":"([^"]{10})[^"]*"\}$')
_TAIL_BYTES = 80  # in which ',"lastrevid":2407556842,"modified":"2026-09-27T10:11:12Z"}' must stand
_COMMA, _CLOSING = b",}"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# How JSON escapes hyphens, digits, letters from P to Z, and small letters: with these, a key may look like anything.
# A search through a whole block costs far less than one through the parts of each line.
_ESCAPED = (b"\\u002", b"\\u003", b"\\u005", b"\\u006", b"\\u007")
_SHOWN_BYTES = 2_000  # of a line that could not be read


class Scanner:
    """Looks through blocks of lines and collects what is in them."""

    def __init__(self, wanted: MiningSettings) -> None:
        self.facts = FactRows()
        self.items = ItemRows()
        self.counts: Counter[str] = Counter()
        self.relations: dict[str, dict[str, object]] = {}
        self.rejects: list[dict[str, object]] = []
        self.line = 0
        self.newest = b""  # the latest day on which an entity was modified
        self.brackets: set[str] = set()  # of the list that a dump is
        self._statements = StatementReader(wanted, self.counts, self.reject)
        self._cutter = ItemCutter(wanted)
        self._entities = EntityReader(wanted)

    def scan(self, block: bytes) -> None:
        """Look through whole lines."""
        plain = all(find(block, sign) < 0 for sign in _ESCAPED)
        items = len(self.items.id)
        for begin, stop, date in _lines_in(block):
            self.line += 1
            if not (plain and self._take_quickly(block, begin, stop, date)):
                self._take(block[begin:stop])
        self.counts["lines"] = self.line
        self.counts["items"] += len(self.items.id) - items

    def add_cut_line(self, raw: bytes) -> None:
        """Count a line whose rest could not be read."""
        self.line += 1
        self.counts["lines"] = self.line
        self.counts["broken"] += 1
        self.reject("the line is cut: what follows could not be read", raw)

    def reject(self, reason: str, raw: bytes) -> None:
        """Keep what could not be taken, with the number of its line."""
        shown = raw[:_SHOWN_BYTES].decode("utf-8", errors="backslashreplace")
        self.rejects.append({"line": self.line, "reason": reason, "row": shown})

    def _take_quickly(self, block: bytes, begin: int, stop: int, date: int) -> bool:
        """Take an item without decoding more of it than its facts; return False if it is not written as usual."""
        if not block.startswith(_ITEM, begin) or block[stop - 1] != _CLOSING:
            return False
        end = block.find(b'"', begin + len(_ITEM))
        number = block[begin + len(_ITEM) : end]
        if not (number.isdigit() and len(number) <= MOST_DIGITS):
            return False
        offset = block.find(b'"lastrevid":', stop - _TAIL_BYTES, stop)
        if offset < 0:
            offset = block.find(b'"modified":', stop - _TAIL_BYTES, stop)
        tail = _TAIL.match(block, offset, stop) if offset >= 0 else None
        revision, day = tail.groups() if tail else (None, None)
        if (revision is None or day is None) and _may_say_when(block, end, stop, said=tail is not None):
            return False
        item = self._cutter.cut(block, end, stop)
        if item is None:
            return False
        if date >= 0:
            try:
                entity = self._statements.decode_dated(block, begin, stop, date)
            except msgspec.DecodeError:
                return False
            self._statements.take(entity, f"Q{number.decode()}", self.line, self.facts)
        self.items.add(int(number), self.line, int(revision or 0), item)
        if day is not None and day > self.newest:
            self._see_day(day)
        return True

    def _take(self, raw: bytes) -> None:
        """Take any line, decoded as a whole."""
        raw = self._without_brackets(raw.strip().removeprefix(_BYTE_ORDER_MARK).strip())
        kind = kind_of(raw)
        if kind is LineKind.ENTITY:
            try:
                entity = self._entities.decode(raw)
                facts = self._statements.decode(raw) if entity.is_item else None
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                self.counts["broken"] += 1
                self.reject(f"the line is broken or cut: {error}", raw)
                return
            kind = entity.kind
        if kind is LineKind.BRACKET:
            return
        if kind is not LineKind.ENTITY:
            self.counts[kind.value] += 1
            return
        self._see_day(entity.modified[: len("2026-09-27")].encode())
        if facts:
            self.items.add(int(entity.id[1:]), self.line, entity.lastrevid, self._entities.item(entity))
            self._statements.take(facts, entity.id, self.line, self.facts)
        elif entity.type == "property":
            self.counts["properties"] += 1
            self.relations[entity.id] = self._entities.names(entity)
        else:
            self.counts["other entities"] += 1

    def _without_brackets(self, raw: bytes) -> bytes:
        """Remember the brackets of the list that a dump is; they may share a line with an entity."""
        if raw.startswith(b"["):
            self.brackets.add("[")
            raw = raw[1:].strip()
        if raw.endswith(b"]"):
            self.brackets.add("]")
            raw = raw[:-1].strip()
        return raw

    def _see_day(self, day: bytes) -> None:
        """Remember a later day, if it is one: a spoiled line may say anything."""
        if day > self.newest:
            try:
                parse_date(day.decode())
            except ValueError:
                return
            self.newest = day


def _may_say_when(block: bytes, begin: int, stop: int, *, said: bool) -> bool:
    """Tell whether a line may say elsewhere than in its tail which revision it is, or when it was modified.

    Args:
        said: Whether the tail says when it was modified.
    """
    keys = (b'"lastrevid"',) if said else (b'"lastrevid"', b'"modified"')
    return any(find(block, key, begin, stop) >= 0 for key in keys)


def _lines_in(block: bytes) -> Iterator[tuple[int, int, int]]:
    """Walk over lines: where each begins and stops, without comma, and where a date may qualify something, or -1."""
    size, begin, hit = len(block), 0, next_date(block, 0, len(block))
    while begin < size:
        end = block.find(b"\n", begin)
        if end < 0:
            end = size
        dated = -1
        if 0 <= hit < end:
            dated, hit = hit, next_date(block, end, size)
        stop = end - 1 if end > begin and block[end - 1] == _COMMA else end
        if stop > begin and block[stop - 1] != _CLOSING:  # a carriage return, a space, or no entity
            stop = begin + len(block[begin:end].rstrip().removesuffix(b",").rstrip())
        yield begin, stop, dated
        begin = end + 1
