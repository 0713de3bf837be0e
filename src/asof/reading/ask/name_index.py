"""Lists that make asking quick on a large base: all names in order, the subjects of an object, labels by id.

They are made once for each base, kept in the cache under its hash, and mapped into memory: a look-up is a binary
search that touches a few pages, however many names there are. No name is ever scanned.
"""

from __future__ import annotations

import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

import pyarrow as pa

from asof.cache import cache_folder
from asof.facts import FactStore
from asof.reading.ask.spoken import SPOKEN, spoken

_REMEMBERED = 4096  # names and things: the readings of a question look up the same ones many times
_VERSION = 4  # of the files; a new form gets a new number

# Besides the names themselves: without a leading "the", and a football club without its "FC".
_NAMES = f"""
    WITH said AS (SELECT {SPOKEN.format("name")} AS name, entity, is_label FROM names)
    SELECT name, entity, bool_or(is_label) AS is_label FROM (
        FROM said
        UNION ALL SELECT substr(name, 5) AS name, entity, is_label FROM said WHERE name LIKE 'the %'
        UNION ALL SELECT regexp_replace(name, '^a?fc | (a?fc|cf)$', ''), entity, false FROM said
            WHERE regexp_matches(name, '^a?fc | (a?fc|cf)$')
    ) WHERE name <> '' GROUP BY name, entity ORDER BY name, entity
"""
_BARE = r"regexp_replace(n.name, ' *\([^()]*\)$', '')"  # "George Clinton (vice president)" is called Clinton
# The last words of the names of people: "Alonso", "van Gogh".
_LAST_NAMES = f"""
    WITH said AS (
        SELECT string_split({SPOKEN.format(_BARE)}, ' ') AS words, n.entity FROM names n
        JOIN entities e ON e.id = n.entity WHERE e.kind = 'human' OR e.kind IS NULL
    ), endings AS (SELECT words, entity, unnest(range(2, len(words) + 1)) AS start FROM said)
    SELECT DISTINCT array_to_string(words[start:], ' ') AS name, entity FROM endings ORDER BY name, entity
"""
# The last word of a name of which nobody has said what it names, where a base has no kinds: "Lee" for "Ann Lee".
_LAST_WORDS = f"""
    WITH said AS (
        SELECT string_split({SPOKEN.format(_BARE)}, ' ') AS words, n.entity FROM names n
        JOIN entities e ON e.id = n.entity WHERE e.kind IS NULL
    ) SELECT DISTINCT words[-1] AS name, entity FROM said WHERE len(words) > 1 ORDER BY name, entity
"""
_SUBJECTS = "SELECT DISTINCT object AS name, relation, subject FROM facts ORDER BY name, relation, subject"


_THINGS = "SELECT id AS name, label, kind, description FROM entities ORDER BY name"


class Thing(NamedTuple):
    """What is said of an entity in an answer."""

    label: str
    kind: str | None
    description: str | None


class SpokenWord(Protocol):
    """A word of a question, in the forms in which it may stand in a name."""

    @property
    def forms(self) -> tuple[str, ...]:
        """The ways to write it."""
        ...


class SortedStrings:
    """A column of sorted texts in memory-mapped Arrow buffers, read without making Python objects of all of them."""

    def __init__(self, column: pa.Array) -> None:
        _, offsets, data = column.buffers()
        self._offsets = memoryview(offsets).cast("q")[column.offset : column.offset + len(column) + 1]  # 64-bit
        self._data = memoryview(data) if data is not None else memoryview(b"")

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, position: int) -> bytes:
        return bytes(self._data[self._offsets[position] : self._offsets[position + 1]])

    def first_at_or_after(self, text: bytes, start: int = 0) -> int:
        """Return the first place whose text is not less than this one."""
        return bisect_left(self, text, start)

    def positions(self, text: bytes) -> range:
        """Return the places of a text."""
        return range(self.first_at_or_after(text), self.first_at_or_after(text + b"\x00"))


