"""One writer at a time. The system lets go of a lock when the process ends, however it ends."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from asof.errors import UserError


def take_lock(file: IO[Any], *, otherwise: str) -> None:
    """Lock an open file until it is closed, or say why another one has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UserError(otherwise) from None


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder."""
    with (folder / ".lock").open("w") as file:
        take_lock(file, otherwise=f"Another asof is writing to {folder}. Wait for it, or choose another folder.")
        yield
