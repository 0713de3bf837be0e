"""What relations mean: kept by bases, merged of what sources say, null in bases of earlier versions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from asof.facts import RELATIONS, FactStore, Relation, write_base
from asof.facts.manifest import MANIFEST
from asof.facts.meanings import merged_relations
from asof.sources.table import Table

_ROWS = (
    "subject,relation,object,start,end\nAcme,manager,Ann,2001,2005\nAnn,married to,Bob,1999,\nAcme,owner,Eve,2001,\n"
)


class Described(Table):
    """A table with descriptions of its relations beside it."""

    said: tuple[dict[str, object], ...] = ()

    def relations(self) -> Iterable[pa.RecordBatch]:
        return [pa.RecordBatch.from_pylist(list(self.said), schema=RELATIONS)]


def _described(folder: Path, *said: dict[str, object]) -> Described:
    (folder / "rows.csv").write_text(_ROWS, encoding="utf-8")
    source = Described(str(folder / "rows.csv"))
    source.said = said
    return source


_MANAGER = {
    "id": "manager", "label": "manager", "aliases": ["boss"], "one_at_a_time": True, "symmetric": False,
    "inverse": "manages", "kind": "office", "for_life": False, "complete": True, "proposed": ["one_at_a_time"],
}  # fmt: skip


def test_a_base_keeps_what_a_relation_means_and_says_nothing_of_others(tmp_path: Path) -> None:
    write_base(tmp_path / "base", [_described(tmp_path, _MANAGER)])
    relations = FactStore(tmp_path / "base").relations
    assert relations["manager"] == Relation(
        id="manager", label="manager", aliases=("boss",), one_at_a_time=True, symmetric=False, inverse="manages",
        kind="office", for_life=False, complete=True, proposed=("one_at_a_time",),
    )  # fmt: skip
    assert relations["married to"] == Relation(id="married to", label="married to")


def test_a_base_written_twice_is_the_same_to_the_byte(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_base(tmp_path / name, [_described(tmp_path, _MANAGER)], name="base")
    one, two = ({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert one == two


def test_a_base_of_an_earlier_version_opens_with_nothing_said(tmp_path: Path) -> None:
    folder = tmp_path / "base"
    manifest, _ = write_base(folder, [_described(tmp_path, _MANAGER)])
    [part] = manifest.tables["relations"]
    old = pq.read_table(folder / part.path).select(["id", "label", "aliases", "one_at_a_time"])
    pq.write_table(old, folder / part.path)
    content = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    content["format"] = 2
    content["tables"]["relations"][0]["bytes"] = (folder / part.path).stat().st_size
    (folder / MANIFEST).write_text(json.dumps(content), encoding="utf-8")
    store = FactStore(folder)
    assert store.relations["manager"] == Relation(id="manager", label="manager", aliases=("boss",), one_at_a_time=True)
    assert store.sql("SELECT * FROM relations").schema.names == RELATIONS.names


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ({"one_at_a_time": True}, {"one_at_a_time": False}, {"one_at_a_time": True}),
        ({"symmetric": False}, {"symmetric": True, "kind": "office"}, {"symmetric": False, "kind": "office"}),
        (
            {"one_at_a_time": True, "kind": "place", "proposed": ["one_at_a_time"]},
            {"one_at_a_time": False},
            {"one_at_a_time": False, "kind": "place"},
        ),
        ({"symmetric": True}, {"symmetric": False, "proposed": ["symmetric"]}, {"symmetric": True}),
        (
            {"kind": "office"},
            {"symmetric": False, "proposed": ["symmetric"]},
            {"kind": "office", "symmetric": False, "proposed": ["symmetric"]},
        ),
        ({"label": "r"}, {"label": "boss of", "aliases": ["runs"]}, {"label": "boss of", "aliases": ["runs"]}),
        ({"label": "boss"}, {"label": "boss of", "aliases": ["boss"]}, {"label": "boss", "aliases": ["boss of"]}),
    ],
)  # fmt: skip
def test_the_first_source_counts_and_the_next_fills_but_knowing_goes_before_proposing(
    first: dict[str, object], second: dict[str, object], merged: dict[str, object]
) -> None:
    rows = [{"id": "r", "label": "r", "aliases": []} | row for row in (first, second)]
    batches = [pa.RecordBatch.from_pylist([row], schema=RELATIONS) for row in rows]
    [found] = merged_relations(batches).to_pylist()
    empty = dict.fromkeys(RELATIONS.names) | {"id": "r", "label": "r", "aliases": []}
    assert found == empty | merged
