"""Rows by key, read again and again from more row groups than are kept."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from asof.facts.manifest import Part
from asof.facts.sorted_table import SortedTable


def test_rows_are_the_same_however_often_they_are_read(tmp_path: Path) -> None:
    keys = [f"k{number:03}" for number in range(100)]
    table = pa.table({"key": pa.array(keys), "value": pa.array(range(100))})
    pq.write_table(table, tmp_path / "part.parquet", row_group_size=2)  # 50 groups
    part = Part(path="part.parquet", rows=100, bytes=0, sha256="", first_key=keys[0], last_key=keys[-1])
    stored = SortedTable(tmp_path, [part], "key")
    for _ in range(3):
        for number, key in enumerate(keys):
            assert stored.rows([key]).to_pylist() == [{"key": key, "value": number}]
            assert stored.rows([key], ["key"]).to_pylist() == [{"key": key}]
    assert stored.rows(["k007", "k093", "nothing"])["value"].to_pylist() == [7, 93]
