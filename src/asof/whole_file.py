"""Files and folders that are there whole or not at all: written beside their place, made to last, then renamed."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from asof.errors import UserError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a place to write to; it becomes the file when all is written, and goes away otherwise."""
    temporary = path.with_name(f".{path.name}.new")
    try:
        yield temporary
        sync_file(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def write_whole(
    path: Path, write: Callable[[Path], object], *, then: str = "Free some space and run the same command again."
) -> None:
    """Write a file, or say that it could not be written and what to do then.

    Args:
        write: Writes all of it to the path that it is given.
    """
    try:
        with whole_file(path) as temporary:
            write(temporary)
    except OSError as error:
        kept = "What was there before is unchanged." if path.exists() else "Nothing was written."
        raise UserError(f"{path} could not be written: {error.strerror or error}. {kept} {then}") from error


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    write_whole(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """Give an empty folder to fill; it takes the place of the one before when all is written, and goes away otherwise.

    There are two renames: killed between them, the one before is still there under a name that ends in ``.before``.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    before = temporary.with_name(f"{temporary.name}.before")
    try:
        yield temporary
        for path in temporary.rglob("*"):
            if path.is_file():
                path.chmod(0o644)
                sync_file(path)
        temporary.chmod(0o755)
        if folder.exists():
            folder.rename(before)
        temporary.rename(folder)
        shutil.rmtree(before, ignore_errors=True)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    sync_folder(folder.parent)


def sync_file(path: Path) -> None:
    """Make what was written to a file last through a power cut."""
    with path.open("r+b") as file:  # Windows syncs no file that was opened for reading alone
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make renames in a folder last through a power cut; Windows opens no folder, and needs nothing."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
