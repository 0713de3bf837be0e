"""Which proposals about the world of guilds are right: what was left out is known."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from careers import Truth


def judged(truth: Truth, table: Path) -> Iterator[tuple[dict[str, str], bool]]:
    """Give each proposal, in the order of the table, and whether it is right.

    A date is right if it is that very year; an object if the world has that fact at a time that meets the proposed one.
    """
    ends, starts, has = set(), set(), {}
    for who, what, whom, start, end in truth.rows:
        ends.add((who, what, whom, start, end))
        starts.add((who, what, whom, end, start))
        has.setdefault((who, what, whom), []).append((start, end or 9999))
    with table.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            fact = row["subject"], row["relation"], row["object"]
            start, end = int(row["start"] or -9999), int(row["end"] or 9999)
            if row["proposed"] == "object":
                yield row, any(begun <= end and start <= over for begun, over in has.get(fact, ()))
            else:
                yield row, (*fact, start, end) in ends if row["proposed"] == "end" else (*fact, end, start) in starts
