"""How taking a day's changes into a base compares with mining again, and what remembering costs those who ask.

    python bench/update.py [SIZES...]      default: 100,000 and 1,000,000 facts; 10,000,000 takes some minutes

A base of Wikidata's form gets the changes of one day as entity JSON: fifteen in a hundred of its entities are edited,
and a tenth of those change a dated statement: most edits do not. Then nine smaller days, so that there is
a history. Each size runs in a process of its own. Writes results/update.json and .png.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
from growth import keep, of_sizes, panels, start

from asof.facts import ENTITIES, RELATIONS, FactStore, Intake, write_base
from asof.facts.schema import REVISIONS
from asof.facts.snapshots import snapshot
from asof.facts.update import BaseUpdate, update_base
from asof.sources import open_source
from asof.timeline import Date, Period

SIZES = (100_000, 1_000_000)
FACTS_OF_A_SUBJECT = 5
EDITED = 0.15  # of the entities: 300,000 of the 2,000,000 in a base of 10,000,000 facts
CHANGED = 0.1  # of those
REPEATS = 100
BATCH = 100_000
FIRST = "2024-05-01"


class GeneratedWiki:
    """A base of Wikidata's form: statements with ids, entities with labels, and a revision of each."""

    name = "generated"
    known_by = Date.parse(FIRST)

    def __init__(self, facts: int) -> None:
        self.facts_count, self.subjects = facts, facts // FACTS_OF_A_SUBJECT

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        """Give the facts, the same ones each time."""
        for first in range(0, self.facts_count, BATCH):
            numbers = np.arange(first, min(first + BATCH, self.facts_count))
            rows, best = columns_of(numbers), pa.repeat(pa.scalar(True), len(numbers))
            yield intake.batch(file=self.name, lines=numbers, source=self.name, best=best, **rows)

    def entities(self) -> Iterator[pa.RecordBatch]:
        """Give names and popularity."""
        for first in range(0, self.subjects, BATCH):
            ids = [f"Q{number}" for number in range(first, min(first + BATCH, self.subjects))]
            rows = [
                {"id": id, "label": f"Thing {id}", "aliases": [], "description": f"a thing with the number {id}",
                 "kind": None, "popularity": float(len(id))}
                for id in ids
            ]  # fmt: skip
            yield pa.RecordBatch.from_pylist(rows, schema=ENTITIES)

    def relations(self) -> list[pa.RecordBatch]:
        """Say nothing of relations."""
        return [pa.RecordBatch.from_pylist([], schema=RELATIONS)]

    def revisions(self) -> Iterator[pa.RecordBatch]:
        """Give a revision of each entity."""
        for first in range(0, self.subjects, BATCH):
            numbers = range(first, min(first + BATCH, self.subjects))
            rows = [
                {"id": f"Q{n}", "revision": 1_000 + n, "modified": None, "state": "live", "target": None}
                for n in numbers
            ]
            yield pa.RecordBatch.from_pylist(rows, schema=REVISIONS)


def columns_of(numbers: np.ndarray, moved: int = 0) -> dict[str, pa.Array]:
    """Return facts by their numbers; five belong to each subject."""
    start = 1900 + (numbers * 7) % 110
    subjects = numbers // FACTS_OF_A_SUBJECT
    said = {
        "subject": [f"Q{n}" for n in subjects.tolist()],
        "relation": [f"P{n}" for n in (numbers % 20 + 1).tolist()],
        "object": [f"Q{n}" for n in ((numbers * 13) % 99_991).tolist()],
        "start": start.astype(str).tolist(),
        "end": (start + 1 + numbers % 7 + moved).astype(str).tolist(),
        "statement": [f"Q{s}$s{n}" for s, n in zip(subjects.tolist(), numbers.tolist(), strict=True)],
    }
    return {name: pa.array(values, pa.string()) for name, values in said.items()}


def write_day(path: Path, subjects: np.ndarray, day: int) -> Path:
    """Write the edited entities of a day, one on each line; a tenth of them has one other end."""
    with path.open("w", encoding="utf-8") as file:
        for place, subject in enumerate(subjects.tolist()):
            moved = day if place < len(subjects) * CHANGED else 0
            file.write(json.dumps(entity(subject, day, moved), separators=(",", ":")) + "\n")
    return path


def entity(number: int, day: int, moved: int) -> dict[str, Any]:
    """Return an entity as Wikidata writes it."""
    rows = columns_of(np.arange(number * FACTS_OF_A_SUBJECT, (number + 1) * FACTS_OF_A_SUBJECT))
    claims: dict[str, list[Any]] = {}
    for place, row in enumerate(pa.table(rows).to_pylist()):
        end = str(int(row["end"]) + (moved if place == 0 else 0))
        claims.setdefault(row["relation"], []).append(
            {
                "mainsnak": {
                    "snaktype": "value", "property": row["relation"],
                    "datavalue": {"value": {"entity-type": "item", "id": row["object"]}, "type": "wikibase-entityid"},
                    "datatype": "wikibase-item",
                },
                "type": "statement", "id": row["statement"], "rank": "normal",
                "qualifiers": {"P580": [date_of("P580", row["start"])], "P582": [date_of("P582", end)]},
            }
        )  # fmt: skip
    id = f"Q{number}"
    return {
        "type": "item", "id": id, "labels": {"en": {"language": "en", "value": f"Thing {id}"}},
        "descriptions": {"en": {"language": "en", "value": f"a thing with the number {id}"}}, "aliases": {},
        "claims": claims, "sitelinks": {f"w{n}": {"site": f"w{n}", "title": id, "badges": []} for n in range(len(id))},
        "lastrevid": 1_000_000_000 + day * 10_000_000 + number, "modified": f"2024-05-{day + 1:02d}T10:00:00Z",
    }  # fmt: skip


