"""Keep memory from step to step, instead of giving it back to the system and asking for it again.

Every step of a training takes and leaves the same large tensors. glibc hands each of them back at once, so that the
next step gets pages that the system has to clear first; with DE-SimplE that is half of the time.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Iterator
from contextlib import contextmanager

# The numbers of glibc's malloc.h.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _MMAP_MAX = -1, -3, -4
_NEVER = -1
_MIB = 1 << 20

_inside = 0


@contextmanager
def kept_memory() -> Iterator[None]:
    """Keep what is freed, then give back what is free; where the C library is not glibc, nothing is done.

    Once told anything, glibc no longer moves its thresholds by itself. So it is left with those that it comes to
    where large pieces are freed: 32 MiB, and twice that.
    """
    global _inside
    glibc = _glibc()
    if not glibc:
        yield
        return
    if not _inside:
        glibc.mallopt(_MMAP_MAX, 0)
        glibc.mallopt(_TRIM_THRESHOLD, _NEVER)
    _inside += 1
    try:
        yield
    finally:
        _inside -= 1
        if not _inside:
            glibc.mallopt(_MMAP_MAX, 65_536)
            glibc.mallopt(_MMAP_THRESHOLD, 32 * _MIB)
            glibc.mallopt(_TRIM_THRESHOLD, 64 * _MIB)
            glibc.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    return ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None
