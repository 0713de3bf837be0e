"""Bases at places: opened through a copy in the cache, written there first, and put in place all or nothing.

The files of a base are named by their hash and never change, so a copy needs only those that it has not, and questions
are answered from it as fast as from a base of this disk. A new version is written beside, its files go to the place
first and the manifest last, if it is still the one that the writer began with: else somebody else has written, and the
new version is kept here. What a copy belongs to stands beside it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from asof.errors import UserError
from asof.facts.manifest import MANIFEST, Manifest, Part, parts_of, read_manifest
from asof.lock import hold_lock, only_writer
from asof.places import (
    ChangedPlaceError,
    MissingBucketError,
    MissingPlaceError,
    PlaceState,
    RemotePlace,
    place_at,
    remote_address,
)
from asof.places.address import is_on_the_web
from asof.places.copies import WAIT, copy_of
from asof.places.folders import AT_A_TIME, see_that_it_can_be_written
from asof.places.news import megabytes, tell
from asof.whole_file import whole_file, write_text

Thing = TypeVar("Thing")
Result = TypeVar("Result")

_BESIDE = "place.json"  # beside a copy: the address, and for a writer the state of the manifest that it began with
_READING, _WRITING = "base", "new"
_WORDS = "lexicon.en.toml"
_TRIES = 3  # to get all files of one version, while others write
_UNSENT = "unsent"  # beside a copy of a writer: a whole new version that did not get to its place


class BrokenBaseError(UserError):
    """What is wrong with a base at a place, as the end of a sentence about it."""


def local_base(location: Path | str) -> Path:
    """Return the folder of a base on this disk: itself, or the copy of a place, brought up to date."""
    if remote_address(location) is None:
        return Path(location)
    copy = copy_of(location, _READING)
    _see_that_it_is_no_manifest(location)
    with _alone_with(copy):
        _bring(place_at(location), copy)
    return copy


def is_base(location: Path | str) -> bool:
    """Tell whether there is a base in a folder or at a place."""
    if remote_address(location) is None:
        return (Path(location) / MANIFEST).is_file()
    try:
        place_at(location).child(MANIFEST).state()
    except MissingPlaceError:
        return False
    return True


def writable_copy(location: Path | str) -> Path:
    """Return where a new version of a base at a place is written before it goes there."""
    return copy_of(location, _WRITING)


def writable_base(location: Path | str) -> Path:
    """Return the folder in which a new version of a base is to be written: itself, or a copy of a place for writers."""
    address = remote_address(location) or _address_beside(Path(location))
    if address is None:
        return Path(location)
    see_that_it_can_be_written(address)
    copy, place = writable_copy(address), place_at(address)
    copy.mkdir(parents=True, exist_ok=True)
    with only_writer(copy):
        if (copy.parent / _UNSENT).is_file() and (copy / MANIFEST).is_file():
            _put_aside(copy)
        state = _bring(place, copy, near=copy_of(address, _READING))
        seen = asdict(state) if state else None
        write_text(copy.parent / _BESIDE, json.dumps({"address": address, "seen": seen}))
    return copy


@contextmanager
def base_writer(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder from ``writable_base``; at the end, a new version goes to its place, if it has one."""
    with only_writer(folder):
        yield
        _publish(folder)


def _publish(folder: Path) -> None:
    """Bring a new version to its place: its files, then the manifest, then away with those of the version before."""
    path = folder.parent / _BESIDE
    address = _address_beside(folder)
    if address is None:
        return
    seen = json.loads(path.read_text(encoding="utf-8")).get("seen")
    place, manifest = place_at(address), read_manifest(folder)
    (folder.parent / _UNSENT).touch()
    try:
        state = PlaceState(**seen) if seen else None
        before = _files_there(place) if state else set()
        gone = before - manifest.files
        there = _each(lambda part: part.path in before and _is_there(place, part), parts_of(manifest))
        new = [part for part, is_there in zip(parts_of(manifest), there, strict=True) if not is_there]
        _each(lambda part: place.child(part.path).put(folder / part.path), new)
        place.child(MANIFEST).replace((folder / MANIFEST).read_bytes(), seen=state)
    except UserError as error:
        changed = isinstance(error, ChangedPlaceError)
        why = "another writer has replaced the base in the meantime" if changed else str(error).rstrip(".")
        raise UserError(
            f"The new base is not at {place}: {why}. The base there is unchanged by this command. The new one is whole "
            f"in {folder}, and will be put aside there when you run the command again."
        ) from error
    (folder.parent / _UNSENT).unlink()
    write_text(path, json.dumps({"address": address, "seen": asdict(place.child(MANIFEST).state())}))
    size = sum(part.bytes for part in new)
    tell(f"Wrote {len(new)} of {len(manifest.files)} files ({megabytes(size)}) and the manifest to {place}.")
    try:
        _each(lambda name: place.child(name).delete(), sorted(gone))
    except UserError as error:
        tell(f"Files of the version before could not be removed, which does no harm: {error}")
    _install(folder, copy_of(address, _READING), manifest)


