"""One set of definitions on two engines: DuckDB in this process and Spark on the cores of this machine, side by side.

    python bench/engines.py [SIZES...] [--spark-up-to FACTS]      default: 10,000 to 1,000,000, Spark up to 100,000

Each size runs in a process of its own. Start-up is told apart; every step runs once to warm up and is then timed, by
the clock and in CPU seconds of Python and Java together, which other work on the machine does not disturb much. Rows of
both engines are compared. Writes results/engines.json and .png, which shows CPU seconds.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from growth import by_itself, keep, panels
from knowledge_base import make_table

from asof import registry
from asof.facts import FactStore, write_base
from asof.facts import definitions as define
from asof.facts.definitions.tables import Tables, in_order
from asof.facts.engines import Engine, open_engine
from asof.sources import open_source
from asof.timeline import Date, Period

SIZES = (10_000, 100_000, 1_000_000)
SPARK_UP_TO = 100_000
FIRST, LAST = Period.parse("2000-Q1"), Period.parse("2002-Q4")


def steps() -> dict[str, object]:
    """Return what is measured: the selection, grouping, snapshots, differences and items of a base, and a recipe."""
    tables = Tables()
    facts = tables.facts
    *_, timeqa = registry.recipes.get("timeqa")().rules(tables)
    return {
        "hold on a day": define.facts_in_order(define.holding(facts, Date.parse("2001-07-01"))),
        "histories": define.histories(facts).order_by(in_order("subject", "relation")),
        "difference": define.difference(*(define.snapshot(facts, period) for period in (FIRST, FIRST + 1))),
        "12 quarters": define.steps(facts, FIRST, LAST, statuses=("updated", "new", "deleted")),
        "items": define.items(tables, FIRST, LAST),
        "timeqa": define.facts_in_order(timeqa.facts),
    }


def cpu_seconds() -> float:
    """Return the CPU time of this process and of all that it started, such as Spark's Java."""
    family, grew = {os.getpid()}, True
    stats = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8", errors="replace").rpartition(") ")[2].split()
        except OSError:
            continue  # it ended while we looked
        stats[int(path.parent.name)] = (int(fields[1]), int(fields[11]) + int(fields[12]))
    while grew:
        children = {pid for pid, (parent, _) in stats.items() if parent in family} - family
        family, grew = family | children, bool(children)
    return sum(stats[pid][1] for pid in family) / os.sysconf("SC_CLK_TCK")


def measure(engine: Engine, store: FactStore) -> tuple[dict[str, dict[str, float]], dict[str, object]]:
    """Return the seconds of each step by the clock and of the processor, and its rows."""
    seconds, rows = {}, {}
    for name, expression in steps().items():
        engine.table(expression, store)  # type: ignore[arg-type]
        began, worked = time.perf_counter(), cpu_seconds()
        rows[name] = engine.table(expression, store)  # type: ignore[arg-type]
        seconds[name] = {"clock": time.perf_counter() - began, "cpu": cpu_seconds() - worked}
    return seconds, rows


def one_size(facts: int, with_spark: bool) -> dict[str, object]:
    """Measure one size in this process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_table(folder / "facts.parquet", facts)
        write_base(folder / "base", [open_source(str(folder / "facts.parquet"))])
        store = FactStore(folder / "base")
        result: dict[str, object] = {"facts": facts}
        found = {}
        for engine_name in ("duckdb", "spark") if with_spark else ("duckdb",):
            began, worked = time.perf_counter(), cpu_seconds()
            engine = open_engine(engine_name)
            start = {"clock": time.perf_counter() - began, "cpu": cpu_seconds() - worked}
            seconds, found[engine_name] = measure(engine, store)
            result[engine_name] = {"start": start} | seconds
        if with_spark:
            result["same_rows"] = all(found["spark"][step].equals(rows) for step, rows in found["duckdb"].items())
        result["rows"] = {step: rows.num_rows for step, rows in found["duckdb"].items()}
    return result


def plot(results: list[dict[str, object]], path: Path) -> None:
    """Draw growth curves, one panel for each step."""
    with panels(path, size=(13, 7), columns=3, rows=2) as axes:
        for axis, step in zip(axes, steps(), strict=True):
            for engine, mark in (("duckdb", "o-"), ("spark", "s--")):
                there = [result for result in results if engine in result]
                axis.loglog([r["facts"] for r in there], [r[engine][step]["cpu"] for r in there], mark, label=engine)
            axis.set(title=f"{step} (CPU s)", xlabel="facts")


def main(sizes: list[int], spark_up_to: int) -> None:
    """Measure all sizes, print them with ratios, write JSON and plot."""
    results = []
    for facts in sizes:
        result = by_itself(__file__, "--one", str(facts), str(int(facts <= spark_up_to)))
        results.append(result)
        for engine in (name for name in ("duckdb", "spark") if name in result):
            told = "  ".join(f"{step} {spent['cpu']:.2f}" for step, spent in result[engine].items())
            print(f"{facts:>12,} facts  {engine:6}  CPU s: {told}", flush=True)
        if "spark" in result:
            ratios = (f"{step} {result['spark'][step]['cpu'] / result['duckdb'][step]['cpu']:.0f}×" for step in steps())
            print(" " * 20 + f"Spark/DuckDB: {', '.join(ratios)}; same rows: {result['same_rows']}")
    keep("engines", results, plot)


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["--one"]:
        print(json.dumps(one_size(int(words[1]), words[2] == "1")))
    else:
        limit = SPARK_UP_TO
        if "--spark-up-to" in words:
            place = words.index("--spark-up-to")
            limit = int(words[place + 1])
            words = words[:place] + words[place + 2 :]
        main([int(size) for size in words] or list(SIZES), limit)
