"""Places beyond this disk: object stores (s3://, gs://, hdfs://, whatever fsspec opens) and files behind https://.

``address`` tells a place from a path, ``objects`` and ``web`` read and write, ``copies`` keeps in the cache what was
fetched, ``folders`` does so for whole folders. All else in the package works on files and folders of this machine.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

from asof.errors import UserError
from asof.places.address import hidden, is_on_the_web, remote_address
from asof.places.place import ChangedPlaceError, MissingBucketError, MissingPlaceError, PlaceState, RemotePlace

__all__ = [
    "ChangedPlaceError",
    "MissingBucketError",
    "MissingPlaceError",
    "PlaceState",
    "RemotePlace",
    "hidden",
    "is_on_the_web",
    "is_there",
    "name_of",
    "open_bytes",
    "place_at",
    "remote_address",
    "size_of",
]


def place_at(location: str | os.PathLike[str]) -> RemotePlace:
    """Return the place of an address."""
    address = remote_address(location)
    if address is None:
        raise UserError(f"{os.fspath(location)!r} is not the address of a place, such as s3://bucket/base.")
    if is_on_the_web(address):
        from asof.places.web import WebPlace

        return WebPlace(address)
    from asof.places.objects import ObjectPlace

    return ObjectPlace(address)


def is_there(location: str | os.PathLike[str]) -> bool:
    """Tell whether there is a file, on this disk or at a place."""
    if remote_address(location) is None:
        return Path(location).is_file()
    try:
        place_at(location).state()
    except MissingPlaceError:
        return False
    return True


def size_of(location: str | os.PathLike[str]) -> int:
    """Return the bytes of a file, on this disk or at a place."""
    if remote_address(location) is None:
        return Path(location).stat().st_size
    place = place_at(location)
    size = place.state().size
    if size is None:
        raise UserError(f"{place} does not say how large it is. Download it, and give the file.")
    return size


def open_bytes(location: str | os.PathLike[str]) -> IO[bytes]:
    """Open a file for reading, on this disk or at a place; of the latter only what is read is fetched."""
    return Path(location).open("rb") if remote_address(location) is None else place_at(location).open()


def name_of(location: str | os.PathLike[str]) -> str:
    """Return the last part of a path or of an address.

    >>> name_of("https://host/facts.csv?version=3"), name_of("s3://bucket/base/"), name_of("here/facts.csv")
    ('facts.csv', 'base', 'facts.csv')
    """
    return Path(hidden(remote_address(location) or os.fspath(location))).name