def _bring(place: RemotePlace, copy: Path, *, near: Path | None = None) -> PlaceState | None:
    """Make a copy equal to its place; return the state of the manifest there, None where there is none to be written.

    Args:
        near: Another copy, whose files need not be fetched again; it says, too, that this one is for a writer.
    """
    for tried in range(_TRIES):
        try:
            state = place.child(MANIFEST).state()
        except MissingPlaceError as error:
            if near is None or isinstance(error, MissingBucketError):
                raise _no_base(place, error) from error
            (copy / MANIFEST).unlink(missing_ok=True)
            return None
        try:
            _bring_version(place, copy, state, near)
        except MissingPlaceError as error:
            if tried + 1 < _TRIES and _has_changed(place, state):
                continue  # a new version has come, and the files of the one before are gone
            why = f"is only half a base: its manifest names a file that is not there ({str(error).rstrip('.')})"
        except BrokenBaseError as error:
            why = str(error)
        else:
            return state
        if near is None:
            raise UserError(f"{place} {why}. Write it again: asof mine SOURCE --to {place}")
        tell(f"{place} {why}. It will be replaced.")
        (copy / MANIFEST).unlink(missing_ok=True)
        return state
    raise UserError(f"{place} changes faster than it can be read. Run the command again.")


def _bring_version(place: RemotePlace, copy: Path, state: PlaceState, near: Path | None) -> None:
    content = _same_as_kept(copy, state) or place.child(MANIFEST).read()
    manifest = _checked(place, content, copy)
    _fetch(place, copy, manifest, near)
    with whole_file(copy / MANIFEST) as temporary:
        temporary.write_bytes(content)
    _remove_others(copy, manifest)
    _bring_words(place, copy)
    write_text(copy.parent / _BESIDE, json.dumps({"address": place.address, "version": state.version}))


def _has_changed(place: RemotePlace, state: PlaceState) -> bool:
    try:
        return place.child(MANIFEST).state() != state
    except MissingPlaceError:
        return True


def _same_as_kept(copy: Path, state: PlaceState) -> bytes | None:
    """Return the manifest of a copy, if the one at the place has not changed since it was fetched."""
    try:
        version = json.loads((copy.parent / _BESIDE).read_text(encoding="utf-8")).get("version")
        return (copy / MANIFEST).read_bytes() if version and version == state.version else None
    except OSError:
        return None


def _bring_words(place: RemotePlace, copy: Path) -> None:
    """Fetch what people write beside a base: the words of its questions."""
    try:
        content = place.child(_WORDS).read()
    except MissingPlaceError:
        (copy / _WORDS).unlink(missing_ok=True)
        return
    with whole_file(copy / _WORDS) as temporary:
        temporary.write_bytes(content)


def _fetch(place: RemotePlace, copy: Path, manifest: Manifest, near: Path | None) -> None:
    """Fetch the files that a copy has not, each checked by its hash."""
    copy.mkdir(parents=True, exist_ok=True)
    missing = [part for part in parts_of(manifest) if not _is_whole(copy, part)]
    for part in [part for part in missing if near and _is_whole(near, part)]:
        _link((near or copy) / part.path, copy / part.path)
        missing.remove(part)
    if not missing:
        return
    size, whole = (megabytes(sum(part.bytes for part in parts)) for parts in (missing, parts_of(manifest)))
    tell(f"Fetching {len(missing)} of {len(manifest.files)} files ({size} of {whole}) of {place}.")

    def fetch(part: Part) -> None:
        with whole_file(copy / part.path) as temporary:
            place.child(part.path).fetch(temporary)
            with temporary.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != part.sha256:
                    raise BrokenBaseError(f"is damaged: the hash of {part.path} is not the one in the manifest")

    _each(fetch, missing)


