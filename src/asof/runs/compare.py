"""Two runs on the same items: differences paired by item, tested by fact.

The difference is the second run's mean less the first's, over the items that both have. Its interval is made as that of
a mean is (``metrics``); p is from a sign-flip test over facts, and also corrected for the number of measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Literal, Protocol

import numpy as np

from asof.errors import UserError
from asof.metrics import Better, Method, Range, holm, interval_of, likely_range, sign_flip_test
from asof.runs.folder import Run, different_names
from asof.runs.item_scores import scores_of
from asof.runs.measured import MeasureColumns

FEW = 30  # facts
ALPHA = 0.05  # differences with a smaller p are taken for more than chance
# What is written down of how a model was run, not of which model it is.
_RUNTIME = ("kind", "dtype", "asof", "python", "machine", "torch", "transformers", "cyllama", "ggml", "httpx")


class HasUnits(Protocol):
    """The scores of a run."""

    @property
    def units(self) -> MeasureColumns: ...  # noqa: D102


@dataclass(frozen=True)
class Difference:
    """How much higher the second run scores.

    Args:
        first: The mean of the first run over the items that both have; not a number without any.
        p: Two-sided, from the sign-flip test.
        p_holm: The same after Holm's correction for all measures by which a fact differs; no other could come out.
        n: The number of facts that are compared.
        interval: The method of the interval.
        test: Whether all choices of signs were counted, or some drawn.
        differing: The number of facts by which the runs differ.
        better: Whether a high or a low value of the measure is good, as the metric declares.
    """

    measure: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    n: int
    interval: Method
    test: Literal["exact", "monte-carlo"]
    differing: int
    better: Better = "neither"

    @property
    def ahead(self) -> Literal["first", "second"] | None:
        """Which run is better by this measure; None where p after correction is not below 0.05, or nobody can say."""
        if self.better == "neither" or not self.p_holm < ALPHA or not self.difference:
            return None
        return "second" if (self.difference > 0) == (self.better == "higher") else "first"


@dataclass(frozen=True)
class Comparison:
    """Two runs with their names, how many facts each has, how many are shared, and what a reader should know."""

    runs: tuple[str, str]
    facts: tuple[int, int]
    shared: int
    differences: list[Difference]
    notes: list[str]


def compare(first: HasUnits, second: HasUnits, *, seed: int = 0) -> list[Difference]:
    """Compare the scores of two runs on the items that both have, by each measure that both have."""
    shared = _shared(first.units, second.units)
    facts = [first.units.facts[index] for index, _ in shared]
    names = [name for name in first.units.values if name in second.units.values]
    found = [
        _difference(
            name,
            np.array([first.units.values[name][index] for index, _ in shared], float),
            np.array([second.units.values[name][index] for _, index in shared], float),
            np.unique(np.array(facts), return_inverse=True)[1],
            first.units.ranges.get(name),
            seed,
        )
        for name in names
    ]
    corrected = iter(holm([row.p for row in found if row.differing]))
    return [
        replace(row, p_holm=next(corrected) if row.differing else 1.0, better=first.units.better(row.measure))
        for row in found
    ]


def compare_runs(left: Run, right: Run, *, seed: int = 0) -> Comparison:
    """Compare two runs of one probe, and say what may mislead."""
    if left.settings["probe"] != right.settings["probe"]:
        raise UserError(
            f"{left.folder.name} was asked with {left.settings['probe']}, {right.folder.name} with "
            f"{right.settings['probe']}: their measures differ. Compare runs of one probe."
        )
    first, second = scores_of(left), scores_of(right)
    found = compare(first, second, seed=seed)
    facts = len(set(first.units.facts)), len(set(second.units.facts))
    shared = len({first.units.facts[index] for index, _ in _shared(first.units, second.units)})
    names = different_names([left, right])
    notes = [*_of_few(found), *_of_benchmarks(left, right), *_of_runtimes(left, right)]
    return Comparison((names[0], names[1]), facts, shared, found, notes)


def _shared(first: MeasureColumns, second: MeasureColumns) -> list[tuple[int, int]]:
    """Return the places of the items that both have."""
    indices = {id: index for index, id in enumerate(second.ids)}
    found = [(index, indices[id]) for index, id in enumerate(first.ids) if id in indices]
    if not found:
        raise UserError("The two runs have no fact in common. Run both models on the same benchmark.")
    return found


def _difference(
    measure: str,
    first: np.ndarray[tuple[int], np.dtype[np.float64]],
    second: np.ndarray[tuple[int], np.dtype[np.float64]],
    facts: np.ndarray[tuple[int], np.dtype[np.int64]],
    within: Range | None,
    seed: int,
) -> Difference:
    known = ~np.isnan(first) & ~np.isnan(second)
    first, second = first[known], second[known]
    if not known.any():
        return Difference(measure, nan, nan, 0.0, nan, nan, 1.0, 1.0, 0, "none", "exact", 0)
    lowest, highest = within or likely_range(np.concatenate([first, second]))
    _, which = np.unique(facts[known], return_inverse=True)
    counts = np.bincount(which).astype(float)
    sums = np.bincount(which, weights=second - first).astype(float)
    low, high, method = interval_of(sums / counts, counts, (lowest - highest, highest - lowest))
    p, test = sign_flip_test(sums, seed=seed)
    means = float(first.mean()), float(second.mean())
    mean = float((second - first).mean())
    return Difference(measure, *means, mean, low, high, p, nan, len(counts), method, test, int((sums != 0).sum()))


def _of_few(differences: Sequence[Difference]) -> list[str]:
    differences = [row for row in differences if row.n]
    few = {row.measure: row.n for row in differences if row.n < FEW}
    if not few:
        return []
    counts = sorted(set(few.values()))
    said = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    of = "" if len(few) == len(differences) else f" for {', '.join(few)}"
    are = "fact is" if said == "1" else "facts are"
    return [f"Only {said} {are} compared{of}: with fewer than {FEW}, only large differences can be detected."]


def _of_benchmarks(first: Run, second: Run) -> list[str]:
    if first.settings.get("items_sha256") == second.settings.get("items_sha256"):
        return []
    return ["The runs use different builds of a benchmark: items with the same id are compared."]


def _of_runtimes(left: Run, right: Run) -> list[str]:
    first, second = left.versions, right.versions
    same_model = all(first.get(name) == second.get(name) for name in ("architecture", "parameters"))
    names = [*_RUNTIME, *(["weights"] if same_model else [])]
    differ = [
        f"{name} {first[name]} and {second[name]}"
        for name in names
        if name in first and name in second and first[name] != second[name]
    ]
    if not differ:
        return []
    return [f"The runs used different runtimes, which may explain a part of the difference: {'; '.join(differ)}."]
