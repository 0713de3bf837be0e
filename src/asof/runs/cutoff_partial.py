"""Does the knowledge of different relations end at different times? A test, and the parts where it finds any.

In: facts that changed, by relation, and which answer the model gave to each. With one cutoff, the best period is the
same for all relations; with two, each relation takes the better one of two periods. Noise and lag are each relation's
own, so that one that the model knows worse is not taken for one that it knows up to another time.

More cutoffs always fit better. How much better they fit by chance alone is simulated: answers are drawn again from the
model with fewer cutoffs, for the very same facts. A further cutoff counts when its gain makes the answers at least
20 times likelier and is met in at most 3 % of these: in ``bench/cutoff_simulated.py`` that errs in less than 5 %.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from asof.runs.cutoff_likelihood import ChangedFact, Numbers, chances

FEWEST_OF_A_RELATION = 10  # facts; a relation with less says nothing about its own cutoff
_MOST_PARTS = 3
_SIMULATED = 199
_ALPHA = 0.03
_LEAST_GAIN = 3.0  # of the log-likelihood: e^3 = 20 times
_NOISES = np.array([(u, v) for u in (0.02, 0.15, 0.6) for v in (0.02, 0.15, 0.6)])
_LAGS = np.array([0.0, 0.5, 2.0])
_SEED = 20  # of what is simulated, so that a run always gives the same


@dataclass(frozen=True)
class RelationParts:
    """Relations whose knowledge ends together.

    Args:
        relations: The names of each part, the part with the earliest end first.
        p: How often one cutoff less would give such a gain by chance; of the last cutoff that was added.
    """

    relations: tuple[tuple[str, ...], ...]
    p: float


def relation_parts(facts: Mapping[str, Sequence[ChangedFact]], *, periods_per_year: float) -> RelationParts | None:
    """Part relations by when the knowledge of them ends; None where too few have enough facts to compare.

    One part means that one cutoff is enough.
    """
    names = [name for name, some in facts.items() if len(some) >= FEWEST_OF_A_RELATION]
    if len(names) < 2:
        return None
    tables = [_AnswerTable.of(facts[name], periods_per_year) for name in names]
    random = np.random.default_rng(_SEED)
    fits = _best_fits([table.profile(table.given) for table in tables], min(_MOST_PARTS, len(names)))
    parts, told = fits[0], 1.0
    for more in fits[1:]:
        if more.fit - parts.fit < _LEAST_GAIN:
            break
        chance = [_gain(_simulated(tables, parts, random), len(parts.ends)) for _ in range(_SIMULATED)]
        p = (1 + sum(one >= more.fit - parts.fit - 1e-9 for one in chance)) / (1 + _SIMULATED)
        told = p if len(parts.ends) == 1 or p <= _ALPHA else told
        if p > _ALPHA:
            break
        parts = more
    inside = [tuple(names[row] for row in np.flatnonzero(parts.part == part)) for part in range(len(parts.ends))]
    return RelationParts(tuple(some for some in inside if some), told)


@dataclass(frozen=True)
class _Fit:
    """So many ends, the part of each relation, and the log-likelihood."""

    ends: tuple[int, ...]
    part: npt.NDArray[np.int64]
    fit: float


@dataclass(frozen=True)
class _AnswerTable:
    """The answers that the facts of a relation could get, and their probabilities by noise, lag and end.

    Args:
        starts: The place of the first answer of each fact among all.
        sizes: How many each has.
        given: The places of those that were given.
    """

    logs: Numbers
    starts: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    given: npt.NDArray[np.int64]

    @classmethod
    def of(cls, facts: Sequence[ChangedFact], periods_per_year: float) -> _AnswerTable:
        """Compute the probability of every answer that could have been given."""
        every: list[ChangedFact] = []
        sizes, given = [], []
        for fact in facts:
            options = tuple(range(len(fact.holds))) if fact.offered is None else fact.offered
            given.append(len(every) + options.index(fact.given))
            every += [replace(fact, given=option) for option in options]
            sizes.append(len(options))
        found = chances(every, _NOISES, _LAGS, periods_per_year=periods_per_year)
        logs = np.log(found.reshape(len(every), -1, found.shape[3]))
        counts = np.array(sizes)
        return cls(logs, np.append(0, np.cumsum(counts)[:-1]), counts, np.array(given))

    def profile(self, given: npt.NDArray[np.int64]) -> Numbers:
        """Return the log-likelihood of some answers by end, each with its best noise and lag."""
        return np.asarray(self.logs[given].sum(0).max(0))

    def drawn(self, end: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
        """Draw answers of a model whose knowledge ends there, as noisy and as late as this one is then."""
        setting = int(self.logs[self.given, :, end].sum(0).argmax())
        cumulated = np.cumsum(np.exp(self.logs[:, setting, end]))
        before = np.append(0, cumulated)[self.starts]
        total = cumulated[self.starts + self.sizes - 1] - before
        drawn = np.searchsorted(cumulated, before + random.random(len(before)) * total, side="right")
        return np.asarray(np.clip(drawn, self.starts, self.starts + self.sizes - 1))


def _simulated(tables: Sequence[_AnswerTable], parts: _Fit, random: np.random.Generator) -> list[Numbers]:
    return [
        table.profile(table.drawn(parts.ends[part], random)) for table, part in zip(tables, parts.part, strict=True)
    ]


def _gain(profiles: Sequence[Numbers], ends: int) -> float:
    fits = _best_fits(profiles, ends + 1)
    return fits[ends].fit - fits[ends - 1].fit


def _best_fits(profiles: Sequence[Numbers], most: int) -> list[_Fit]:
    """Return the best fit with one end, with two, and so on."""
    table = np.stack(profiles)  # relation, end
    found = []
    for count in range(1, most + 1):
        ends = np.array(list(combinations(range(table.shape[1]), count)))
        fits = table[:, ends].max(2).sum(0)
        best = ends[int(fits.argmax())]
        found.append(_Fit(tuple(map(int, best)), table[:, best].argmax(1), float(fits.max())))
    return found
