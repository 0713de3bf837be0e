"""How building DynamicTempLAMA grows with the number of facts, side by side with a plain loop over facts and periods.

    python bench/dynamic_templama.py [SIZES...]      default: 10,000 to 1,000,000 facts

Facts are successions, five holders after each other for a subject and relation; all are asked, for the 14 quarters of
the paper and for the 100 quarters from 2000 to 2024. The loop is what one would write without asof: for each quarter
over all facts, a dict of the labels that are right, compared with the quarter before, one JSON line per item; over 100
quarters it runs up to 100,000 facts. Both must give the same items, splits and labels. Up to 100,000 facts the choice
also runs on Spark, where it is there. Each size has a process of its own; imports and a first build are not counted,
CPU seconds are, of Python and Java together, which other work on the machine does not disturb much. Writes
results/dynamic_templama.json and .png.
"""

import json
import resource
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from engines import cpu_seconds
from growth import keep, of_sizes, panels, start

from asof.benchmarks import build
from asof.benchmarks.dynamic_templama import DynamicTempLama
from asof.errors import UserError
from asof.facts import FactStore, write_base
from asof.facts.engines import open_engine
from asof.sources import open_source
from asof.timeline import Date, Period
from asof.timeline.calendar import calendar_day
from asof.wording import Wording

SIZES = (10_000, 100_000, 1_000_000)
RANGES = {"14 quarters": ("2019-Q1", "2022-Q2"), "100 quarters": ("2000-Q1", "2024-Q4")}
LONG_LOOP_UP_TO, SPARK_UP_TO = 100_000, 100_000
SENTENCES = {
    "P6": "_X_ is the head of the government of {}.",
    "P54": "{} plays for _X_.",
    "P108": "{} works for _X_.",
    "P286": "_X_ is the head coach of {}.",
    "P488": "_X_ is the chair of {}.",
    "P127": "{} is owned by _X_.",
}
HOLDERS = 5
EVERYBODY = 10**9


