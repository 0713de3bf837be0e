"""A made-up world of guilds as a messy table, with what was left out of it: facts to propose, and which are right.

Masters work for workshops of their guild, one after the other, with a pause of a year at most; they live where the
workshop is, belong to its guild, and were apprenticed at a school of their first town. Names of columns, dates and
words for "still" are as people write them. Some ends, some starts and some whole facts are not in the table.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

GUILDS, TOWNS, SCHOOLS = 8, 30, 30
THIS_YEAR = 2024
LEFT_OUT = {"end": 0.06, "start": 0.03, "fact": 0.03}
Row = tuple[str, str, str, int, int | None]  # who, what, whom, from, till; None is still so


@dataclass(frozen=True)
class Truth:
    """Facts that are in the world, and which of them the table lacks or has in part."""

    rows: list[Row]
    lacks: list[str]  # for each row "", "end", "start" or "fact"


def world(facts: int, seed: int) -> Truth:
    """Make up a world of about so many facts."""
    random = np.random.default_rng(seed)
    masters = max(20, facts // 9)
    workshops = [
        (f"Workshop {n}", n % GUILDS, int(random.integers(TOWNS))) for n in range(max(2 * GUILDS, masters // 20))
    ]
    of_guild = [[w for w in workshops if w[1] == guild] for guild in range(GUILDS)]
    rows: list[Row] = []
    for number in range(masters):
        name, guild = f"Master {number:05d}", int(random.integers(GUILDS))
        usual = 3 + 2 * (guild % 4)  # years with a workshop: 3, 5, 7 or 9, as the guild has it
        year = int(random.integers(1900, 2005))
        first = of_guild[guild][int(random.integers(len(of_guild[guild])))]
        rows.append((name, "apprenticed at", f"School of Town {first[2]}", year - 4, year - 1))
        rows.append((name, "belongs to", f"Guild {guild}", year, None))
        shop, jobs = first, int(random.integers(2, 6))
        for job in range(jobs):
            if job:
                shop = of_guild[guild][int(random.integers(len(of_guild[guild])))]
            end = year + max(1, usual + int(random.integers(-1, 2)))
            till = end if end < THIS_YEAR else None
            rows.append((name, "works for", shop[0], year, till))
            rows.append((name, "lives in", f"Town {shop[2]}", year, till))
            if till is None:
                break
            year = end + int(random.random() < 0.3)
            if year >= THIS_YEAR:
                break
    rows += [(w[0], "located in", f"Town {w[2]}", 1890, None) for w in workshops]
    rows += [(w[0], "trades as", f"Guild {w[1]}", 1890, None) for w in workshops]
    chance = random.random(len(rows))
    return Truth(rows, [_lack(row, one) for row, one in zip(rows, chance, strict=True)])


def _lack(row: Row, chance: float) -> str:
    if chance < LEFT_OUT["fact"]:
        return "fact"
    if chance < LEFT_OUT["fact"] + LEFT_OUT["start"]:
        return "start" if row[4] is not None else ""
    return "end" if chance < sum(LEFT_OUT.values()) and row[4] is not None else ""


def write_table(truth: Truth, path: Path, seed: int) -> None:
    """Write the table that a user has: other names of columns, dates in several forms, blanks, remarks."""
    random = np.random.default_rng(seed + 1)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["person or shop", "what", "whom", "from", "till", "remark"])
        order = random.permutation(len(truth.rows))
        for number in order.tolist():
            (who, what, whom, start, end), lacks = truth.rows[number], truth.lacks[number]
            if lacks == "fact":
                continue
            begun = "" if lacks == "start" else _written(start, random)
            over = "" if lacks == "end" else "present" if end is None else _written(end, random)
            table.writerow([who, what, whom, begun, over, "see ledger" if random.random() < 0.05 else ""])


def _written(year: int, random: np.random.Generator) -> str:
    """Write a year as a year, a month or a day."""
    form = random.random()
    return f"{year}" if form < 0.8 else f"{year}-{random.integers(1, 13):02d}" if form < 0.9 else f"{year}-06-15"


def judged(truth: Truth, table: Path) -> Iterator[tuple[dict[str, str], bool]]:
    """Give each proposal of a table, in its order, and whether it is right.

    A date is right if it is that very year; an object if the world has that fact at a time that meets the proposed one.
    """
    ends: set[tuple[str, str, str, int, int | None]] = set()
    starts: set[tuple[str, str, str, int | None, int]] = set()
    has: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
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
