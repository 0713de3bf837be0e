"""Rows by key, read again and again from more row groups than are kept."""

import gc
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from asof.facts import sorted_table
from asof.facts.manifest import Part
from asof.facts.recently_used import RecentlyUsed
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


def tables_of(folder: Path, bases: int, files: int, bytes_each: int) -> list[SortedTable]:
    """Several bases of several files, each with one row group of about so many bytes."""
    made = []
    for base in range(bases):
        parts = []
        for file in range(files):
            key = f"k{file:03}"
            text = f"{base} {file} ".ljust(1_000, "x")
            table = pa.table({"key": [key] * (bytes_each // 1_000), "value": [text] * (bytes_each // 1_000)})
            pq.write_table(table, folder / f"{base}-{file}.parquet")
            parts.append(Part(f"{base}-{file}.parquet", table.num_rows, 0, "", key, key))
        made.append(SortedTable(folder, parts, "key"))
    return made


def test_all_bases_of_a_process_share_one_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups, files = RecentlyUsed(most=2_000_000), RecentlyUsed(most=4)
    monkeypatch.setattr(sorted_table, "_GROUPS", groups)
    monkeypatch.setattr(sorted_table, "_FILES", files)
    bases = tables_of(tmp_path, bases=3, files=20, bytes_each=200_000)
    before, open_files = pa.total_allocated_bytes(), len(list(Path("/proc/self/fd").iterdir()))

    def look_up(number: int) -> None:
        base, file = number % 3, number * 7 % 20
        row, *others = bases[base].rows([f"k{file:03}"])["value"].to_pylist()
        assert row.startswith(f"{base} {file} ") and set(others) == {row}

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(look_up, range(300)))
    assert 1_000_000 < groups.weight <= 2_000_000
    assert pa.total_allocated_bytes() - before < 4_000_000  # 60 groups have 12 MB
    assert files.weight <= 4
    assert len(list(Path("/proc/self/fd").iterdir())) - open_files <= 8


def test_what_is_larger_than_the_bound_is_read_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = RecentlyUsed(most=1_000)
    monkeypatch.setattr(sorted_table, "_GROUPS", groups)
    [base] = tables_of(tmp_path, bases=1, files=2, bytes_each=10_000)
    assert base.rows(["k001"]).num_rows == 10
    assert groups.weight == 0


def open_below(folder: Path) -> list[str]:
    """Return the files of a folder that this process has open; others of it may be opened and closed meanwhile."""
    links = [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()]
    return [file for file in links if file.startswith(str(folder.resolve()))]


def test_what_a_base_kept_goes_with_it(tmp_path: Path) -> None:
    [base] = tables_of(tmp_path, bases=1, files=3, bytes_each=500_000)
    gc.collect()  # what earlier tests left is not given back in between
    before = pa.total_allocated_bytes()
    assert base.rows(["k000", "k001", "k002"]).num_rows == 1_500
    assert pa.total_allocated_bytes() - before > 1_000_000 and open_below(tmp_path)
    del base
    assert pa.total_allocated_bytes() - before < 100_000
    assert not open_below(tmp_path)