class NameIndex:
    """The names and the objects of a base."""

    def __init__(self, store: FactStore) -> None:
        self._store = store
        folder = cache_folder() / "ask"
        self._names = mapped(store, folder, "names", _NAMES)
        self._pairs = mapped(store, folder, "objects", _SUBJECTS)
        self._things = mapped(store, folder, "things", _THINGS)
        self._last_names = mapped(store, folder, "last_names", _LAST_NAMES)

    @cached_property
    def _sorted_names(self) -> SortedStrings:
        return SortedStrings(self._names["name"].chunk(0))

    @cached_property
    def _sorted_last_names(self) -> SortedStrings:
        return SortedStrings(self._last_names["name"].chunk(0))

    @cached_property
    def _sorted_objects(self) -> SortedStrings:
        return SortedStrings(self._pairs["name"].chunk(0))

    @cached_property
    def _sorted_things(self) -> SortedStrings:
        return SortedStrings(self._things["name"].chunk(0))

    @cached_property
    def has_kinds(self) -> bool:
        """Whether the base says of any thing what kind of thing it is."""
        return bool(self._things["kind"].null_count < len(self._things))

    def things(self, ids: Iterable[str]) -> dict[str, Thing]:
        """Return label, kind and description of entities by id."""
        return {id: thing for id in ids if (thing := self._remembered_thing(id))}

    @cached_property
    def _remembered_thing(self) -> Callable[[str], Thing | None]:
        return lru_cache(_REMEMBERED)(self._thing)

    def _thing(self, id: str) -> Thing | None:
        positions = self._sorted_things.positions(id.encode())
        columns = ("label", "kind", "description")
        return Thing(*(self._things[column][positions[-1]].as_py() for column in columns)) if positions else None

    def entities(self, name: str) -> dict[str, bool]:
        """Return the entities that a (spoken) name means, and whether it is their label."""
        return self._remembered_entities(name)

    @cached_property
    def _remembered_entities(self) -> Callable[[str], dict[str, bool]]:
        return lru_cache(_REMEMBERED)(self._entities)

    def _entities(self, name: str) -> dict[str, bool]:
        positions = self._sorted_names.positions(name.encode())
        rows = self._names.slice(positions.start, len(positions))
        return dict(zip(rows["entity"].to_pylist(), rows["is_label"].to_pylist(), strict=True))

    def called_from(self, beginning: str) -> dict[str, bool]:
        """Return the entities with a (spoken) name that begins so."""
        names = self._sorted_names
        first = names.first_at_or_after(beginning.encode())
        last = names.first_at_or_after(beginning.encode() + b"\xff")
        rows = self._names.slice(first, last - first)
        return dict(zip(rows["entity"].to_pylist(), rows["is_label"].to_pylist(), strict=True))

    def people(self, last_name: str) -> dict[str, bool]:
        """Return the people whose (spoken) name ends in these words."""
        positions = self._sorted_last_names.positions(last_name.encode())
        rows = self._last_names.slice(positions.start, len(positions))
        return dict.fromkeys(rows["entity"].to_pylist(), False)

    def without_middle_names(self, said: str) -> dict[str, bool]:
        """Return the people who have the first and the last of these two (spoken) names, and others between them."""
        first, _, last = said.partition(" ")
        if not last or " " in last:
            return {}
        things = self.things(self.people(last))
        return {id: False for id, thing in things.items() if spoken(thing.label).startswith(first + " ")}

    def ending(self, last_word: str) -> dict[str, bool]:
        """Return what has a (spoken) name that ends in this word, and no kind."""
        positions = self._sorted_last_words.positions(last_word.encode())
        return dict.fromkeys(self._last_words.slice(positions.start, len(positions))["entity"].to_pylist(), False)

    @cached_property
    def _last_words(self) -> pa.Table:
        return mapped(self._store, cache_folder() / "ask", "last_words", _LAST_WORDS)

    @cached_property
    def _sorted_last_words(self) -> SortedStrings:
        return SortedStrings(self._last_words["name"].chunk(0))

    def pairs(self, object: str) -> list[tuple[str, str]]:
        """Return relation and subject of the facts that an object has part in."""
        positions = self._sorted_objects.positions(object.encode())
        rows = self._pairs.slice(positions.start, len(positions))
        return list(zip(rows["relation"].to_pylist(), rows["subject"].to_pylist(), strict=True))

    def tells_numbers(self, relation: str) -> bool:
        """Tell whether the objects of a relation are numbers: "seats in parliament"."""
        query = """
            SELECT bool_and(regexp_matches(e.label, '^[0-9][0-9., ]*$')) AS numbers
            FROM (SELECT object FROM facts WHERE relation = $relation LIMIT 100) f JOIN entities e ON e.id = f.object
        """
        return bool(self._store.sql(query, {"relation": relation})["numbers"][0].as_py())

    def names_from(self, words: Sequence[SpokenWord]) -> Iterator[tuple[int, str]]:
        """Walk over the names that a row of words begins with: how many words they take, and the name."""
        yield from self._longer(words, 0, "", 0)

    def _longer(self, words: Sequence[SpokenWord], taken: int, said: str, start: int) -> Iterator[tuple[int, str]]:
        if taken == len(words):
            return
        names = self._sorted_names
        for form in words[taken].forms:
            name = f"{said} {form}" if said else form
            key = name.encode()
            position = names.first_at_or_after(key, start)
            if position < len(names) and names[position] == key:
                yield taken + 1, name
            onward = names.first_at_or_after(key + b" ", position)
            if onward < len(names) and names[onward].startswith(key + b" "):
                yield from self._longer(words, taken + 1, name, onward)


def mapped(store: FactStore, folder: Path, kind: str, query: str) -> pa.Table:
    """Open a list, after making it where it is not there yet."""
    path = folder / f"{kind}-{_VERSION}-{store.manifest.hash[:16]}.arrow"
    if not path.is_file():
        _write(store, path, query)
    try:
        return pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    except (OSError, pa.ArrowInvalid):
        _write(store, path, query)  # cut or damaged: it can always be made again
        return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def _write(store: FactStore, path: Path, query: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    table = store.sql(query)
    position = table.schema.get_field_index("name")
    table = table.set_column(position, "name", table["name"].cast(pa.large_string()))
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        temporary = Path(file.name)
    try:
        with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            for batch in table.combine_chunks().to_batches() or [_empty(table.schema)]:
                writer.write_batch(batch)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _empty(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([], schema=schema)
