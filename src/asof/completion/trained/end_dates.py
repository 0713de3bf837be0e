"""When a fact with one known end had its other: how long such facts last, what stands beside, what the curve says.

The chance of a length d is that of the lengths of the relation and of the subject's other facts, times how usual the
pause is that it leaves to the subject's next fact, and to the next one of its object, times exp(w L), where L is the
mean log probability of the model's curve over the interval. How much each counts is fitted on valid, so what tells
nothing counts for nothing. Where facts of two relations that begin together also end together, the end of the other
has its share (``dates_beside``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Ints, Quadruples
from asof.completion.interval_prediction import Floats
from asof.completion.queries import TimeQueries
from asof.completion.trained.curves import curves, moment_scores
from asof.completion.trained.dates_beside import DatesBeside, Missing, moved_to
from asof.completion.trained.folder import TrainedModel

LEAST_LASTED = 3  # facts of a relation with both ends; from fewer nothing can be learnt about how long it lasts
_WIDTH = 0.1  # lengths are alike when their ratio is within some 10 %: 20 and 22 years, but not 0 and 1
_MOST_LENGTHS = 512
_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_GAP_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5)
_SHARPNESS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
_RELATION_ALONE = 1e6
_STRENGTHS = (1.0, 3.0, 10.0, 30.0, _RELATION_ALONE)
_MOST_FITTED = 2000  # facts of valid
_LEAST_CHECKED, _PER_BIN = 100, 50  # facts of valid, to say how often proposals are right


@dataclass(frozen=True)
class Lengths:
    """How long facts last: the lengths there are, and the chance of each for every relation."""

    lengths: Ints
    chances: Floats
    learnt: npt.NDArray[np.bool_]  # which relations have facts enough to say how long they last
    alike: Floats  # for each length, how much it speaks for each of them

    @classmethod
    def of(cls, facts: Quadruples, relations: int) -> Lengths:
        """Learn from facts with both ends; a relation with few of them leans on all the others.

        It leans on them for how its lengths spread, not for whether it ends: one that (nearly) never does is not
        ``learnt``.
        """
        lasted = facts.end - facts.start
        lengths, counts = np.unique(lasted, return_counts=True)
        lengths = np.sort(lengths[np.argsort(-counts, kind="stable")[:_MOST_LENGTHS]])
        kept = np.isin(lasted, lengths)
        index = np.searchsorted(lengths, lasted[kept])
        seen = np.zeros((relations, len(lengths)))
        np.add.at(seen, (facts.relation[kept], index), 1.0)
        apart = np.abs(np.log1p(lengths)[:, None] - np.log1p(lengths))
        alike = np.exp(-apart / _WIDTH)
        smooth = seen @ (alike / alike.sum(axis=1, keepdims=True))
        usual = smooth.sum(axis=0) / max(1.0, smooth.sum())
        learnt = np.bincount(facts.relation, minlength=relations) >= LEAST_LASTED
        chances = (smooth + usual) / (smooth.sum(axis=1, keepdims=True) + 1)
        return cls(lengths, chances, learnt, alike / alike.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class EndDates:
    """Proposes the missing end or start of facts.

    Args:
        own_strength: So many facts of a relation weigh as much as one of the same subject.
        across: The facts turned round: what stands beside a fact in the timeline of its object. A ship's next captain
            begins when this one ends.
        gap_weight: How much the pause counts that an end leaves to the next fact, and ``across_weight`` the pause to
            the next fact of the object.
        weight: How much the model's curve counts.
        sharpness: How much surer all of these are together than each would be by itself.
        trust: For ends and starts, how often proposals of some probabilities are right on valid.
    """

    trained: TrainedModel
    lengths: Lengths
    beside: DatesBeside
    across: DatesBeside
    own_strength: float = _RELATION_ALONE
    gap_weight: float = 0.0
    across_weight: float = 0.0
    weight: float = 0.0
    sharpness: float = 1.0
    trust: Mapping[Missing, tuple[Floats, Floats]] = field(default_factory=dict)

    @classmethod
    def of(cls, trained: TrainedModel) -> EndDates | None:
        """Learn from the dated facts of train, and fit on those of valid; None where no fact has both ends."""
        dataset = trained.dataset
        learnt = dataset.train[dataset.train.dated]
        if not len(learnt):
            return None
        lengths = Lengths.of(learnt, len(dataset.relations))
        every, relations = dataset.all_facts, len(dataset.relations)
        beside = DatesBeside.of(learnt, every, relations)
        made = cls(trained, lengths, beside, DatesBeside.of(learnt.turned, every.turned, relations))
        facts = dataset.valid[dataset.valid.dated]
        facts = facts[np.isin(facts.end - facts.start, lengths.lengths)]
        facts = facts[np.sort(np.random.default_rng(0).permutation(len(facts))[:_MOST_FITTED])]
        return made._fitted(facts)._checked(facts) if len(facts) else made

    def chances(self, facts: Quadruples, missing: Missing) -> Floats:
        """Return the chance of each length: one row per fact."""
        times = self._times(facts, missing)
        logs = np.log(self._of_subjects(facts, self.own_strength))
        if self.gap_weight:
            logs = logs + self.gap_weight * self.beside.gap_logs(facts, missing, times)
        if self.across_weight:
            logs = logs + self.across_weight * self.across.gap_logs(facts.turned, missing, times)
        if self.weight:
            logs = logs + self.weight * self._agreement(facts, missing)
        return moved_to(_normalised(self.sharpness * logs), times, self.beside.alike(facts, missing))

    def proposed(self, facts: Quadruples, missing: Missing) -> tuple[Ints, Floats]:
        """Return the likeliest end (or start) of each fact, and its probability; ask for ``learnt`` relations only.

        No end is proposed that would come after all that is known: that is the chance that the fact goes on.
        """
        if not len(facts):
            return np.zeros(0, np.int64), np.zeros(0)
        chances, times = self.chances(facts, missing), self._times(facts, missing)
        known = times <= self.last_known
        best = np.where(known, chances, -1.0).argmax(axis=1)
        rows = np.arange(len(facts))
        sure = np.where(known, chances, 0.0)[rows, best]
        return times[rows, best], np.interp(sure, *self.trust[missing]) if missing in self.trust else sure

    @property
    def last_known(self) -> int:
        """The last time at which a fact begins or ends."""
        every = self.trained.dataset.all_facts
        return int(max(every.start.max(initial=BEFORE_ALL), every.end[every.end < AFTER_ALL].max(initial=BEFORE_ALL)))

    def _times(self, facts: Quadruples, missing: Missing) -> Ints:
        if missing == "end":
            return facts.start[:, None] + self.lengths.lengths
        return facts.end[:, None] - self.lengths.lengths

    def _fitted(self, facts: Quadruples) -> EndDates:
        """Choose how much each counts: under which the ends of dated facts are likeliest, one after the other."""
        at = np.arange(len(facts)), np.searchsorted(self.lengths.lengths, facts.end - facts.start)
        times, alike = self._times(facts, "end"), self.beside.alike(facts, "end")
        subjects = [np.log(self._of_subjects(facts, strength)) for strength in _STRENGTHS]
        gaps = self.beside.gap_logs(facts, "end", times), self.across.gap_logs(facts.turned, "end", times)
        says = self._agreement(facts, "end") if self.trained.times is not None else np.zeros((1, 1))

        def likely(strength: int, gap: float, across: float, weight: float, sharp: float = 1.0) -> float:
            logs = sharp * (subjects[strength] + gap * gaps[0] + across * gaps[1] + weight * says)
            return float(np.log(moved_to(_normalised(logs), times, alike)[at] + 1e-12).mean())

        strength = max(range(len(_STRENGTHS)), key=lambda one: likely(one, 0.0, 0.0, 0.0))
        gap = max(_GAP_WEIGHTS, key=lambda one: likely(strength, one, 0.0, 0.0))
        across = max(_GAP_WEIGHTS, key=lambda one: likely(strength, gap, one, 0.0))
        weights = _WEIGHTS if self.trained.times is not None else _WEIGHTS[:1]
        weight = max(weights, key=lambda one: likely(strength, gap, across, one))
        sharp = max(_SHARPNESS, key=lambda one: likely(strength, gap, across, weight, one))
        return replace(
            self,
            own_strength=_STRENGTHS[strength],
            gap_weight=gap,
            across_weight=across,
            weight=weight,
            sharpness=sharp,
        )

    def _checked(self, facts: Quadruples) -> EndDates:
        """Propose the ends and starts of dated facts, and learn how often that is right."""
        asked = {
            "end": replace(facts, end=np.full(len(facts), AFTER_ALL)),
            "start": replace(facts, start=np.full(len(facts), BEFORE_ALL)),
        }
        trust: dict[Missing, tuple[Floats, Floats]] = {}
        for missing, without in asked.items():
            times, sure = self.proposed(without, missing)  # type: ignore[arg-type]
            if len(facts) >= _LEAST_CHECKED:
                trust[missing] = often_right(sure, times == getattr(facts, missing))  # type: ignore[index]
        return replace(self, trust=trust)

    def _of_subjects(self, facts: Quadruples, strength: float) -> Floats:
        """Return the chance of each length, that of the relation and of the subject's other facts together."""
        usual = self.lengths.chances[facts.relation]
        if strength >= _RELATION_ALONE:
            return usual
        every = self.trained.dataset.train
        every = every[every.dated]
        key = every.subject * len(self.lengths.chances) + every.relation
        order = np.argsort(key, kind="stable")
        key, lasted = key[order], (every.end - every.start)[order]
        asked = facts.subject * len(self.lengths.chances) + facts.relation
        first, after = np.searchsorted(key, asked), np.searchsorted(key, asked, side="right")
        row = np.repeat(np.arange(len(facts)), after - first)
        other = np.arange(len(row)) - np.repeat(np.cumsum(after - first) - after, after - first)
        near = np.minimum(np.searchsorted(self.lengths.lengths, lasted[other]), len(self.lengths.lengths) - 1)
        seen = np.zeros_like(usual)
        np.add.at(seen, row, self.lengths.alike[near])
        mixed: Floats = (seen + strength * usual) / (seen.sum(1, keepdims=True) + strength)
        return mixed

    def _agreement(self, facts: Quadruples, missing: Missing) -> Floats:
        """Return the mean log probability of the curve over the interval of each length."""
        dataset = self.trained.dataset
        scores = moment_scores(self.trained.scorer, dataset, TimeQueries.of(facts))
        logs = np.log(curves(scores, self.trained.needs_time().temperature) + 1e-12)
        logs[:, [0, -1]] = 0.0  # before all and after all are no part of an interval
        sums = np.concatenate([np.zeros((len(facts), 1)), logs.cumsum(axis=1)], axis=1)
        known = facts.start if missing == "end" else facts.end
        other = known[:, None] + self.lengths.lengths * (1 if missing == "end" else -1)
        ends = [_within(dataset, known[:, None]), _within(dataset, other)]
        first, last = ends if missing == "end" else ends[::-1]
        rows = np.arange(len(facts))[:, None]
        found: Floats = (sums[rows, last + 1] - sums[rows, first]) / (last - first + 1)
        return found


