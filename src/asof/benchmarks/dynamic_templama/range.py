"""The periods that DynamicTempLAMA asks about: the spells in them, and what changed from each to the next (table 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from asof.benchmarks.dynamic_templama.spells import Numbers, Spells
from asof.timeline import Period


@dataclass(frozen=True)
class PeriodRange:
    """The periods that are asked about, and which spells are right in them.

    Args:
        spell: Numbers of spells with an answer in the range; ``first`` and ``last`` are their periods in it.
    """

    begin: Period
    end: Period
    spell: Numbers
    first: Numbers
    last: Numbers


def in_range(spells: Spells, begin: Period, end: Period, *, pairs: int | None) -> PeriodRange:
    """Choose the spells with answers between two periods, of so many pairs at most."""
    first, last = np.maximum(spells.start, begin.index), np.minimum(spells.end, end.index)
    there = (spells.size > 0) & (first <= last)
    if pairs is not None:
        there &= np.isin(spells.pair, np.unique(spells.pair[there])[:pairs])
    chosen = np.flatnonzero(there)
    return PeriodRange(begin, end, chosen, first[chosen], last[chosen])


def statistics(spells: Spells, there: PeriodRange, *, gone: bool) -> pa.Table:
    """Count, for each period, the items, and their answers by what became of them since the period before.

    Args:
        gone: Count the answers that are no longer right where others are; the paper counts them nowhere.
    """
    periods = list(there.begin.to(there.end))
    begin, count = there.begin.index, len(periods)
    weights = spells.size[there.spell]

    def over_time(weight: Numbers) -> Numbers:
        steps = np.zeros(count + 1, np.int64)
        np.add.at(steps, there.first - begin, weight)
        np.add.at(steps, there.last - begin + 1, -weight)
        return np.cumsum(steps)[:count]

    known = np.unique(spells.pair[there.spell])
    steps = (spells.start > begin) & (spells.start <= there.end.index) & np.isin(spells.pair, known)

    def at_starts(weight: Numbers, which: npt.NDArray[np.bool_]) -> Numbers:
        some = steps & which
        return np.bincount(spells.start[some] - begin, weight[some], minlength=count).astype(np.int64)

    updated = at_starts(spells.entered, spells.before > 0)
    new = at_starts(spells.entered, spells.before == 0)
    columns = {
        "facts": over_time(np.ones_like(weights)),
        "unchanged": over_time(weights) - updated - new,
        "updated": updated,
        "new": new,
        "deleted": at_starts(spells.left, spells.size == 0),
    }
    if gone:
        columns["gone"] = at_starts(spells.left, spells.size > 0)
    nothing_before = np.arange(count) == 0
    table = {"period": pa.array([str(period) for period in periods])}
    for name, column in columns.items():
        table[name] = pa.array(column, mask=None if name == "facts" else nothing_before)
    return pa.table(table)
