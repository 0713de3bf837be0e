"""Answers that a model gave before, for items that are put to it again just so: nothing is asked twice.

An item is the same when all is the same that the model may see: its prompt, its answers and candidates, its tags. For
a probe in which models write, the answers make no difference.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from typing import Protocol, runtime_checkable

from asof.benchmarks import Benchmark, Item
from asof.models import Model
from asof.probes import FAILED, LEFT_OUT, Probe, Row
from asof.watches.history import KeptCheck

_SPENT = ("calls", "tokens_in", "tokens_out")  # counted where it was spent, not once more


@runtime_checkable
class OffersCandidates(Protocol):
    """A probe that compares answers which it chooses without the model."""

    def with_candidates(self, items: Sequence[Item], everything: Iterable[Item]) -> list[Item]:
        """Give items the answers to compare."""


class EarlierAnswers:
    """The rows of earlier runs by what was asked.

    Attributes:
        used: The ids of the items that were answered from here.
    """

    def __init__(self, rows: dict[str, Row], key: Callable[[Item], str]) -> None:
        self._rows, self._key = rows, key
        self.used: set[str] = set()

    def row(self, item: Item) -> Row | None:
        """Return what the model answered to an item; None if it was not asked it so."""
        found = self._rows.get(self._key(item))
        if found is not None:
            self.used.add(item.id)
        return found


def known_answers(earlier: Iterable[KeptCheck], probe: Probe, model: Model) -> EarlierAnswers:
    """Collect what a model answered in earlier runs with one probe; of what was asked twice, the last answer."""
    key = _without_answers if not getattr(probe, "shows_answers", True) else _all_of
    rows: dict[str, Row] = {}
    for kept in earlier:
        benchmark, given = kept.run.benchmark(), kept.run.rows()
        asked = list(benchmark.items(limit=kept.record.limit))  # as the run had them: some probes draw among them
        for item in _put(probe, asked, model, benchmark):
            row = given.get(item.id)
            if row is not None and FAILED not in row and LEFT_OUT not in row:
                rows[key(item)] = {name: value for name, value in row.items() if name not in _SPENT}
    return EarlierAnswers(rows, key)


def _put(probe: Probe, items: list[Item], model: Model, benchmark: Benchmark) -> list[Item]:
    """Return items as a probe puts them to a model, without asking it if that can be."""
    if isinstance(probe, OffersCandidates):
        return probe.with_candidates(items, benchmark.items())
    return probe.fit(items, model, everything=benchmark.items()).items


def _without_answers(item: Item) -> str:
    return _all_of(replace(item, answers=(), candidates=()))


def _all_of(item: Item) -> str:
    return json.dumps(asdict(item), sort_keys=True, default=str)
