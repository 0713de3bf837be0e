"""What a network is made of: sizes by name, and how much memory its training takes."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from asof.errors import UserError

Rewrites = Literal["blank", "all"]

_BYTES_OF_A_WEIGHT = 16  # itself, its gradient and the two means of Adam, four bytes each
_COPIES_OF_SCORES = 2  # of each statement with each answer, while a step lasts


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """An encoder of statements.

    Args:
        inner: The width inside a layer, between its two products.
        rewrites: Whose state a layer computes anew. The blank alone: it looks at the words again and again, which
            stay as they are. For statements that are learnt by heart that is enough, and a layer costs a fraction. All:
            every word, as BERT does.
        norm: Before each part of a layer, which is easier to train from nothing, or after it, as BERT does.
        positions: Counted from the blank, or from the start of the statement.
        longest: How many positions there are.
        out: The width of what is compared with answers.
    """

    width: int = 128
    layers: int = 2
    heads: int = 4
    inner: int = 512
    rewrites: Rewrites = "blank"
    norm: Literal["before", "after"] = "before"
    positions: Literal["from blank", "from start"] = "from blank"
    longest: int = 128
    out: int = 128


SIZES = {
    "tiny": Architecture(width=32, layers=2, heads=2, inner=128, out=32),
    "small": Architecture(),
    "medium": Architecture(width=256, layers=3, heads=4, inner=1024, out=256),
    "large": Architecture(width=512, layers=4, heads=8, inner=2048, out=512),
}


def own_size(name: str) -> Architecture | None:
    """Return the architecture of a size: a name, or width and layers; None for anything else.

    >>> own_size("64x3").width, own_size("64x3").layers, own_size("minilm")
    (64, 3, None)
    """
    if name in SIZES:
        return SIZES[name]
    found = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,2})", name)
    if not found:
        return None
    width, layers = int(found[1]), int(found[2])
    if width < 8 or width % 8 or not layers:
        raise UserError(f"Size {name!r}: the width must be a multiple of 8, and there must be a layer.")
    return Architecture(width=width, layers=layers, heads=max(1, width // 32), inner=4 * width, out=width)


def bytes_needed(architecture: Architecture, *, tokens: int, answers: int, batch: int, scored: int) -> int:
    """Return about how much memory a training takes.

    Args:
        tokens: The size of the vocabulary.
        scored: How many answers a statement is compared with at most.
    """
    width, inner = architecture.width, architecture.inner
    layers = architecture.layers * (4 * width * width + 2 * width * inner)
    weights = layers + (tokens + architecture.longest) * width + (answers + width) * architecture.out
    return _BYTES_OF_A_WEIGHT * weights + _COPIES_OF_SCORES * 4 * batch * scored


def see_that_it_fits(needed: int, free: int | None, *, answers: int, width: int) -> None:
    """Raise an error when a training would not fit into memory; before anything of it is allocated."""
    if free is not None and needed > free:
        raise UserError(
            f"Training would take about {_gigabytes(needed)}; {_gigabytes(free)} are free. There are {answers:,} "
            f"answers of {width} numbers each. Use --size tiny or a smaller batch (--set batch=64), or build the "
            "benchmark from fewer facts: asof build lama-tk --limit N"
        )


def free_memory() -> int | None:
    """Return how many bytes this process may still take, None where the system does not say."""
    found = []
    meminfo = Path("/proc/meminfo")
    if meminfo.is_file():
        lines = dict(line.split(":", 1) for line in meminfo.read_text(encoding="ascii").splitlines() if ":" in line)
        if "MemAvailable" in lines:
            found.append(int(lines["MemAvailable"].split()[0]) * 1024)
    elif hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    limit, used = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
    if limit.is_file() and used.is_file():
        most = limit.read_text(encoding="ascii").strip()
        if most.isdigit():
            found.append(max(0, int(most) - int(used.read_text(encoding="ascii"))))
    return min(found) if found else None


def _gigabytes(bytes_: int) -> str:
    return f"{bytes_ / 1e9:,.1f} GB"
