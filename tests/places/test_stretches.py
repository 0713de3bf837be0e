"""What a machine of Spark does with a stretch of a dump, and what comes back; Spark itself is in tests/sources."""

from pathlib import Path

import pytest
from bench.generated_dump import Plan, write_dump

from asof.errors import UserError
from asof.sources.wikidata_dump.mining import MinedRange, mine_stretch
from asof.sources.wikidata_dump.on_spark_at_places import StretchAtPlace, fetched, mine_at_place
from asof.sources.wikidata_dump.wanted import MiningSettings
from asof.sources.wikidata_dump.work import WorkSizes, tasks_of
from tests.places.s3_server import S3

DUMP, WORK = "s3://bucket/d.json.gz", "s3://bucket/base/.mining/d"


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_stretch_is_mined_once_and_comes_back_whole(s3: S3, tmp_path: Path) -> None:
    write_dump(tmp_path / "d.json.gz", Plan(entities=60, seed=5, line_bytes=900, temporal=0.5, batch=15))
    s3.put("d.json.gz", tmp_path / "d.json.gz")
    sizes = WorkSizes(stretch=10_000, part=30_000)
    here = [
        mine_stretch(task) for task in tasks_of(str(tmp_path / "d.json.gz"), MiningSettings(), tmp_path / "a", sizes)
    ]
    tasks = tasks_of(DUMP, MiningSettings(), tmp_path / "b", sizes)
    assert len(tasks) == len(here) > 1
    stretches = [StretchAtPlace(task, f"{WORK}/{Path(task.folder).name}") for task in tasks]
    told = [mine_at_place(one) for one in stretches]
    assert [(one.parts, one.facts, one.items) for one in told] == [(one.parts, one.facts, one.items) for one in here]
    s3.delete("d.json.gz")
    assert [mine_at_place(one) for one in stretches] == told  # done: the dump is not needed any more
    assert [fetched(one, what) for one, what in zip(stretches, told, strict=True)] == told
    for task, original in zip(tasks, here, strict=True):
        assert MinedRange.of(task.folder).facts == original.facts
        mined = {name: data for name, data in files_in(Path(original.folder)).items() if name != "at"}
        there = {name: data for name, data in files_in(Path(task.folder)).items() if name != "at"}
        assert mined == there


def test_parts_that_are_lost_on_the_way_are_missed(s3: S3, tmp_path: Path) -> None:
    write_dump(tmp_path / "d.json.gz", Plan(entities=20, seed=6, line_bytes=900, temporal=0.9, batch=20))
    s3.put("d.json.gz", tmp_path / "d.json.gz")
    [task] = tasks_of(DUMP, MiningSettings(), tmp_path / "work", WorkSizes())
    stretch = StretchAtPlace(task, f"{WORK}/{Path(task.folder).name}")
    told = mine_at_place(stretch)
    for name in s3.names("base/.mining/d/000000/part-00000/"):
        s3.delete(name)
    with pytest.raises(
        UserError, match=rf"told of {told.facts:,} facts in 1 parts, and at {stretch.address} there are 0"
    ):
        fetched(stretch, told)
    assert not any(Path(task.folder).glob("part-*"))
