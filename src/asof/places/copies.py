"""Copies of files in the cache: fetched once, and again when they have changed at their place."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict
from pathlib import Path

from asof.cache import cache_folder
from asof.lock import hold_lock
from asof.places import hidden, name_of, place_at
from asof.places.address import remote_address
from asof.places.news import megabytes, tell
from asof.places.place import PlaceState
from asof.whole_file import write_text

_STATE = "state.json"
WAIT = 600.0  # seconds for another process of this machine that fetches the same
_LONGEST_NAME = 60


def copy_of(location: str | Path, kind: str = "") -> Path:
    """Return where in the cache the copy of a place belongs, whether it is there or not; its name is that of the place.

    Args:
        kind: Sets several copies of one place apart.
    """
    address = remote_address(location) or str(location)
    words = re.sub(r"[^a-z0-9]+", "-", hidden(address).lower())[-_LONGEST_NAME:].strip("-")
    mark = hashlib.sha256(address.encode()).hexdigest()[:10]
    return cache_folder() / "places" / f"{words}-{mark}" / kind / (name_of(location) or "folder")


def local_file(location: str | Path) -> Path:
    """Return a file of this disk: itself, or the copy of a place, fetched where it is not there or has changed."""
    if remote_address(location) is None:
        return Path(location)
    place, copy = place_at(location), copy_of(location, "file")
    copy.parent.mkdir(parents=True, exist_ok=True)
    with hold_lock(
        copy.parent / ".lock", otherwise=f"Another asof process is fetching {place}. Wait for it to finish.", wait=WAIT
    ):
        state = place.state()
        if not copy.is_file() or not state.version or _state_of(copy) != state:
            size = f" ({megabytes(state.size)})" if state.size is not None else ""
            tell(f"Fetching {place}{size}.")
            place.fetch(copy)
            write_text(copy.parent / _STATE, json.dumps(asdict(state)))
    return copy


def _state_of(copy: Path) -> PlaceState | None:
    try:
        return PlaceState(**json.loads((copy.parent / _STATE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
