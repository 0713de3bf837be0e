"""How the time of a question grows with the base, side by side with a plain search for names in the same run.

    python bench/ask.py [SIZES...]      default: 10,000 to 1,000,000 facts

The peer is what one would write without an index: DuckDB looks for every name of the base in the question (LIKE) and
then for the facts; the relation and the year it is told. Times are CPU seconds of the process (all threads), so that a
busy machine counts less. Writes results/ask.json and .png.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from growth import keep, of_sizes, panels, start

from asof.facts import FactStore, write_base
from asof.reading.ask.answer import Status
from asof.reading.ask.name_index import NameIndex
from asof.reading.ask.reader import QuestionReader
from asof.sources import open_source
from asof.timeline import Date

SIZES = (10_000, 100_000, 1_000_000)
QUESTIONS = 100
PEER_QUESTIONS = 20
RELATIONS = ("P6", "P54", "P108", "P127", "P26", "P102")
_SYLLABLES = (
    "ba",
    "dor",
    "fen",
    "gil",
    "kan",
    "lor",
    "mir",
    "nes",
    "pol",
    "rud",
    "sim",
    "tan",
    "vel",
    "wex",
    "yor",
    "zan",
)
_SQL_NAME = "SELECT id FROM entities WHERE contains($question, label) ORDER BY length(label) DESC LIMIT 1"
_SQL_FACTS = (
    "SELECT object FROM facts WHERE subject = $subject AND relation = $relation "
    "AND earliest_start <= $last AND $first <= latest_end"
)


def names(number: int, random: np.random.Generator) -> np.ndarray:
    """Make names of two words of three to five syllables, such as "Dorfenkan Lormir", all different."""

    def word() -> np.ndarray:
        parts = [np.array(_SYLLABLES)[random.integers(0, len(_SYLLABLES), number)] for _ in range(3)]
        return np.char.capitalize(np.char.add(np.char.add(parts[0], parts[1]), parts[2]))

    made = np.char.add(np.char.add(word(), " "), word())
    return np.unique(made)


def make_table(path: Path, facts: int, seed: int = 7) -> None:
    """Write synthetic facts: about ten per subject, spells of up to eight years since 1900, some ongoing."""
    random = np.random.default_rng(seed)
    subjects, objects = names(facts // 10 + 2, random), names(facts // 20 + 2, random)
    start = random.integers(1900, 2020, facts)
    columns = {
        "subject": subjects[random.integers(0, len(subjects), facts)],
        "relation": np.array(RELATIONS)[random.integers(0, len(RELATIONS), facts)],
        "object": objects[random.integers(0, len(objects), facts)],
        "start": start.astype(str),
        "end": np.where(random.random(facts) < 0.1, "ongoing", (start + random.integers(1, 8, facts)).astype(str)),
    }
    pq.write_table(pa.table({name: pa.array(column) for name, column in columns.items()}), path)


def questions(store: FactStore, number: int) -> list[tuple[str, str, str, int]]:
    """Draw questions about facts of the base: text, subject, relation, year."""
    words = {
        "P6": ("Who was the prime minister of {subject} in {year}?", "Which country did {object} govern in {year}?"),
        "P54": ("Which team did {subject} play for in {year}?", "Who played for {object} in {year}?"),
        "P108": ("Who employed {subject} in {year}?", "Who worked for {object} in {year}?"),
        "P127": ("Who owned {subject} in {year}?", "What did {object} own in {year}?"),
        "P26": ("Who was {subject} married to in {year}?", "Who was the husband of {object} in {year}?"),
        "P102": ("Which party did {subject} belong to in {year}?", "Who was a member of {object} in {year}?"),
    }
    drawn = store.sql(f"SELECT * FROM facts USING SAMPLE reservoir({number} ROWS) REPEATABLE (5)").to_pylist()
    random = Random(3)
    found = []
    for row in drawn:
        year = Date.from_day(row["earliest_start"]).year + 1
        text = random.choice(words[row["relation"]]).format(subject=row["subject"], object=row["object"], year=year)
        found.append((text, row["subject"], row["relation"], year))
    return found


def spent(action: Callable[[], object]) -> tuple[float, float]:
    """Return CPU and wall seconds of an action."""
    cpu, wall = time.process_time(), time.perf_counter()
    action()
    return time.process_time() - cpu, time.perf_counter() - wall


def spread(times: list[tuple[float, float]]) -> dict[str, float]:
    """Return median and 95th percentile in milliseconds."""
    cpu, wall = (np.array(column) * 1000 for column in zip(*times, strict=True))
    return {
        "cpu_ms": float(np.median(cpu)),
        "cpu_ms_95th": float(np.quantile(cpu, 0.95)),
        "wall_ms": float(np.median(wall)),
    }


def ours(store: FactStore, asked: list[tuple[str, str, str, int]]) -> dict[str, object]:
    """Ask in a running process, after the index is there."""
    index_cpu, _ = spent(lambda: NameIndex(store))
    reader = QuestionReader(store, today=Date.parse("2024-12-31"))
    reader.ask(asked[0][0])
    statuses: list[Status] = []
    times = [spent(lambda text=text: statuses.append(reader.ask(text).status)) for text, *_ in asked]  # type: ignore[misc]
    folder = Path(os.environ["ASOF_CACHE"]) / "ask"
    return spread(times) | {
        "answered": sum(status is Status.ANSWERED for status in statuses) / len(statuses),
        "index_s": index_cpu,
        "index_mb": sum(path.stat().st_size for path in folder.iterdir()) / 1e6,
    }


def peer(store: FactStore, asked: list[tuple[str, str, str, int]]) -> dict[str, float]:
    """Look for every name of the base in the question, then for the facts."""

    def answer(text: str, relation: str, year: int) -> None:
        found = store.sql(_SQL_NAME, {"question": text}).to_pylist()
        days = Date.of(year)
        given = {"subject": found[0]["id"], "relation": relation, "first": days.first, "last": days.last}
        store.sql(_SQL_FACTS, given).to_pylist()

    return spread(
        [
            spent(lambda text=text, relation=relation, year=year: answer(text, relation, year))  # type: ignore[misc]
            for text, _, relation, year in asked[:PEER_QUESTIONS]
        ]
    )


def cold(folder: Path, text: str) -> float:
    """Return the CPU seconds of the command, with the index made."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "asof", "ask", text, "--base", str(folder)], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def one_size(facts: int) -> dict[str, object]:
    """Measure one size in this process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["ASOF_CACHE"] = str(folder / "cache")
        make_table(folder / "facts.parquet", facts)
        write_base(folder / "base", [open_source(str(folder / "facts.parquet"))])
        store = FactStore(folder / "base")
        asked = questions(store, QUESTIONS)
        result = ours(store, asked)
        result["command_s"] = float(np.median([cold(folder / "base", text) for text, *_ in asked[:3]]))
        return {"facts": facts, "names": store.manifest.rows("names"), "asof": result, "like": peer(store, asked)}


def plot(results: list[dict[str, object]], path: Path) -> None:
    """Draw growth curves."""
    with panels(path, size=(6, 4)) as (axis,):
        sizes = [result["facts"] for result in results]
        for engine, mark in (("asof", "o-"), ("like", "s--")):
            axis.loglog(sizes, [result[engine]["cpu_ms"] for result in results], mark, label=engine)  # type: ignore[index]
        axis.set(title="one question (CPU ms, median)", xlabel="facts")


def main(sizes: list[int]) -> None:
    """Measure all sizes, print them with ratios, write JSON and plot."""
    results = []
    for facts, result in zip(sizes, of_sizes(__file__, sizes), strict=True):
        result["ratio"] = result["like"]["cpu_ms"] / result["asof"]["cpu_ms"]
        results.append(result)
        print(
            f"{facts:>10,} facts: {result['asof']['cpu_ms']:.1f} ms (95 %: {result['asof']['cpu_ms_95th']:.1f}), "
            f"LIKE {result['like']['cpu_ms']:.1f} ms, {result['ratio']:.1f} times; "
            f"command {result['asof']['command_s']:.2f} s, index {result['asof']['index_s']:.1f} s"
        )
    keep("ask", results, plot)


if __name__ == "__main__":
    start(one_size, main, SIZES)
