"""Statements about offices that nobody held, as lama-tk has them."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from asof.benchmarks import BLANK, Account, Benchmark, BenchmarkTables, save

Fact = tuple[str, str, str, str]  # subject, object, start, end

PEOPLE = ("Ann Lee", "Bo Katz", "Cy Young", "Dee Smith", "Eve O'Neil", "Flo (poet)", "Gus Hall, Jr.", "Hal de la Cruz")
OFFICES = ("mayor of Ely", "mayor of Ayr", "warden", "judge")


def held(count: int) -> list[Fact]:
    """Make facts, some of which share all but the person."""
    return [
        (
            f"{PEOPLE[number % len(PEOPLE)]}{'' if number < len(PEOPLE) else f' {number}'}",
            OFFICES[number * 7 % len(OFFICES)],
            str(1900 + number * 13 % 40),
            str(1941 + number * 5 % 30),
        )
        for number in range(count)
    ]


def table_of(facts: Sequence[Fact]) -> pa.Table:
    """Write statements with four blanks for each fact, and all answers to the same prompt."""
    rows = []
    for fact in facts:
        said = dict(zip(("subject", "object", "start", "end"), fact, strict=True))
        for place in said:
            prompt = "{subject} held the office of {object} from {start} to {end}.".format(**said | {place: BLANK})
            times = {"start": said["start"], "end": said["end"]}
            rows.append({"group": " ".join(fact), "place": place, "prompt": prompt, "answer_id": said[place]} | times)
    right: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        right[row["prompt"]].append(row["answer_id"])
    for row in rows:
        others = [one for one in dict.fromkeys(right[row["prompt"]]) if one != row["answer_id"]]
        row["answers"] = [row["answer_id"], *others]  # type: ignore[assignment]
        row["id"] = f"{row['group']} {row['place']}"
    return pa.Table.from_pylist(rows)


def benchmark_of(folder: Path, facts: Sequence[Fact]) -> Benchmark:
    """Write a benchmark of statements."""
    about = {
        "name": "lama-tk", "paper": "", "probe": "fill-one", "base": {"name": "offices", "hash": ""},
        "language": "en", "settings": {},
    }  # fmt: skip
    return save(folder, BenchmarkTables(iter([table_of(facts)]), Account()), about)
