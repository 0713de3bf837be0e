"""Files and folders that are there whole or not at all, and one writer at a time."""

import os
from pathlib import Path

import pytest

from asof.errors import UserError
from asof.lock import hold_lock, only_writer
from asof.whole_file import whole_file, whole_folder, write_text, write_whole
from tests.small_disk import small_disk


def test_a_file_is_replaced_when_all_is_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    write_text(path, "old")
    with whole_file(path) as place:
        place.write_text("new", encoding="utf-8")
        assert path.read_text(encoding="utf-8") == "old"
    assert path.read_text(encoding="utf-8") == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_what_breaks_off_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    write_text(path, "old")
    with pytest.raises(KeyboardInterrupt), whole_file(path) as place:
        place.write_text("half", encoding="utf-8")
        raise KeyboardInterrupt
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_writer_that_is_killed_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    write_text(path, "old")
    child = os.fork()
    if not child:
        with whole_file(path) as place:
            place.write_text("half", encoding="utf-8")
            os.kill(os.getpid(), 9)
    os.waitpid(child, 0)
    assert path.read_text(encoding="utf-8") == "old"
    write_text(path, "next")
    assert path.read_text(encoding="utf-8") == "next"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_replaced_as_a_whole_or_stays(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "model"
    with whole_folder(folder) as place:
        (place / "inside").mkdir()
        (place / "inside" / "weights").write_text("old", encoding="utf-8")
        assert not folder.exists()
    with pytest.raises(KeyboardInterrupt), whole_folder(folder) as place:
        (place / "half").write_text("new", encoding="utf-8")
        raise KeyboardInterrupt
    assert (folder / "inside" / "weights").read_text(encoding="utf-8") == "old"
    with whole_folder(folder) as place:
        (place / "weights").write_text("new", encoding="utf-8")
    assert [path.name for path in folder.iterdir()] == ["weights"]
    assert list(folder.parent.iterdir()) == [folder]


def test_a_full_disk_is_told_with_what_is_kept_and_what_to_do(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        with pytest.raises(UserError, match=r"new could not be written: No space left on device\. Nothing was written"):
            write_text(disk / "new", "x" * 100_000)
        write_text(disk / "old", "old")
        with pytest.raises(UserError, match=r"What was there before is unchanged\. Buy a disk\."):
            write_whole(disk / "old", lambda place: place.write_bytes(b"x" * 100_000), then="Buy a disk.")
        assert (disk / "old").read_text(encoding="utf-8") == "old"
        assert [path.name for path in disk.iterdir()] == ["old"]


def test_a_lock_is_held_by_one_and_let_go_at_the_end(tmp_path: Path) -> None:
    with (
        only_writer(tmp_path),
        pytest.raises(UserError, match="Another asof process is writing to"),
        only_writer(tmp_path),
    ):
        pass
    taken = pytest.raises(UserError, match="somebody has it")
    with only_writer(tmp_path), taken, hold_lock(tmp_path / ".lock", otherwise="somebody has it"):
        pass
    with only_writer(tmp_path):
        pass
