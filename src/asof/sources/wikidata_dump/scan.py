"""Lines of a dump, looked through without being parsed; only lines with dated statements are decoded.

Of those, only the lists of statements with dates are (``dated_lists``). That holds as long as the JSON is compact and
in the usual order: the first lines of each stretch are decoded as a whole as well and compared, and if they tell
otherwise, every line is decoded.
"""

from collections import Counter
from collections.abc import Iterator

import msgspec

from asof.sources.wikidata_dump.dated_lists import next_date
from asof.sources.wikidata_dump.entities import MOST_DIGITS, EntityReader, Kind, kind_of
from asof.sources.wikidata_dump.items import ItemCutter, ItemRows
from asof.sources.wikidata_dump.statements import FactRows, StatementReader
from asof.sources.wikidata_dump.wanted import Wanted
from asof.timeline import parse_date

_ITEM = b'{"type":"item","id":"Q'
_MODIFIED = b'"modified":"'
_DAY_BEGINS, _DAY_ENDS = len(_MODIFIED), len(_MODIFIED) + len("2026-09-27")
_TAIL = 40  # bytes in which ',"modified":"2026-09-27T10:11:12Z"}' must stand
_COMMA, _CLOSING = b",}"
_COMPARED_LINES = 20
_SHOWN_BYTES = 2_000  # of a line that could not be read


class Scanner:
    """Looks through blocks of lines and collects what is in them.

    Args:
        careful: Decode every line. Otherwise the first lines decide.
    """

    def __init__(self, wanted: Wanted, *, careful: bool = False) -> None:
        self.careful = careful
        self.facts = FactRows()
        self.items = ItemRows()
        self.counts: Counter[str] = Counter()
        self.relations: dict[str, dict[str, object]] = {}
        self.rejects: list[dict[str, object]] = []
        self.line = 0
        self.newest = b""  # the latest day on which an entity was modified
        self.brackets: set[str] = set()  # of the list that a dump is
        self._wanted = wanted
        self._statements = StatementReader(wanted, self.counts, self.reject)
        self._cutter = ItemCutter(wanted)
        self._entities = EntityReader(wanted)
        self._to_compare = _COMPARED_LINES
        self._lines_have_tails = True

    def scan(self, block: bytes) -> None:
        """Look through whole lines."""
        if self._to_compare and not self.careful:
            self._compare(block)
        items = len(self.items.id)
        for begin, stop, date in _lines_in(block):
            self.line += 1
            if self.careful or not self._take_quickly(block, begin, stop, date):
                self._take(block[begin:stop].strip())
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
        """Take an item without decoding more of it than its facts; return False if it does not look as usual."""
        if not block.startswith(_ITEM, begin) or block[stop - 1] != _CLOSING:
            return False
        tail = block.find(_MODIFIED, stop - _TAIL, stop)
        if tail < 0 and self._lines_have_tails:
            return False
        entity = None
        if date >= 0:
            try:
                entity = self._statements.decode_dated(block, begin, stop, date)
            except msgspec.DecodeError:
                return False
        end = block.find(b'"', begin + len(_ITEM))
        number = block[begin + len(_ITEM) : end]
        if not (number.isdigit() and len(number) <= MOST_DIGITS):
            return False
        if not self._cutter.cut(block, int(number), end, stop, self.items):
            return False
        if entity:
            self._statements.take(entity, f"Q{number.decode()}", self.line, self.facts)
        if tail >= 0 and (day := block[tail + _DAY_BEGINS : tail + _DAY_ENDS]) > self.newest:
            self._see_day(day)
        return True

    def _take(self, raw: bytes) -> None:
        """Take any line, decoded as a whole."""
        kind = kind_of(raw)
        if kind is Kind.BRACKET:
            self.brackets |= {raw.decode()} - {""}
            return
        if kind in (Kind.LEXEME, Kind.REDIRECT):
            self.counts[kind.value] += 1
            return
        try:
            entity = self._entities.decode(raw)
            facts = self._statements.decode(raw) if entity.is_item else None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self.counts["broken"] += 1
            self.reject(f"the line is broken or cut: {error}", raw)
            return
        self._see_day(entity.modified[: _DAY_ENDS - _DAY_BEGINS].encode())
        if entity.is_item and facts:
            self._entities.add(entity, self.items)
            self._statements.take(facts, entity.id, self.line, self.facts)
        elif entity.type == "property":
            self.counts["properties"] += 1
            self.relations[entity.id] = self._entities.names(entity)
        else:
            self.counts["other entities"] += 1

    def _see_day(self, day: bytes) -> None:
        """Remember a later day, if it is one: a spoiled line may say anything."""
        if day > self.newest:
            try:
                parse_date(day.decode())
            except ValueError:
                return
            self.newest = day

    def _compare(self, block: bytes) -> None:
        """Compare the quick way with the careful one on lines of the first blocks, and be careful if they differ."""
        reader = StatementReader(self._wanted, Counter(), lambda reason, raw: None)
        for begin, stop, date in _lines_in(block):
            raw = block[begin:stop]
            try:
                entity = self._entities.decode(raw)
                if not entity.is_item:
                    continue
                seen = _facts(reader, block, begin, stop, date) == _facts(reader, raw, 0, len(raw), None)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            quick, decoded = ItemRows(), ItemRows()
            self._entities.add(entity, decoded)
            usual = raw.startswith(_ITEM) and self._cutter.cut(block, int(entity.id[1:]), begin, stop, quick)
            if not (seen and usual and quick.texts() == decoded.texts()):
                self.careful = True
                return
            self._lines_have_tails &= raw.find(_MODIFIED, len(raw) - _TAIL) >= 0
            self._to_compare -= 1
            if not self._to_compare:
                return


def _facts(reader: StatementReader, block: bytes, begin: int, stop: int, date: int | None) -> dict[str, list[object]]:
    """Return the facts of a line; without a place for its first date, it is decoded as a whole."""
    rows = FactRows()
    if date is None:
        reader.take(reader.decode(block[begin:stop]), "", 0, rows)
    elif date >= 0:
        reader.take(reader.decode_dated(block, begin, stop, date), "", 0, rows)
    return vars(rows)


def _lines_in(block: bytes) -> Iterator[tuple[int, int, int]]:
    """Walk over lines: where each begins and stops, without its comma, and where a date qualifies something, or -1."""
    size, begin, hit = len(block), 0, next_date(block, 0, len(block))
    while begin < size:
        end = block.find(b"\n", begin)
        if end < 0:
            end = size
        dated = -1
        if 0 <= hit < end:
            dated, hit = hit, next_date(block, end, size)
        yield begin, end - 1 if end > begin and block[end - 1] == _COMMA else end, dated
        begin = end + 1
