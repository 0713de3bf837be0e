"""What sources say of entities, brought together: as plain Python does it, in any memory, to the byte."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.errors import UserError
from asof.facts import ENTITIES, FactStore, Intake, merge, write_base

IDS = [f"Q{number}" for number in range(12)] + ["é", "z", "Z", "\U0001f30d", "\uffff"]  # order of UTF-8, not of UTF-16
Row = dict[str, Any]


class Given:
    """Facts and descriptions as somebody gives them."""

    name, known_by = "given", None

    def __init__(self, pairs: list[tuple[str, str]], described: list[Row], step: int = 5) -> None:
        self._pairs, self._described, self._step = pairs, described, step

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        """Give the pairs as subjects and objects, in small batches."""
        for first in range(0, len(self._pairs), self._step):
            subjects, objects = zip(*self._pairs[first : first + self._step], strict=True)
            size = len(subjects)
            times = pa.repeat("2001", size)
            yield intake.batch(
                file="f", lines=np.arange(size), subject=pa.array(subjects), relation=pa.repeat("r", size),
                object=pa.array(objects), start=times, end=times, source="f",
            )  # fmt: skip

    def entities(self) -> list[pa.RecordBatch]:
        """Give the descriptions."""
        return [pa.RecordBatch.from_pylist(self._described, schema=ENTITIES)]

    def relations(self) -> list[pa.RecordBatch]:
        """Give nothing."""
        return []


def expected(pairs: list[tuple[str, str]], described: list[Row]) -> dict[str, Row]:
    """Bring entities together in plain Python."""
    mentions = Counter(thing for pair in pairs for thing in pair)
    rated = any(row["popularity"] is not None for row in described)
    found: dict[str, Row] = {}
    for id in {*mentions, *(row["id"] for row in described)}:
        rows = [row for row in described if row["id"] == id]
        bare = {"id": id, "label": id, "aliases": [], "description": None, "kind": None, "popularity": None}
        best = max(rows, key=lambda row: (row["popularity"] or 0, len(row["aliases"]), row["label"]), default=bare)
        found[id] = best | ({} if rated else {"popularity": float(mentions[id])})
    return found


words = st.text("aAé ", min_size=1, max_size=3)
descriptions = st.fixed_dictionaries(
    {
        "id": st.sampled_from(IDS),
        "label": words,
        "aliases": st.lists(words, max_size=3),
        "description": st.none() | st.just("something"),
        "kind": st.none(),
        "popularity": st.none() | st.sampled_from([0.0, 1.0, 2.5]),
    }
)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(IDS)), min_size=1, max_size=30),
    st.lists(descriptions, max_size=20, unique_by=lambda row: (row["id"], row["label"])),
    st.integers(1, 9),
)
def test_entities_and_names_are_those_of_plain_python(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], described: list[Row], step: int
) -> None:
    folder = tmp_path_factory.mktemp("merge")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merge, "_ROWS_PER_STEP", step)
        patch.setattr(merge, "_RANGE_IN_MEMORIES", 1e-5 / step)  # some ranges, be there ever so few rows
        write_base(folder, [Given(pairs, described, step)])
    store, wanted = FactStore(folder), expected(pairs, described)
    found = store.sql("SELECT * FROM entities").to_pylist()
    assert [row["id"] for row in found] == sorted(wanted)
    assert {row["id"]: row for row in found} == wanted
    folded = "SELECT strip_accents(lower(name)) AS name FROM things"
    names: dict[tuple[str, str], bool] = {}
    for id, row in wanted.items():
        texts = [row["label"], *row["aliases"]]
        table = store.sql(folded, tables={"things": pa.table({"name": texts})})["name"].to_pylist()
        for number, name in enumerate(table):
            names[name, id] = names.get((name, id), False) or number == 0
    rows = store.sql("SELECT * FROM names").to_pylist()
    assert {(row["name"], row["entity"]): row["is_label"] for row in rows} == names
    assert len(rows) == len(names)


def test_a_base_is_the_same_to_the_byte_in_any_memory_and_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(4)
    pairs = [(f"Q{random.randrange(20_000)}", f"Q{random.randrange(20_000)}") for _ in range(30_000)]
    described = [
        {"id": f"Q{number}", "label": f"thing {number % 99}", "aliases": [f"a{number}"] * (number % 3),
         "description": f"{number} {random.random()}", "popularity": float(number % 7)}
        for number in (random.randrange(30_000) for _ in range(60_000))
    ]  # fmt: skip
    monkeypatch.setattr(merge, "_RANGE_IN_MEMORIES", 0.05)
    content = []
    for name, memory, step in (("little", 30_000_000, 1_000), ("much", 2_000_000_000, 7_777)):
        write_base(tmp_path / name, [Given(pairs, described, step)], name="base", memory=memory)
        content.append({file.name: file.read_bytes() for file in (tmp_path / name).iterdir()})
        random.shuffle(pairs)
        random.shuffle(described)
    assert content[0] == content[1]


def test_too_little_memory_is_told_and_leaves_the_base(tmp_path: Path) -> None:
    write_base(tmp_path, [Given([("a", "b")], [])])
    pairs = [(f"s{number}", f"o{number}") for number in range(100_000)]
    with pytest.raises(UserError, match=r"too little memory for sorting\. The earlier base is unchanged"):
        write_base(tmp_path, [Given(pairs, [], step=50_000)], memory=1_000_000)
    assert [fact.object for fact in FactStore(tmp_path).facts()] == ["b"]


def test_mentions_are_counted_in_each_batch(tmp_path: Path) -> None:
    write_base(tmp_path, [Given([("a", "b"), ("a", "a"), ("b", "c")], [], step=2)])
    entities = pq.read_table(next(tmp_path.glob("entities-*.parquet")))
    assert dict(zip(entities["id"].to_pylist(), entities["popularity"].to_pylist(), strict=True)) == {
        "a": 3.0,
        "b": 2.0,
        "c": 1.0,
    }
