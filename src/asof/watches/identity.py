"""Which model stands behind a location: what it says of itself, and the hash of its files where they are at hand.

A folder that was trained further under the same name is another model; the same files in another place are the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from asof.facts.manifest import sha256_of
from asof.models import Model
from asof.watches.settings import WatchedModel
from asof.weights.package_index import fetched_folder, fetched_gguf
from asof.whole_file import write_text

# Settings that say how fast or how patiently a model is asked, not what it answers.
_PACE = {
    "in_flight", "prompts_per_request", "tries", "first_wait", "longest_wait", "timeout", "batch", "batch_size",
    "threads", "max_cost",
}  # fmt: skip


def is_file(text: str) -> bool:
    """Tell whether a text names a file; a text may be too long for that.

    >>> is_file("x" * 100_000)
    False
    """
    try:
        return Path(text).is_file()
    except OSError:
        return False


def place_of(location: str) -> Path | None:
    """Return the file or folder of a model; None where it is not on this machine.

    >>> place_of("openai-completions:http://127.0.0.1:8000/v1")
    """
    _, colon, rest = location.partition(":")
    for text in (location, rest if colon else ""):
        found = (fetched_gguf(text) if location.startswith("gguf:") else None) or fetched_folder(text)
        if found is not None:
            return found
        if text and Path(text).exists():
            return Path(text)
    return None


def files_hash(location: str, remembered: Path, *, keep: bool = True) -> str:
    """Return one hash for all files of a model, nothing where there are none; only what changed is read again.

    Args:
        remembered: A file that keeps hashes of large files until they change.
        keep: Whether new hashes are written there.
    """
    place = place_of(location)
    known: dict[str, Any] = json.loads(remembered.read_text(encoding="utf-8")) if remembered.is_file() else {}
    found, before = {}, dict(known)
    for path in _files(place):
        state = [path.stat().st_size, path.stat().st_mtime_ns]
        if known.get(str(path), {}).get("state") != state:
            known[str(path)] = {"state": state, "sha256": sha256_of(path)}
        name = path.name if place == path or place is None else path.relative_to(place).as_posix()
        found[name] = str(known[str(path)]["sha256"])
    if keep and known != before:
        write_text(remembered, json.dumps(known, indent=1) + "\n")
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest() if found else ""


def identity_of(model: Model, watched: WatchedModel, files: str) -> dict[str, Any]:
    """Return what must be the same for answers to count as those of the same model.

    Args:
        files: The hash of its files, if there are any.
    """
    about: dict[str, Any] = dict(model.describe())
    if files:
        about.pop("model", None)  # where it lies
        about["files"] = files
    return {"settings": answering_settings(watched), **about}


def answering_settings(watched: WatchedModel) -> dict[str, Any]:
    """Return the settings of a model that may change its answers."""
    return {name: value for name, value in watched.settings.items() if name not in _PACE}


def digest(identity: Mapping[str, Any]) -> str:
    """Return a short name for an identity.

    >>> digest({"kind": "parrot"}) == digest({"kind": "owl"})
    False
    """
    return hashlib.sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()[:12]


def _files(place: Path | None) -> list[Path]:
    if place is None:
        return []
    if place.is_file():
        return [place]
    # A GGUF file in a folder is another model beside the one that is loaded from the folder.
    return sorted(path for path in place.rglob("*") if path.is_file() and path.suffix != ".gguf")