def make_table(path: Path, facts: int, seed: int = 7) -> None:
    """Write successions since 1990: each holder begins on the day after the one before, the last one goes on."""
    random = np.random.default_rng(seed)
    pairs = facts // HOLDERS
    relations = list(SENTENCES)
    begin = random.integers(Date.parse("1990").first, Date.parse("2015").last, pairs)
    lengths = random.integers(200, 2500, (pairs, HOLDERS))
    starts = begin[:, None] + np.cumsum(lengths, axis=1) - lengths
    ends = (starts + lengths - 1).ravel()
    objects = random.integers(1, facts // 4 + 2, pairs * HOLDERS).astype(str)
    subjects = np.repeat(np.arange(pairs) // len(relations), HOLDERS).astype(str)
    columns = {
        "subject": np.char.add("S", subjects),
        "relation": np.array(relations)[np.repeat(np.arange(pairs) % len(relations), HOLDERS)],
        "object": np.char.add("O", objects),
        "start": iso(starts.ravel()),
        "end": np.where(ends < Date.parse("2024-12-31").last, iso(ends), "ongoing"),
        "subject_label": np.char.add("Subject ", subjects),
        "object_label": np.char.add("Holder ", objects),
    }
    pq.write_table(pa.table({name: pa.array(column) for name, column in columns.items()}), path)


def iso(days: np.ndarray) -> np.ndarray:
    """Write day numbers as dates."""
    parts = [np.char.zfill(part.astype(str), 2) for part in calendar_day(days.astype(np.int64))]
    return np.char.add(np.char.add(np.char.add(np.char.add(parts[0], "-"), parts[1]), "-"), parts[2])


def spent(action: Callable[[], object]) -> dict[str, float]:
    """Return the seconds that an action takes, of the processor and by the clock."""
    began, worked = time.perf_counter(), cpu_seconds()
    action()
    return {"cpu": cpu_seconds() - worked, "clock": time.perf_counter() - began}


def plain_loop(table: Path, target: Path, begin: Period, end: Period) -> dict[str, int]:
    """Build the same items without asof; dates are compared as text, which suits ISO days."""
    rows = list(zip(*pq.read_table(table).to_pydict().values(), strict=True))
    before: dict[tuple[str, str], list[str]] | None = None
    counts: Counter[str] = Counter()
    with target.open("w", encoding="utf-8") as file:
        for period in begin.to(end):
            first, last = str(Date.from_day(period.first)), str(Date.from_day(period.last))
            world: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
            names: dict[tuple[str, str], str] = {}
            for subject, relation, _, start, end, subject_label, object_label in rows:
                if start <= last and end >= first:  # "ongoing" sorts after all dates
                    key = subject, relation
                    names[key] = subject_label
                    if object_label not in world[key]:
                        world[key].append(object_label)
            for (subject, relation), answers in world.items():
                split = None
                if before is not None:
                    old = before.get((subject, relation))
                    split = "new" if old is None else "unchanged" if set(old) == set(answers) else "updated"
                counts[str(split)] += 1
                counts["labels"] += len(answers)
                item = {
                    "id": f"{subject} {relation} @ {period}",
                    "prompt": SENTENCES[relation].format(names[subject, relation]),
                    "answers": answers,
                    "group": f"{subject}|{relation}",
                    "period": str(period),
                    "split": split,
                }
                file.write(json.dumps(item) + "\n")
            before = dict(world)
    return dict(counts)


def one_size(facts: int) -> dict[str, object]:
    """Measure one size in this process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = folder / "facts.parquet"
        make_table(table, facts)
        write_base(folder / "base", [open_source(str(table))])
        store = FactStore(folder / "base")
        build(folder / "built", DynamicTempLama(facts=1), store, Wording())  # to warm up
        result: dict[str, object] = {"facts": facts}
        for words, (first, last) in RANGES.items():
            kind = DynamicTempLama(subjects=EVERYBODY, first=first, last=last)
            mine = spent(lambda kind=kind: build(folder / "built", kind, store, Wording()))  # type: ignore[misc]
            found = {"asof": mine, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
            ours = counted(folder / "built" / "items.parquet")
            found["items"] = sum(count for split, count in ours.items() if split != "labels")
            if words == "14 quarters" or facts <= LONG_LOOP_UP_TO:
                theirs: dict[str, int] = {}
                periods = Period.parse(first), Period.parse(last)
                loop = lambda: theirs.update(plain_loop(table, folder / "loop.jsonl", *periods))  # noqa: B023, E731
                found |= {"loop": spent(loop), "same": ours == theirs}
            result[words] = found
        if facts <= SPARK_UP_TO:
            result["spark"] = on_spark(store, *RANGES["14 quarters"])
    return result


def on_spark(store: FactStore, first: str, last: str) -> dict[str, object] | None:
    """Make the items of the first range on both engines; None where there is no Spark."""
    try:
        spark = open_engine("spark")
    except UserError:
        return None
    kind = DynamicTempLama(subjects=EVERYBODY, first=first, last=last)
    tables: dict[str, list[pa.Table]] = {}
    result: dict[str, object] = {}
    for engine in (spark, open_engine()):
        make = lambda: list(kind.made(store, Wording(), engine=engine).tables)  # noqa: B023, E731
        make()
        result[engine.name] = spent(lambda: tables.update({engine.name: make()}))  # noqa: B023
    return result | {"same": tables["spark"] == tables["duckdb"]}


def counted(path: Path) -> dict[str, int]:
    """Count the splits of items and all their labels, as the loop does."""
    items = pq.read_table(path, columns=["split", "answers"])
    splits = {str(row["values"]): row["counts"] for row in items["split"].value_counts().to_pylist()}
    return splits | {"labels": int(pc.sum(pc.list_value_length(items["answers"])).as_py())}


def plot(results: list[dict[str, object]], path: Path) -> None:
    """Draw the growth curves."""
    with panels(path, size=(11, 4.5), columns=2) as axes:
        for axis, words in zip(axes, RANGES, strict=True):
            for name, mark in (("loop", "s--"), ("asof", "o-")):
                there = [result for result in results if name in result[words]]  # type: ignore[operator]
                seconds = [result[words][name]["cpu"] for result in there]  # type: ignore[index]
                axis.loglog(
                    [result["facts"] for result in there], seconds, mark, label=name.replace("loop", "plain loop")
                )
            axis.set(title=f"building DynamicTempLAMA, {words}", xlabel="facts", ylabel="CPU seconds")


def main(sizes: list[int]) -> None:
    """Measure all sizes, print them with the ratio, write JSON and plot."""
    results = []
    for facts, result in zip(sizes, of_sizes(__file__, sizes), strict=True):
        results.append(result)
        for words in RANGES:
            found = result[words]
            told = f"asof {found['asof']['cpu']:.1f} CPU s ({found['asof']['clock']:.1f} s), {found['items']:,} items"
            if "loop" in found:
                ratio = found["loop"]["cpu"] / found["asof"]["cpu"]
                told += f"; loop {found['loop']['cpu']:.1f} CPU s, {ratio:.1f}×, same items: {found['same']}"
            print(f"{facts:>10,} facts  {words:>12}  {told}", flush=True)
        if result.get("spark"):
            both = {name: round(result["spark"][name]["cpu"], 1) for name in ("duckdb", "spark")}
            print(f"{facts:>10,} facts  CPU s by engine: {both}; same items: {result['spark']['same']}")
    keep("dynamic_templama", results, plot)


if __name__ == "__main__":
    start(one_size, main, SIZES)
