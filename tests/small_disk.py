"""A real small disk to fill: a file system in memory."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a disk of a size, such as 64k; where the system does not let us, the test is skipped."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("this system lets us mount no file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def enlarge(disk: Path, size: str) -> None:
    """Give a disk more space."""
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)