def _within(dataset: Dataset, times: Ints) -> Ints:
    """Return the points of times, none of them before all or after all."""
    return np.clip(dataset.point(times), 1, max(1, len(dataset.points) - 2))


def often_right(sure: Floats, right: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return probabilities, from low to high, and how often what had about these was right: never falling.

    Neighbours of which the surer is less often right are put together (Ayer et al. 1955).

    >>> sure, right = np.repeat([0.5, 0.9], 100), np.repeat([True, False, True], [30, 70, 100])
    >>> [one.round(2).tolist() for one in often_right(sure, right)]
    [[0.0, 0.5, 0.9, 1.0], [0.0, 0.3, 1.0, 1.0]]
    """
    blocks: list[tuple[float, float, int]] = []  # sum of probabilities, right ones, cases
    order = np.argsort(sure, kind="stable")
    for part in np.array_split(order, max(1, len(order) // _PER_BIN)):
        blocks.append((float(sure[part].sum()), float(right[part].sum()), len(part)))
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][2] >= blocks[-1][1] / blocks[-1][2]:
            (said, true, cases), (more_said, more_true, more) = blocks[-2:]
            blocks[-2:] = [(said + more_said, true + more_true, cases + more)]
    middle = [said / cases for said, _, cases in blocks]
    share = [(true + 0.5) / (cases + 1) for _, true, cases in blocks]
    return np.array([0.0, *middle, 1.0]), np.array([0.0, *share, share[-1]])


def _normalised(logs: Floats) -> Floats:
    found: Floats = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
    return found