def _checked(place: RemotePlace, content: bytes, copy: Path) -> Manifest:
    """Read a manifest that is not in place yet."""
    beside = copy.parent / "looked-at"
    beside.mkdir(parents=True, exist_ok=True)
    (beside / MANIFEST).write_bytes(content)
    try:
        return read_manifest(beside, with_files=False)
    except UserError as error:
        said = str(error).replace(f"{beside}/{MANIFEST} ", "").replace(str(beside), str(place))
        raise BrokenBaseError(
            f"cannot be read: its manifest {said.removesuffix(' Mine the base again.').rstrip('.')}"
        ) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _each(work: Callable[[Thing], Result], many: Iterable[Thing]) -> list[Result]:
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(pool.map(work, many))


def _install(folder: Path, copy: Path, manifest: Manifest) -> None:
    """Bring a version that was written here to the copy for readers, so that it is not fetched."""
    with _alone_with(copy):
        copy.mkdir(parents=True, exist_ok=True)
        for part in parts_of(manifest):
            if not _is_whole(copy, part):
                _link(folder / part.path, copy / part.path)
        with whole_file(copy / MANIFEST) as temporary:
            shutil.copyfile(folder / MANIFEST, temporary)
        _remove_others(copy, manifest)
        write_text(copy.parent / _BESIDE, json.dumps({"address": _address_beside(folder)}))


def _link(file: Path, to: Path) -> None:
    to.unlink(missing_ok=True)
    try:
        os.link(file, to)
    except OSError:  # a disk without links
        shutil.copyfile(file, to)


def _put_aside(copy: Path) -> None:
    """Keep a version that did not get to its place beside the copy, and say where."""
    number = sum(1 for _ in copy.parent.glob(f"{copy.name}-unsent-*")) + 1
    kept = copy.with_name(f"{copy.name}-unsent-{number}")
    shutil.copytree(copy, kept, ignore=shutil.ignore_patterns(".*"))
    (copy.parent / _UNSENT).unlink()
    tell(f"The version that did not get to its place is kept in {kept}.")


def _remove_others(copy: Path, manifest: Manifest) -> None:
    for path in copy.iterdir():
        if path.suffix in (".parquet", ".jsonl") and path.is_file() and path.name not in manifest.files:
            path.unlink()


def _is_whole(folder: Path, part: Part) -> bool:
    path = folder / part.path
    return path.is_file() and path.stat().st_size == part.bytes


def _is_there(place: RemotePlace, part: Part) -> bool:
    try:
        return place.child(part.path).state().size == part.bytes
    except MissingPlaceError:
        return False


def _files_there(place: RemotePlace) -> set[str]:
    try:
        content = json.loads(place.child(MANIFEST).read())
        parts = [part for parts in content["tables"].values() for part in parts]
        return {part["path"] for part in [*parts, *filter(None, [content.get("rejects")])]}
    except (MissingPlaceError, ValueError, KeyError, TypeError, AttributeError):
        return set()


def _address_beside(folder: Path) -> str | None:
    """Return the address of which a folder is a copy."""
    path = folder.parent / _BESIDE
    if folder.parent.name not in (_READING, _WRITING) or not path.is_file():
        return None
    found: str = json.loads(path.read_text(encoding="utf-8"))["address"]
    return found


@contextmanager
def _alone_with(copy: Path) -> Iterator[None]:
    copy.parent.mkdir(parents=True, exist_ok=True)
    with hold_lock(
        copy.parent / ".lock", otherwise=f"Another asof process is fetching {copy.name}. Try again soon.", wait=WAIT
    ):
        yield


def _see_that_it_is_no_manifest(location: Path | str) -> None:
    if str(location).rstrip("/").endswith(f"/{MANIFEST}"):
        raise UserError(f"{location} is the manifest of a base: give its folder.")


def _no_base(place: RemotePlace, error: MissingPlaceError) -> UserError:
    if isinstance(error, MissingBucketError):
        return error
    how = "asof mine SOURCE --to FOLDER" if is_on_the_web(place.address) else f"asof mine SOURCE --to {place}"
    return UserError(f"{place} has no manifest.json, so it is not a base. Make one with: {how}")
