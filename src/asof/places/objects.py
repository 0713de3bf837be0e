"""Places that fsspec opens: s3://, gs://, hdfs:// and more. Credentials and servers are set as for its packages.

S3: the variables and files of AWS ($AWS_ACCESS_KEY_ID, $AWS_PROFILE, $AWS_ENDPOINT_URL for another server, and
$FSSPEC_S3_ANON=true for buckets that are open to all). Google: application default credentials.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import IO, Any, cast

from asof.errors import UserError
from asof.places.address import under
from asof.places.place import ChangedPlaceError, MissingBucketError, MissingPlaceError, PlaceState
from asof.whole_file import whole_file

_BLOCK = 8 << 20  # bytes that are read ahead
# What to install, where it is not the package that fsspec names itself.
_EXTRAS = {"s3": "asof[s3]", "s3a": "asof[s3]", "gs": "asof[gs]", "gcs": "asof[gs]", "hdfs": "asof[hdfs]"}
_WITHOUT_FOLDERS = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oss", "memory")
_VERSIONS = ("ETag", "etag", "generation", "LastModified", "mtime", "created")
# Packages for stores have roots of their own for what can go wrong; they are asked for only where one is loaded.
_FAILURES = {
    "botocore.exceptions": ("BotoCoreError", "ClientError"),
    "google.auth.exceptions": ("GoogleAuthError",),
    "gcsfs.retry": ("HttpError",),
    "aiohttp": ("ClientError",),
    "pyarrow": ("ArrowException",),
}


class ObjectPlace:
    """A file or a folder of an object store."""

    def __init__(self, address: str) -> None:
        self.address = address

    def __str__(self) -> str:
        return self.address

    def child(self, name: str) -> ObjectPlace:
        """Return what has a name in this folder."""
        return ObjectPlace(under(self.address, name))

    def state(self) -> PlaceState:
        """Ask for size and version."""
        with _explained(self.address):
            try:
                found = self._system.info(self._path)
            except FileNotFoundError:
                self._see_the_bucket()
                raise
        if found["type"] != "file":
            raise MissingPlaceError(f"{self} is a folder, not a file.")
        return PlaceState(int(found["size"]), _version_in(found))

    def read(self) -> bytes:
        """Return the whole content of a small file."""
        with _explained(self.address):
            return bytes(self._system.cat_file(self._path))

    def fetch(self, to: Path) -> None:
        """Copy the file to this disk, whole or not at all."""
        with whole_file(to) as temporary, _explained(self.address):
            self._system.get_file(self._path, str(temporary))

    def open(self) -> IO[bytes]:
        """Open it for reading; parts are fetched as they are read."""
        with _explained(self.address):
            return cast(IO[bytes], self._system.open(self._path, "rb", block_size=_BLOCK))

    def files(self) -> dict[str, int]:
        """Return the files of a folder, also of those in it, with their bytes."""
        with _explained(self.address):
            try:
                found = self._system.find(self._path, detail=True)
            except FileNotFoundError:
                self._see_the_bucket()
                return {}
        if not found:
            with _explained(self.address):
                self._see_the_bucket()
        begin = self._path.rstrip("/") + "/"
        sizes = {name.removeprefix(begin): int(one["size"]) for name, one in found.items() if name.startswith(begin)}
        for name in sizes:
            if ".." in name.split("/") or name.startswith("/"):
                raise UserError(f"{self} has a file called {name!r}, which would lie outside its folder. Remove it.")
        return sizes

    def put(self, file: Path) -> None:
        """Copy a file of this disk here."""
        with _explained(self.address, doing="written"):
            self._make_room()
            self._system.put_file(str(file), self._path)

    def replace(self, content: bytes, *, seen: PlaceState | None) -> None:
        """Write a small file if it still is as it was seen; on S3 the store itself compares, elsewhere we do."""
        try:
            there: PlaceState | None = self.state()
        except MissingPlaceError:
            there = None
        if (there is None) != (seen is None) or (there and seen and there.version != seen.version):
            raise ChangedPlaceError(f"Somebody else has written to {self}.")
        condition: dict[str, Any] = {}
        if self._scheme in ("s3", "s3a"):
            condition = {"IfMatch": there.version} if there else {"IfNoneMatch": "*"}
        with _explained(self.address, doing="written"):
            try:
                self._make_room()
                self._system.pipe_file(self._path, content, **condition)
            except FileExistsError as error:
                raise ChangedPlaceError(f"Somebody else has written to {self}.") from error

    def delete(self) -> None:
        """Remove the file, if it is there."""
        with suppress(MissingPlaceError), _explained(self.address, doing="written"):
            self._system.rm_file(self._path)

    @property
    def _scheme(self) -> str:
        return self.address.partition(":")[0]

    @property
    def _system(self) -> Any:
        return self._opened[0]

    @property
    def _path(self) -> str:
        return str(self._opened[1])

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        try:
            import fsspec
        except ImportError:
            raise self._not_installed() from None
        with _explained(self.address):
            try:
                found: tuple[Any, str] = fsspec.core.url_to_fs(self.address, use_listings_cache=False)
            except ImportError as error:
                raise self._not_installed(str(error)) from error
            except ValueError as error:
                known = "s3://, gs://, hdfs://, https://"
                raise UserError(
                    f"{self.address} cannot be opened: {error}. Places are {known} and what fsspec knows."
                ) from error
        return found

    def _not_installed(self, said: str = "") -> UserError:
        wanted = _EXTRAS.get(self._scheme)
        how = f"Install it with: pip install '{wanted}'" if wanted else said or "Install it with: pip install fsspec"
        return UserError(f"{self._scheme}:// needs a package that is not here. {how}")

    def _make_room(self) -> None:
        if self._scheme not in _WITHOUT_FOLDERS:
            self._system.makedirs(self._path.rpartition("/")[0], exist_ok=True)

    def _see_the_bucket(self) -> None:
        """An empty folder looks like none; a bucket that is not there is an error all the same."""
        if self._scheme in ("s3", "s3a", "gs", "gcs"):
            self._system.ls(self._path.partition("/")[0])


def _version_in(state: dict[str, Any]) -> str:
    return next((str(state[name]) for name in _VERSIONS if state.get(name)), "")


@contextmanager
def _explained(address: str, *, doing: str = "read") -> Iterator[None]:
    """Say what is wrong with a place in words for a person."""
    bucket = address.partition("://")[2].partition("/")[0]
    try:
        yield
    except FileNotFoundError as error:
        if "specified bucket" in str(error).lower():
            raise MissingBucketError(f"{address}: there is no bucket {bucket!r}. Is its name right?") from error
        raise MissingPlaceError(f"{address} does not exist.") from error
    except PermissionError as error:
        raise UserError(
            f"{address} may not be {doing} with these credentials ({_short(error)}). Check which are used "
            "($AWS_PROFILE, $AWS_ACCESS_KEY_ID, $GOOGLE_APPLICATION_CREDENTIALS) and what they allow."
        ) from error
    except _failures() as error:
        raise _told(address, doing, error) from error


def _told(address: str, doing: str, error: Exception) -> UserError:
    kind, said = type(error).__name__, _short(error)
    if "Credentials" in kind or "credentials" in said.lower():
        return UserError(
            f"{address} could not be {doing}: no credentials were found ({said}). Set $AWS_ACCESS_KEY_ID and "
            "$AWS_SECRET_ACCESS_KEY, or $AWS_PROFILE (Google: $GOOGLE_APPLICATION_CREDENTIALS); for an S3 bucket "
            "that is open to all: FSSPEC_S3_ANON=true."
        )
    if "Connect" in kind or "Timeout" in kind or isinstance(error, ConnectionError | TimeoutError):
        return UserError(
            f"{address} could not be {doing}: its server does not respond ({said}). Is there a network, and is the "
            "address of the server right ($AWS_ENDPOINT_URL)?"
        )
    return UserError(f"{address} could not be {doing}: {kind}: {said}")


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:300].rstrip(".")


def _failures() -> tuple[type[Exception], ...]:
    """Return what the packages raise that are loaded."""
    found: list[type[Exception]] = [OSError]
    for module, names in _FAILURES.items():
        if module in sys.modules:
            found += [getattr(sys.modules[module], name) for name in names]
    return tuple(found)
