"""How many cores there are to work on, and how much memory."""

import os
from pathlib import Path


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_memory() -> int | None:
    """Return how many bytes of memory this process may still take; None where the system does not say."""
    found = [one for one in (_free_of_system(), _free_of_group()) if one is not None]
    return min(found, default=None)


def _free_of_system() -> int | None:
    table = Path("/proc/meminfo")
    if table.is_file():
        for line in table.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    if hasattr(os, "sysconf") and "SC_AVPHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _free_of_group() -> int | None:
    """Return what the limit of a container leaves."""
    folder = Path("/sys/fs/cgroup")
    try:
        limit, used = ((folder / name).read_text(encoding="ascii").strip() for name in ("memory.max", "memory.current"))
        return None if limit == "max" else max(0, int(limit) - int(used))
    except (OSError, ValueError):
        return None
