"""How mining, as-of queries and snapshots grow with the number of facts, side by side with SQLite in the same run.

    python bench/knowledge_base.py [SIZES...]      default: 10,000 to 10,000,000 facts

Each size runs in a process of its own, so that its peak memory is its own. Writes results/knowledge_base.json and .png.
"""

import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from growth import keep, of_sizes, panels, start

from asof.facts import FactStore, write_base
from asof.facts.snapshots import difference, snapshot
from asof.sources import open_source
from asof.timeline import Date, Period
from asof.timeline.calendar import calendar_day

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
QUARTER = Period.parse("2001-Q3")
REPEATS = 25


def make_table(path: Path, facts: int, seed: int = 7) -> None:
    """Write synthetic facts: ten per subject, spells of up to eight years since 1900, three precisions, some open."""
    random = np.random.default_rng(seed)
    start = random.integers(Date.parse("1900").first, Date.parse("2020").last, facts)
    end = start + random.integers(30, 8 * 365, facts)
    columns = {
        "subject": np.char.add("Q", random.integers(1, facts // 10 + 2, facts).astype(str)),
        "relation": np.char.add("P", random.integers(1, 21, facts).astype(str)),
        "object": np.char.add("Q", random.integers(1, facts // 20 + 2, facts).astype(str)),
        "start": written(start, random.integers(0, 3, facts)),
        "end": np.where(random.random(facts) < 0.1, "ongoing", written(end, random.integers(0, 3, facts))),
    }
    pq.write_table(pa.table({name: pa.array(column) for name, column in columns.items()}), path)


def written(days: np.ndarray, precision: np.ndarray) -> np.ndarray:
    """Write day numbers as days, months or years."""
    year, month, day = (np.char.zfill(part.astype(str), 2) for part in calendar_day(days.astype(np.int64)))
    monthly = np.char.add(np.char.add(year, "-"), month)
    return np.choose(precision, [np.char.add(np.char.add(monthly, "-"), day), monthly, year])


def timed(action: Callable[[], object], repeats: int = 1) -> float:
    """Return the median time of an action in seconds."""
    spans = []
    for _ in range(repeats):
        began = time.perf_counter()
        action()
        spans.append(time.perf_counter() - began)
    return median(spans)


def measure_asof(table: Path, folder: Path, facts: int) -> dict[str, float]:
    """Mine a table with asof and ask the base."""
    result = {"mine_s": timed(lambda: write_base(folder, [open_source(str(table))]))}
    result["mine_peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    store = FactStore(folder)
    subjects = some_subjects(facts)
    store.facts(subject=next(subjects), on="2001-07-01")
    result["as_of_ms"] = 1000 * timed(lambda: store.facts(subject=next(subjects), on="2001-07-01"), REPEATS)
    result["snapshot_s"] = timed(lambda: snapshot(store, QUARTER), 3)
    result["difference_s"] = timed(lambda: difference(store, QUARTER, QUARTER + 1), 3)
    result["base_mb"] = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    return result


def measure_sqlite(table: Path, path: Path, facts: int) -> dict[str, float]:
    """Do what one would do without asof: dates as text in the standard library's SQLite, an index on the subject.

    It has no precision, no labels and no manifest, and compares "2001" with "2001-07-01" as text.
    """
    database = sqlite3.connect(path)

    def load() -> None:
        database.execute("CREATE TABLE facts (subject, relation, object, start, end)")
        for batch in pq.ParquetFile(table).iter_batches(50_000):
            database.executemany("INSERT INTO facts VALUES (?,?,?,?,?)", zip(*batch.to_pydict().values(), strict=True))
        database.execute("CREATE INDEX by_subject ON facts (subject)")
        database.commit()

    first, last = str(Date.from_day(QUARTER.first)), str(Date.from_day(QUARTER.last))
    one = "SELECT * FROM facts WHERE subject = ? AND start <= ? AND end >= ?"
    whole = (
        "SELECT subject, relation, group_concat(DISTINCT object) FROM facts "
        "WHERE start <= ? AND end >= ? GROUP BY subject, relation"
    )
    subjects = some_subjects(facts)
    return {
        "mine_s": timed(load),
        "as_of_ms": 1000 * timed(lambda: database.execute(one, (next(subjects), last, first)).fetchall(), REPEATS),
        "snapshot_s": timed(lambda: database.execute(whole, (last, first)).fetchall()),
    }


def some_subjects(facts: int) -> Iterator[str]:
    """Return subjects drawn at random, the same ones for both."""
    return iter(f"Q{number}" for number in np.random.default_rng(1).integers(1, facts // 10 + 2, 10_000))


def one_size(facts: int) -> dict[str, object]:
    """Measure one size in this process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, __file__, "--table", str(folder / "facts.parquet"), str(facts)], check=True)
        ours = measure_asof(folder / "facts.parquet", folder / "base", facts)
        peer = measure_sqlite(folder / "facts.parquet", folder / "facts.sqlite", facts)
    return {"facts": facts, "asof": ours, "sqlite": peer}


def plot(results: list[dict[str, object]], path: Path) -> None:
    """Draw growth curves."""
    titles = {
        "mine_s": "write a base (s)",
        "as_of_ms": "as-of, one subject (ms)",
        "snapshot_s": "snapshot of a quarter (s)",
    }
    with panels(path, size=(13, 4), columns=3) as axes:
        sizes = [result["facts"] for result in results]
        for axis, (key, title) in zip(axes, titles.items(), strict=True):
            for engine, mark in (("asof", "o-"), ("sqlite", "s--")):
                axis.loglog(sizes, [result[engine][key] for result in results], mark, label=engine)
            axis.set(title=title, xlabel="facts")


def main(sizes: list[int]) -> None:
    """Measure all sizes, print them with ratios, write JSON and plot."""
    results = []
    for facts, result in zip(sizes, of_sizes(__file__, sizes), strict=True):
        results.append(result)
        ours, peer = result["asof"], result["sqlite"]
        print(f"{facts:>12,} facts  " + "  ".join(f"{key} {value:.3g}" for key, value in ours.items()))
        print(" " * 20 + "  ".join(f"{key}: sqlite/asof {peer[key] / ours[key]:.2f}" for key in peer))
    keep("knowledge_base", results, plot)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--table"]:
        make_table(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        start(one_size, main, SIZES)
