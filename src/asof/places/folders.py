"""Whole folders at places: benchmarks and runs. They are worked on in the cache, and brought back when that is done."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.lock import hold_lock
from asof.places import place_at
from asof.places.address import hidden, is_on_the_web, remote_address
from asof.places.copies import WAIT, copy_of
from asof.places.news import megabytes, tell
from asof.places.place import ChangedPlaceError, MissingPlaceError, RemotePlace
from asof.whole_file import write_text

AT_A_TIME = 8  # files that are fetched or written together
_BEGUN = ".begun.json"  # beside a copy that is worked on: its place and its files as they were at the beginning
_ADDRESS = ".address"  # beside a copy: the place that it is of
_STATES = ".place.json"  # beside the copy: the versions of its files, as they were at their place


def local_folder(location: str | Path, names: Sequence[str] = ()) -> Path:
    """Return a folder of this disk: itself, or the copy of a place, brought up to date.

    Args:
        names: The files that it can have; of a web server, which lists no folders, these alone are asked for.
    """
    if remote_address(location) is None:
        return Path(location)
    folder = copy_of(location, "folder")
    with _only_one(folder, location, wait=WAIT):
        if not _bring(place_at(location), folder, names):
            raise MissingPlaceError(f"{place_at(location)} does not exist, or is empty.")
    return folder


def location_of(folder: Path) -> str:
    """Return where a folder is for all machines: of a copy the address of its place, else the whole path."""
    path = folder.absolute().parent / _ADDRESS
    return hidden(path.read_text(encoding="utf-8")) if path.is_file() else str(folder.resolve())


@contextmanager
def kept_at(location: Path) -> Iterator[Path]:
    """Give a folder of this disk to work in: itself, or a copy of a place, which gets what was written at the end.

    Also what is there when the work is stopped is brought back, so that it can be resumed from another machine. What
    could not be (the machine lost its power) is gone on with here, if nobody has written to the place since.
    """
    if remote_address(location) is None:
        yield location
        return
    see_that_it_can_be_written(location)
    place, folder = place_at(location), copy_of(location, "work")
    with _only_one(folder, location):
        begun = _begun(place, folder)
        write_text(folder.parent / _BEGUN, json.dumps(begun))
        try:
            yield folder
        finally:
            _take_back(place, folder, begun)


def _begun(place: RemotePlace, folder: Path) -> dict[str, Any]:
    """Return the states and the hashes with which the work begins, or with which it began before it was cut off."""
    path, now = folder.parent / _BEGUN, _states_at(place, ())
    if path.is_file():
        begun: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if begun["states"] == now:
            return begun
        if _hashes(folder) != begun["hashes"]:
            tell(f"Work that did not get to {place} is kept in {_put_aside(folder)}.")
    _bring(place, folder, ())
    return {"states": now, "hashes": _hashes(folder)}


def see_that_it_can_be_written(location: str | Path) -> None:
    """Refuse an address of the web."""
    if is_on_the_web(location):
        raise UserError(f"{place_at(location)} can only be read. To write, give a folder or a place such as s3://.")


@contextmanager
def _only_one(folder: Path, location: str | Path, wait: float = 0.0) -> Iterator[None]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    otherwise = f"Another asof process on this machine works with {place_at(location)}. Wait for it to finish."
    with hold_lock(folder.parent / ".lock", otherwise=otherwise, wait=wait):
        yield


def _bring(place: RemotePlace, folder: Path, names: Sequence[str]) -> int:
    """Fetch what is missing or has changed, remove what is not at the place any more, and count what is there."""
    states = _states_at(place, names)
    path = folder.parent / _STATES
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    wanted = [name for name, state in states.items() if known.get(name) != state or not (folder / name).is_file()]
    folder.mkdir(parents=True, exist_ok=True)
    for file in [file for file in folder.rglob("*") if file.is_file()]:
        if file.relative_to(folder).as_posix() not in states:
            file.unlink()
    if wanted:
        size = sum(int(states[name][0] or 0) for name in wanted)
        tell(f"Fetching {len(wanted)} of {len(states)} files ({megabytes(size)}) of {place}.")
    for name in wanted:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(lambda name: place.child(name).fetch(folder / name), wanted))
    folder.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(states))
    write_text(folder.parent / _ADDRESS, place.address)
    return len(states)


def _states_at(place: RemotePlace, names: Sequence[str]) -> dict[str, list[int | str | None]]:
    found = names if is_on_the_web(place.address) else sorted(place.files())
    states: dict[str, list[int | str | None]] = {}
    for name in found or place.files():
        try:
            state = place.child(name).state()
        except MissingPlaceError:
            continue
        states[name] = [state.size, state.version]
    return states


def _take_back(place: RemotePlace, folder: Path, begun: dict[str, Any]) -> None:
    """Write what is new or other than at the beginning; what is gone here goes there, too."""
    before, after = begun["hashes"], _hashes(folder)
    changed = [name for name, digest in after.items() if before.get(name) != digest]
    gone = before.keys() - after.keys()
    if (changed or gone) and _states_at(place, ()) != begun["states"]:
        raise ChangedPlaceError(
            f"Somebody else has written to {place} in the meantime, so it was left as it is. What was written here is "
            f"kept in {_put_aside(folder)}."
        )
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(lambda name: place.child(name).put(folder / name), changed))
    for name in gone:
        place.child(name).delete()
    if changed:
        size = sum((folder / name).stat().st_size for name in changed)
        tell(f"Wrote {len(changed)} files ({megabytes(size)}) to {place}.")
    (folder.parent / _BEGUN).unlink(missing_ok=True)
    write_text(folder.parent / _STATES, json.dumps(_states_at(place, ())))


def _put_aside(folder: Path) -> Path:
    """Keep a folder under another name, beside."""
    number = sum(1 for _ in folder.parent.glob(f"{folder.name}-unsent-*")) + 1
    kept = folder.with_name(f"{folder.name}-unsent-{number}")
    folder.rename(kept)
    (folder.parent / _BEGUN).unlink(missing_ok=True)
    return kept


def _hashes(folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.endswith(".lock"):
            with path.open("rb") as file:
                found[path.relative_to(folder).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    return found
