"""One writer at a time. The system lets go of a lock when the process ends, however it ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from asof.errors import UserError


@contextmanager
def hold_lock(path: Path, *, otherwise: str, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock of a file that holds nothing else, or say why another one has it.

    Args:
        wait: So many seconds for the other one to finish.
    """
    from filelock import FileLock, Timeout  # loads asyncio, for which those who only read need not wait

    lock = FileLock(path, timeout=wait)
    try:
        lock.acquire()
    except Timeout:
        raise UserError(otherwise) from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder."""
    otherwise = f"Another asof process is writing to {folder}. Wait for it to finish, or choose another folder."
    with hold_lock(folder / ".lock", otherwise=otherwise):
        yield
