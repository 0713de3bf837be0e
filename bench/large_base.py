"""How much memory and time it takes to write a base with millions of entities.

    python bench/large_base.py [SIZES...] [--memory 250]      default: 1, 5 and 20 million entities

As many facts as entities, in an order that helps nobody; each entity has a label, a description, up to three aliases,
and one in a hundred is described twice. Each size runs in a process of its own; the peak is the resident memory of that
process, which starts no others. Writes results/large_base.json and .png.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from growth import by_itself, keep, panels

from asof.facts import ENTITIES, FactStore, Intake, write_base
from asof.timeline import Date

SIZES = (1_000_000, 5_000_000, 20_000_000)
STEP = 7_368_787  # a prime: walking by it visits every number once, far from in order
BATCH = 20_000


def joined(*parts: pa.Array | str) -> pa.Array:
    """Join texts and numbers row by row."""
    texts = [pa.scalar(part) if isinstance(part, str) else part.cast(pa.string()) for part in parts]
    return pc.binary_join_element_wise(*texts, "")


class Generated:
    """Facts and entities, made when they are asked for."""

    name = "generated"
    known_by = Date.parse("2026-10-01")

    def __init__(self, size: int) -> None:
        self._size = size

    def _numbers(self, size: int) -> Iterator[np.ndarray]:
        for first in range(0, size, BATCH):
            yield np.arange(first, min(first + BATCH, size), dtype=np.int64) * STEP % self._size

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        """Give one fact for each entity, and objects all over."""
        line = 1
        for numbers in self._numbers(self._size):
            ids = pa.array(numbers)
            years = pa.array(1900 + numbers % 120)
            yield intake.batch(
                file=self.name,
                lines=np.arange(line, line + len(numbers)),
                subject=joined("Q", ids),
                relation=joined("P", pa.array(numbers % 40)),
                object=joined("Q", pa.array(numbers * 31 % self._size)),
                start=years.cast(pa.string()),
                end=pa.array(1901 + numbers % 120).cast(pa.string()),
                source=self.name,
                statement=joined("Q", ids, "$", pa.array(numbers * STEP)),
            )
            line += len(numbers)

    def entities(self) -> Iterator[pa.RecordBatch]:
        """Describe all entities, and some of them twice."""
        for part in (self._size, self._size // 100):
            for numbers in self._numbers(part):
                ids = pa.array(numbers)
                starts = np.concatenate([[0], np.cumsum(numbers % 4)])
                owners = pa.array(np.repeat(numbers, numbers % 4))
                others = joined("another name of ", owners, " number ", pa.array(np.arange(len(owners))))
                columns = [
                    joined("Q", ids),
                    joined("Entity number ", ids),
                    pa.ListArray.from_arrays(pa.array(starts, pa.int32()), others),
                    joined("one of ", pa.array(np.full(len(numbers), self._size)), " entities, with the rest ", ids),
                    pa.nulls(len(numbers), pa.string()),
                    pa.array((numbers % 300).astype(float)),
                ]
                yield pa.RecordBatch.from_arrays(columns, schema=ENTITIES)

    def relations(self) -> list[pa.RecordBatch]:
        """Leave relations to their ids."""
        return []


def one_size(size: int, memory: int) -> dict[str, object]:
    """Write one base in this process, and look into it."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began, cpu = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as name:
        manifest, _ = write_base(Path(name) / "base", [Generated(size)], memory=memory * 1_000_000)
        result = {"entities": size, "memory_mb": memory, "seconds": round(time.perf_counter() - began, 1)}
        result |= {"cpu_s": round(time.process_time() - cpu, 1), "start_mb": round(before)}
        result["peak_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        result["rows"] = {table: manifest.rows(table) for table in manifest.tables}
        store = FactStore(Path(name) / "base")
        if manifest.rows("facts") != size or manifest.rows("entities") != size:
            raise SystemExit(f"{manifest.rows('facts')} facts and {manifest.rows('entities')} entities of {size}")
        last = store.entity(f"Q{size - 1}")
        if last.label != f"Entity number {size - 1}" or len(last.aliases) != (size - 1) % 4:
            raise SystemExit(f"{last} is not as it was given")
    return result


def plot(results: list[dict[str, float]], path: Path) -> None:
    """Draw time and memory."""
    with panels(path, size=(9, 4), columns=2) as axes:
        sizes = [result["entities"] for result in results]
        drawn = {"cpu_s": "CPU seconds", "peak_mb": "peak memory, MB"}
        for axis, (key, title) in zip(axes, drawn.items(), strict=True):
            axis.loglog(sizes, [result[key] for result in results], "o-", label="asof")
            axis.set(title=title, xlabel="entities (and facts)")


def main(words: list[str]) -> None:
    """Measure all sizes, print them, write JSON and plot."""
    memory = words.pop(words.index("--memory") + 1) if "--memory" in words else "250"
    sizes = [int(word.replace(",", "")) for word in words if word != "--memory"] or list(SIZES)
    results = []
    for size in sizes:
        results.append(by_itself(__file__, "--one", str(size), memory))
        print("  ".join(f"{key} {value}" for key, value in results[-1].items()), flush=True)
    keep("large_base", results, plot)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        import json

        print(json.dumps(one_size(int(sys.argv[2]), int(sys.argv[3]))))
    else:
        main(sys.argv[1:])
