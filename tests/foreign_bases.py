"""Bases of somebody else, invented by chance: staff of companies, loans of a museum, tenants, a football league."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from asof.facts import FactStore, write_base
from asof.facts.rewrite import propose
from asof.sources import open_source
from asof.timeline import Date

Row = tuple[str, str, str, str, str]
HEADER = ("subject", "relation", "object", "start", "end")


def written(folder: Path, rows: Iterable[Row], name: str = "rows.csv") -> Path:
    """Write rows as a table."""
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return path


def base_of(folder: Path, rows: Iterable[Row], *, proposing: bool = True) -> FactStore:
    """Make a base of rows, as ``asof mine`` does."""
    path = written(folder, rows)
    write_base(folder / "base", [open_source(str(path))], known_by=Date.parse("2024-12-31"))
    if proposing:
        propose(folder / "base")
    return FactStore(folder / "base")


def day(number: float, precision: str = "day") -> str:
    """Write a day number as a date."""
    text = str(np.datetime64("1970-01-01") + int(number))
    return {"year": text[:4], "month": text[:7], "day": text}[precision]


def successions(
    chance: np.random.Generator, relation: str, facts: int, *, wrong: float = 0.0, precision: str = "day"
) -> list[Row]:
    """Make holders who follow each other, some after a pause, a share of them wrongly too early."""
    rows = []
    subjects = max(3, facts // 8)
    for subject in range(subjects):
        begin = 20_000 - int(chance.integers(3_000, 9_000))
        for _ in range(facts // subjects + 1):
            length = int(chance.integers(200, 2_500))
            early = length // 3 if chance.random() < wrong else 0
            holder = f"{relation} holder {chance.integers(10**9)}"
            dates = day(begin - early, precision), day(begin + length, precision)
            rows.append((f"{relation} of {subject}", relation, holder, *dates))
            begin += length + (0 if chance.random() < 0.7 else int(chance.integers(1, 400)))
    return rows


def by_chance(chance: np.random.Generator, relation: str) -> list[Row]:
    """Make facts that begin at any time and last for any time: of one relation, sparse or dense, precise or not."""
    reach = int(chance.choice([2, 10, 50, 200])) * 365
    mean = reach * chance.choice([0.005, 0.02, 0.1, 0.3, 1.0])
    precision = str(chance.choice(["day", "month", "year"]))
    shape = chance.choice(["fixed", "exponential", "uniform"])
    objects, most = chance.integers(2, 200), chance.integers(2, 12)
    rows = []
    for subject in range(chance.integers(3, 100)):
        for _ in range(chance.integers(1, most + 1)):
            begin = 20_000 - reach * chance.random()
            lengths = {"fixed": mean, "exponential": chance.exponential(mean), "uniform": 2 * mean * chance.random()}
            end = begin + max(1, lengths[str(shape)])
            said = "ongoing" if end > 20_050 else day(end, precision)
            thing = f"{relation} {chance.integers(objects)}"
            rows.append((f"{relation} of {subject}", relation, thing, day(begin, precision), said))
    return rows


def both_ways(
    chance: np.random.Generator, relation: str, inverse: str, pairs: int, *, missing: float = 0.0
) -> list[Row]:
    """Make pairs that stand both ways round, of one relation or of two; a share stands only one way."""
    rows = []
    for pair in range(pairs):
        begin = int(chance.integers(3_000, 15_000))
        dates = day(begin), day(begin + int(chance.integers(100, 4_000)))
        one, other = f"{relation} one {pair}", f"{relation} other {pair}"
        rows.append((one, relation, other, *dates))
        if chance.random() >= missing:
            rows.append((other, inverse, one, *dates))
    return rows
