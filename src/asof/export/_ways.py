"""How a model is asked about items in another tool: the rows that it reads, made by the probes of ``asof run``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, cast

from asof.benchmarks import BLANK, Benchmark, declared
from asof.errors import UserError
from asof.probes import HarnessProbe, Probe, open_probe
from asof.registry import probes

Row = dict[str, Any]
METRICS = "asof.export/_files/lm_eval_metrics.py"  # where a benchmark declares metrics of its own


@dataclass(frozen=True)
class ExportedItems:
    """Items as another tool reads them, and what became of those that it cannot be given."""

    rows: list[Row]
    left_out: dict[str, int]

    def notes(self) -> list[str]:
        """Say how many items were left out, and why."""
        return [f"Skipped {count:,} items: {reason}" for reason, count in self.left_out.items()]


def probe_for(benchmark: Benchmark, chosen: Probe | None, tool: str) -> tuple[HarnessProbe, list[str]]:
    """Return a probe that other tools can do: the one that was chosen, or the benchmark's, or the nearest to that."""
    if chosen is not None:
        if not isinstance(chosen, HarnessProbe):
            can_do = ", ".join(_that_declare_a_task())
            raise UserError(f"{tool} cannot do what the probe {chosen.name} does. It can do: {can_do}.")
        return chosen, []
    own = own_probe(benchmark)
    if own is not None:
        return own, []
    known = _that_declare_a_task()
    has_blanks = BLANK in next(benchmark.items()).prompt
    usual = next((name for name in known if getattr(probes.get(name), "fills_blanks", False) == has_blanks), known[0])
    nearest = next((name for name in declared(benchmark.name).probes if name in known), usual)
    note = f"{benchmark.name} is asked with {benchmark.probe}, which {tool} cannot do: {nearest} is used instead."
    return cast(HarnessProbe, open_probe(nearest)), [note]


def own_probe(benchmark: Benchmark) -> HarnessProbe | None:
    """Return the probe of a benchmark if other tools can do it; it may be of a package that is not here."""
    own = open_probe(benchmark.probe) if benchmark.probe in probes.names() else None
    return own if isinstance(own, HarnessProbe) else None


def _that_declare_a_task() -> list[str]:
    return [name for name in probes.names() if hasattr(probes.get(name), "harness_task")]


def asked(benchmark: Benchmark, probe: HarnessProbe) -> ExportedItems:
    """Put all items as a probe does."""
    items = list(benchmark.items())
    of_fact = Counter(item.group for item in items)
    rows: list[Row] = []
    left_out: Counter[str] = Counter()
    for item, way in zip(items, probe.harness_rows(items), strict=True):
        if isinstance(way, str):
            left_out[way] += 1
            continue
        own = {"id": item.id, "group": item.group, "items_of_fact": of_fact[item.group]}
        rows.append(own | way | {"answers": list(item.answers), "tags": item.tags})
    if not rows:
        raise UserError(f"{probe.name} can ask none of {len(items):,} items of {benchmark.folder}: {left_out}.")
    return ExportedItems(rows, dict(left_out))
