"""Writing a base is all-or-nothing: killed writers, full disks, cut files, two writers at once."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from asof.errors import UserError
from asof.facts import FactStore, Intake, write_base
from asof.facts.manifest import MANIFEST
from asof.lock import only_writer
from asof.sources import open_source
from tests.conftest import TINY
from tests.small_disk import small_disk

Rows = list[tuple[str, ...]]


def table(folder: Path, name: str, rows: Rows) -> str:
    path = folder / name
    lines = [("subject", "relation", "object", "start", "end"), *rows]
    path.write_text("\n".join("\t".join(row) for row in lines) + "\n", encoding="utf-8")
    return str(path)


def test_written_twice_it_is_the_same_to_the_byte(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_base(tmp_path / name, [open_source(str(TINY))], name="tiny")
    files = [
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir() if path.name != ".lock"}
        for name in ("one", "two")
    ]
    assert files[0] == files[1]


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    header, *rows = TINY.read_text(encoding="utf-8").splitlines()
    turned = tmp_path / "tiny.tsv"
    turned.write_text("\n".join([header, *reversed(rows)]) + "\n", encoding="utf-8")
    one, _ = write_base(tmp_path / "one", [open_source(str(TINY))])
    two, _ = write_base(tmp_path / "two", [open_source(str(turned))])
    assert one.hash == two.hash


def test_a_new_base_takes_the_place_of_the_old_one_and_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "base"
    write_base(folder, [open_source(table(tmp_path, "a.tsv", [("x", "r", "y", "2001", "2002")]))])
    write_base(folder, [open_source(table(tmp_path, "b.tsv", [("x", "r", "z", "2001", "2002")]))])
    store = FactStore(folder)
    assert [fact.object for fact in store.facts()] == ["z"]
    assert {path.name for path in folder.iterdir()} == store.manifest.files | {MANIFEST, ".lock"}


WRITER = """
import sys, time
from pathlib import Path
from asof.facts import write_base
from asof.sources import open_source
import asof.facts.write as write
sync = write.sync_folder
def slowly(folder):  # between moving the files and naming them in the manifest
    print("moved", flush=True); time.sleep(float(sys.argv[3])); sync(folder)
