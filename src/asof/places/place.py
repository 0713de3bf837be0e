"""What every place can do, and how it says that it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from asof.errors import UserError


class MissingPlaceError(UserError):
    """There is nothing at an address."""


class MissingBucketError(MissingPlaceError):
    """Not even the bucket is there."""


class BusyPlaceError(UserError):
    """A server does not answer as it should; later it may."""


class TimedOutError(BusyPlaceError):
    """A server did not answer in time: nothing is known of what it has."""


class ChangedPlaceError(UserError):
    """Somebody else has written to a place in the meantime."""


@dataclass(frozen=True)
class PlaceState:
    """What a place says of a file without sending it."""

    size: int | None
    version: str  # another one when the file has changed; empty where a place has none
    in_parts: bool = True  # whether a part of it can be asked for


class RemotePlace(Protocol):
    """A file or a folder at an address."""

    @property
    def address(self) -> str:
        """Where it is."""

    def child(self, name: str) -> RemotePlace:
        """Return what has a name in this folder."""

    def state(self) -> PlaceState:
        """Ask for size and version; MissingPlaceError where nothing is."""

    def read(self) -> bytes:
        """Return the whole content of a small file."""

    def fetch(self, to: Path) -> None:
        """Copy the file to this disk, whole or not at all."""

    def open(self) -> IO[bytes]:
        """Open it for reading; it can be sought in."""

    def files(self) -> dict[str, int]:
        """Return the files of a folder, also of those in it, with their bytes."""

    def put(self, file: Path) -> None:
        """Copy a file of this disk here."""

    def replace(self, content: bytes, *, seen: PlaceState | None) -> None:
        """Write a small file if it still is as it was seen (None: not there), else raise ChangedPlaceError."""

    def delete(self) -> None:
        """Remove the file, if it is there."""