def date_of(property: str, year: str) -> dict[str, Any]:
    """Return a qualifier with a year."""
    time_value = {
        "time": f"+{year}-00-00T00:00:00Z", "timezone": 0, "before": 0, "after": 0, "precision": 9,
        "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
    }  # fmt: skip
    return {"snaktype": "value", "property": property, "datavalue": {"value": time_value, "type": "time"}}


def one_size(facts: int) -> dict[str, Any]:
    """Measure one size in this process."""
    random = np.random.default_rng(facts)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        base, wiki = folder / "base", GeneratedWiki(facts)
        result: dict[str, Any] = {"facts": facts, "mine": timed(lambda: write_base(base, [wiki]))}
        result["before"] = asked(base, facts, None)
        edited = np.sort(random.choice(wiki.subjects, int(wiki.subjects * EDITED), replace=False))
        day = write_day(folder / "day-1.jsonl", random.permutation(edited), 1)
        done: list[BaseUpdate] = []
        result["update"] = timed(lambda: done.append(taken(base, day)))
        result["update"] |= {"entities": len(edited), "mb": day.stat().st_size / 1e6, "added": done[0].version.added}
        written = {part.path for parts in done[0].manifest.tables.values() for part in parts}
        few = np.sort(random.choice(wiki.subjects, max(20, wiki.subjects // 10_000), replace=False))
        small = write_day(folder / "day-2.jsonl", few, 2)
        result["few"] = timed(lambda: taken(base, small)) | {"entities": len(few)}
        now = {path.name for path in base.iterdir()}
        result["few"]["kept_files"] = len(written & now) / len(written)
        for number in range(3, 10):
            subjects = np.sort(random.choice(wiki.subjects, max(20, wiki.subjects // 300), replace=False))
            taken(base, write_day(folder / f"day-{number}.jsonl", subjects, number))
        result["after"] = asked(base, facts, None)
        result["as_known"] = asked(base, facts, "2024-05-04")
        result["base_mb"] = size_of(base)
        result["history_mb"] = sum(path.stat().st_size for path in base.glob("history-*")) / 1e6
        shutil.rmtree(base)
    return result


def taken(base: Path, day: Path) -> BaseUpdate:
    """Take a day into a base."""
    return update_base(base, open_source(str(day)))


def asked(base: Path, facts: int, known_on: str | None) -> dict[str, float]:
    """Ask for subjects on a day and for the world in a quarter, in CPU time: others use the machine, too."""
    store = FactStore(base, known_on=known_on)
    subjects = iter(f"Q{n}" for n in np.random.default_rng(1).integers(0, facts // FACTS_OF_A_SUBJECT, 1_000))
    store.facts(subject=next(subjects), on="1950-07-01")
    spans = [timed(lambda: store.facts(subject=next(subjects), on="1950-07-01"))["cpu_s"] for _ in range(REPEATS)]
    worlds = [timed(lambda: snapshot(store, Period.parse("1950-Q3")))["cpu_s"] for _ in range(3)]
    return {"as_of_ms": 1000 * median(spans), "snapshot_s": median(worlds)}


def timed(action: Callable[[], Any]) -> dict[str, float]:
    """Return the time and the CPU time of an action, in seconds."""
    began, cpu = time.perf_counter(), time.process_time()
    action()
    return {"s": time.perf_counter() - began, "cpu_s": time.process_time() - cpu}


def size_of(folder: Path) -> float:
    """Return the size of a folder in megabytes."""
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e6


def main(sizes: list[int]) -> None:
    """Measure all sizes."""
    results = []
    for result in of_sizes(__file__, sizes):
        print(json.dumps(result), flush=True)
        results.append(result)
    keep("update", results, plot)


def plot(results: list[dict[str, Any]], path: Path) -> None:
    """Draw CPU time and latency."""
    with panels(path, size=(10, 4), columns=2) as (left, right):
        for what, label in (("mine", "mining again"), ("update", "a day's changes"), ("few", "a few entities")):
            draw(left, results, what, "cpu_s", label)
        for what, label in (("before", "never updated"), ("after", "updated"), ("as_known", "as known on a day")):
            draw(right, results, what, "as_of_ms", label)
        left.set(title="CPU seconds", xlabel="facts", xscale="log", yscale="log")
        right.set(title="one subject as of a date, ms of CPU", xlabel="facts", xscale="log", ylim=(0, None))
        for axes in (left, right):
            axes.legend()


def draw(axes: Any, results: list[dict[str, Any]], what: str, figure: str, label: str) -> None:
    """Draw one line, of the sizes at which it was measured."""
    there = [one for one in results if what in one]
    axes.plot([one["facts"] for one in there], [one[what][figure] for one in there], marker="o", label=label)


if __name__ == "__main__":
    start(one_size, main, SIZES)
    sys.exit()