write.sync_folder = slowly
print("begin", flush=True)
write_base(Path(sys.argv[1]), [open_source(sys.argv[2])])
print("done", flush=True)
"""


@pytest.mark.parametrize("moment", ["begin", "reading", "moved"])
def test_a_killed_writer_leaves_the_old_base_and_the_next_one_works(tmp_path: Path, moment: str) -> None:
    folder = tmp_path / "base"
    old = table(tmp_path, "old.tsv", [("x", "r", "old", "2001", "2002")])
    write_base(folder, [open_source(old)])
    rows = [(f"s{number}", "r", "new", "2001", "2002") for number in range(200_000)]
    new = table(tmp_path, "new.tsv", rows)
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), new, "60"], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begin\n"
    if moment == "reading":
        staged = folder / ".staging" / "facts.parquet"
        while not staged.exists():
            time.sleep(0.01)
    if moment == "moved":
        assert process.stdout.readline() == "moved\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert [fact.object for fact in FactStore(folder).facts()] == ["old"]
    write_base(folder, [open_source(table(tmp_path, "next.tsv", [("x", "r", "next", "2001", "2002")]))])
    store = FactStore(folder)
    assert [fact.object for fact in store.facts()] == ["next"]
    assert {path.name for path in folder.iterdir()} == store.manifest.files | {MANIFEST, ".lock"}


def test_a_full_disk_says_so_and_keeps_the_old_base(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        folder = disk / "base"
        write_base(folder, [open_source(table(tmp_path, "old.tsv", [("x", "r", "old", "2001", "2002")]))])
        rows = [(os.urandom(8).hex(), "r", os.urandom(8).hex(), "2001", "2002") for _ in range(100_000)]
        with pytest.raises(UserError, match=r"The disk of .* is full\. The earlier base is unchanged"):
            write_base(folder, [open_source(table(tmp_path, "new.tsv", rows))])
        assert [fact.object for fact in FactStore(folder).facts()] == ["old"]


def test_two_writers_at_once_do_not_mix(tmp_path: Path) -> None:
    source = open_source(str(TINY))
    folder = tmp_path / "base"
    folder.mkdir()
    with only_writer(folder), pytest.raises(UserError, match="Another asof process is writing to"):
        write_base(folder, [source])


def test_a_folder_with_other_things_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(UserError, match="is not empty and is not a base"):
        write_base(tmp_path, [open_source(str(TINY))])
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_table_of_which_nothing_can_be_taken_replaces_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "base"
    write_base(folder, [open_source(str(TINY))])
    with pytest.raises(UserError, match=r"(?s)None of 2 rows could be read.*line 2: .*February 2011 has 28 days"):
        bad = [("x", "r", "y", "2011-02-30", ""), ("x", "r", "y", "2011-02-31", "")]
        write_base(folder, [open_source(table(tmp_path, "bad.tsv", bad))])
    assert FactStore(folder).manifest.rows("facts") == 59


def test_an_empty_table_does_not_replace_facts(tmp_path: Path) -> None:
    folder = tmp_path / "base"
    empty = table(tmp_path, "empty.tsv", [])
    write_base(folder, [open_source(empty)])  # without a base there, an empty one is fine
    write_base(folder, [open_source(str(TINY))])
    with pytest.raises(UserError, match=r"The source gave no facts, and .*base holds 59 facts, so it was not replaced"):
        write_base(folder, [open_source(empty)])
    assert FactStore(folder).manifest.rows("facts") == 59
    (folder / MANIFEST).write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match="holds a base that cannot be read"):
        write_base(folder, [open_source(empty)])


class Broken:
    """A source that fails after its first batch."""

    name, known_by = "broken", None

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        yield from open_source(str(TINY)).facts(intake)
        raise UserError("the source is gone")

    def entities(self) -> list[pa.RecordBatch]:
        return []

    relations = entities


def test_a_source_that_fails_halfway_leaves_the_old_base(tmp_path: Path) -> None:
    folder = tmp_path / "base"
    write_base(folder, [open_source(table(tmp_path, "old.tsv", [("x", "r", "old", "2001", "2002")]))])
    with pytest.raises(UserError, match="the source is gone"):
        write_base(folder, [Broken()])
    assert [fact.object for fact in FactStore(folder).facts()] == ["old"]
    assert not (folder / ".staging").exists()


def spoiled(folder: Path) -> Iterator[tuple[Callable[[], object], str]]:
    manifest = folder / MANIFEST
    facts = next(folder.glob("facts-*.parquet"))
    text = manifest.read_text(encoding="utf-8")
    yield lambda: facts.write_bytes(facts.read_bytes()[:-100]), "was cut or changed"
    yield facts.unlink, "is missing"
    yield lambda: manifest.write_text(text[:50], encoding="utf-8"), "is broken"
    yield lambda: manifest.write_text(json.dumps({"format": 99}), encoding="utf-8"), "has format 99"
    yield lambda: manifest.write_text(text.replace(facts.name, "../../etc/passwd"), encoding="utf-8"), "its own folder"
    yield manifest.unlink, "has no manifest.json"


@pytest.mark.parametrize("case", range(6))
def test_a_spoiled_base_is_told_from_a_whole_one(tmp_path: Path, case: int) -> None:
    folder = tmp_path / "base"
    write_base(folder, [open_source(str(TINY))])
    spoil, message = list(spoiled(folder))[case]
    spoil()
    with pytest.raises(UserError, match=message):
        FactStore(folder)


def test_a_base_that_goes_away_under_a_reader_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "base"
    write_base(folder, [open_source(str(TINY))])
    store = FactStore(folder)
    for path in folder.glob("facts-*.parquet"):
        path.unlink()
    for ask in (lambda: store.facts(subject="Italy"), store.facts):
        with pytest.raises(UserError, match=r"could not be read: .* Was it replaced or damaged"):
            ask()


def test_a_missing_base_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"does not exist. Make one with: asof mine SOURCE --to"):
        FactStore(tmp_path / "nowhere")


def test_anything_can_read_the_files(tiny: FactStore) -> None:
    facts = pq.read_table(next(tiny.folder.glob("facts-*.parquet")))
    assert facts.num_rows == 60
    assert facts.schema.field("start_first").type == pa.int32()
    assert facts["subject"].to_pylist() == sorted(facts["subject"].to_pylist())
