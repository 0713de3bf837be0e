"""When a fact held, from the facts around it: a curve over all times, and the interval that is best under it.

The curve is a soft-max over years (or days) of a weighted sum: how usual the time is for the relation, the gaps to the
other facts of subject and object, the gaps to other facts that link the two, and what embeddings say, if there are any.
The weights are learnt on facts that were not counted. How long facts last is counted for each relation. The interval is
the one with the highest expected aeIOU under the two, rather than one grown around the likeliest time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from asof.completion.dataset import Dataset, Ints, Quadruples
from asof.completion.evidence.gaps import BIN_WIDTHS, BINS, GapEvidence, binned
from asof.completion.evidence.known_facts import Floats, KnownFacts, known_time, thinned
from asof.completion.interval_prediction import Intervals
from asof.completion.queries import TimeQueries
from asof.metrics.aeiou import aeiou

Moments = Callable[[TimeQueries, Ints], Floats]  # what embeddings say of each of some times, as log-probabilities

_NEIGHBOURS = 64  # facts of subject or object that are looked at, at most
_FACTS_PER_BATCH = 64
_LINKS_PER_BATCH = 2048
_MOST_PAIRS = 2e7  # of facts on the same two entities, to count their gaps
_FITTED_ON = 3000  # facts, at most
_LENGTHS = 25  # usual lengths among which the best is chosen
_LONGEST = 200  # years or days that a fact lasts, at most
_RARE = 0.005  # share of training facts that lie outside the times that are considered, on each side
_GAPS = ("gaps to starts", "gaps to ends", "worst gap")
_STEPS, _RATE, _SHRINKAGE = 150, 0.03, 0.02
FEATURES = ("usual", *(f"{side} {what}" for side in ("object", "subject") for what in _GAPS), "links", "embeddings")


class TimeLesson(NamedTuple):
    """Facts whose start is known: the features of each time, the relation, and which time is right."""

    features: torch.Tensor
    relation: torch.Tensor
    right: torch.Tensor


@dataclass(frozen=True)
class IntervalEvidence:
    """Counts of the training facts of a dataset, and how to weigh them.

    Args:
        link_gaps: For a relation, the role of another fact between the same two entities, and a bin: how much likelier
            than chance the gap is, as a logarithm.
        times: The years (or days) that are considered, one after the other.
        usual: For each relation and time, the logarithm of how usual it is as a start.
        lasting: For each relation and length, its probability.
        weights: For each relation and feature; learnt by ``fit``.
    """

    dataset: Dataset
    known: KnownFacts
    gaps: GapEvidence
    times: Ints
    usual: Floats
    lasting: Floats
    link_gaps: Floats
    weights: Floats

    @classmethod
    def of(cls, dataset: Dataset, known: KnownFacts | None = None, gaps: GapEvidence | None = None) -> IntervalEvidence:
        """Count; the weights are a first guess until they are fitted.

        Args:
            known: The training facts, and ``gaps`` between them, where somebody has counted them already.
        """
        known = known or KnownFacts.of(dataset)
        facts = dataset.train
        starts = known_time(facts.start, facts.end)
        low, high = np.nanquantile(starts, [_RARE, 1])
        times = np.arange(int(low), int(high) + 1)
        first_guess = {"usual": 1.0, "object gaps to starts": 0.3, "subject gaps to starts": 0.3, "links": 1.0}
        weights = np.tile([first_guess.get(name, 0.0) for name in FEATURES], (len(dataset.relations), 1))
        return cls(
            dataset=dataset,
            known=known,
            gaps=gaps or GapEvidence.of(known),
            times=times,
            usual=_usual(facts.relation, starts, times, len(dataset.relations)),
            lasting=_lasting(facts, len(dataset.relations)),
            link_gaps=_link_gaps(known),
            weights=weights,
        )

    def lesson(self, facts: Quadruples, moments: Moments | None = None, *, share: float = 1.0) -> TimeLesson:
        """Look at dated facts that were not counted.

        Args:
            share: Of as many facts as are enough to learn from.
        """
        inside = facts.dated & (facts.start >= self.times[0]) & (facts.start <= self.times[-1])
        facts = facts[inside][: int(_FITTED_ON * share)]
        return TimeLesson(
            torch.from_numpy(self._features(TimeQueries.of(facts), moments)),
            torch.from_numpy(facts.relation),
            torch.from_numpy(facts.start - self.times[0]),
        )

    def fit(self, lessons: Sequence[TimeLesson]) -> IntervalEvidence:
        """Learn the weights: one set for all relations, and departures from it for each."""
        lessons = [lesson for lesson in lessons if len(lesson.right)]
        if not lessons:
            return self
        facts = sum(len(lesson.right) for lesson in lessons)
        shared = torch.from_numpy(self.weights.mean(axis=0)).float().requires_grad_()
        own = torch.zeros(self.weights.shape, requires_grad=True)
        optimiser = torch.optim.Adam([shared, own], lr=_RATE)
        for _ in range(_STEPS):
            optimiser.zero_grad()
            loss = _SHRINKAGE * own.square().sum()
            for features, relation, right in lessons:
                scores = torch.einsum("ntf,nf->nt", features, shared + own[relation])
                loss = loss + torch.nn.functional.cross_entropy(scores, right) * (len(right) / facts)
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        return self.weighed_by((shared + own).detach().double().numpy())

    def weighed_by(self, weights: Floats) -> IntervalEvidence:
        """Return the same counts, weighed so."""
        return replace(self, weights=weights)

    def curves(self, asked: TimeQueries, moments: Moments | None = None) -> Floats:
        """Return for each fact the probability of each of ``times`` as its start."""
        features = torch.from_numpy(self._features(asked, moments))
        weights = torch.from_numpy(self.weights[asked.relation]).float()
        curves: Floats = torch.softmax(torch.einsum("ntf,nf->nt", features, weights), 1).double().numpy()
        return curves

    def intervals(self, asked: TimeQueries, curves: Floats, *, count: int = 1) -> Intervals:
        """Return the intervals with the highest expected aeIOU, best first, no two with the same start."""
        first = np.zeros((len(asked), count), np.int64)
        last = np.zeros_like(first)
        for relation in np.unique(asked.relation):
            rows = np.flatnonzero(asked.relation == relation)
            lengths = np.argsort(-self.lasting[relation], kind="stable")[:_LENGTHS]
            worth = expected_aeiou(curves[rows], self.lasting[relation], lengths)
            best_length = worth.argmax(axis=1)
            chosen = np.argsort(-worth.max(axis=1), axis=1, kind="stable")[:, :count]
            first[rows, : chosen.shape[1]] = self.times[chosen]
            last[rows, : chosen.shape[1]] = self.times[chosen] + lengths[np.take_along_axis(best_length, chosen, 1)]
        return Intervals(first, last)

    def _features(self, asked: TimeQueries, moments: Moments | None) -> npt.NDArray[np.float32]:
        made = np.zeros((len(asked), len(self.times), len(FEATURES)), np.float32)
        made[:, :, 0] = self.usual[asked.relation]
        sides = ((asked.object, asked.relation), (asked.subject, asked.relation + len(self.dataset.relations)))
        for begin in range(0, len(asked), _FACTS_PER_BATCH):
            batch = slice(begin, begin + _FACTS_PER_BATCH)
            for side, (entity, role) in enumerate(sides):
                made[batch, :, 1 + 3 * side : 4 + 3 * side] = self._gap_features(entity[batch], role[batch])
        self._add_links(asked, made[:, :, -2])
        if moments:
            made[:, :, -1] = moments(asked, self.times)
        return made

    def _gap_features(self, entity: Ints, role: Ints) -> npt.NDArray[np.float32]:
        """Add up, over the known facts of each entity, what their gaps to all times say for a role."""
        made = np.zeros((len(entity), len(self.times), len(_GAPS)), np.float32)
        which, fact, stands_for = self.known.of_entities(entity, most=_NEIGHBOURS)
        dated = ~np.isnan(self.known.starts[fact])
        which, fact, stands_for = which[dated], fact[dated], stands_for[dated]
        if not len(which):
            return made
        other_role = self.known.facts.relation[fact]
        weight = (stands_for / self.known.group_sizes[self.known.group[fact]]).astype(np.float32)
        begins = np.flatnonzero(np.diff(which, prepend=-1))
        for kind, times in enumerate((self.known.starts, self.known.ends)):
            ratios = self.gaps.ratios[kind, role[which], other_role].astype(np.float32)
            rows = np.take_along_axis(ratios, self._bins(times[fact]), axis=1)
            made[which[begins], :, kind] = np.add.reduceat(rows * weight[:, None], begins)
            if kind == 0:
                made[which[begins], :, 2] = np.minimum.reduceat(rows, begins)
        return made

    def _add_links(self, asked: TimeQueries, into: npt.NDArray[np.float32]) -> None:
        """Add what other facts between subject and object say, whenever they held."""
        which, fact = self.known.between(asked.subject, asked.object)
        dated = ~np.isnan(self.known.starts[fact])
        which, fact = which[dated], fact[dated]
        kept, stands_for = thinned(which, most=_NEIGHBOURS)
        which, fact = which[kept], fact[kept]
        for begin in range(0, len(which), _LINKS_PER_BATCH):
            row, other = which[begin : begin + _LINKS_PER_BATCH], fact[begin : begin + _LINKS_PER_BATCH]
            ratios = self.link_gaps[asked.relation[row], self.known.facts.relation[other]]
            rows = np.take_along_axis(ratios, self._bins(self.known.starts[other]), axis=1)
            rows *= stands_for[begin : begin + _LINKS_PER_BATCH, None]
            begins = np.flatnonzero(np.diff(row, prepend=-1))
            into[row[begins]] += np.add.reduceat(rows, begins).astype(np.float32)

    def _bins(self, times: Floats) -> Ints:
        """Return the bin of the gap from each of some times to each of ours."""
        reach = int(max(abs(self.times[-1] - times.min(initial=0)), abs(times.max(initial=0) - self.times[0])))
        table = binned(np.arange(-reach, reach + 1, dtype=np.float64))
        found: Ints = table[(self.times[None] - times.astype(np.int64)[:, None]) + reach]
        return found


def expected_aeiou(curves: Floats, lasting: Floats, lengths: Ints) -> Floats:
    """Return the expected aeIOU of [start, start + length] for each fact, length and start.

    It depends on how far the true start is away and on the two lengths alone, so it is a convolution of the curve with
    one kernel for each length.

    >>> curves = np.array([[0.0, 0.6, 0.4, 0.0]])
    >>> expected_aeiou(curves, np.array([1.0]), np.array([0, 1])).round(2).tolist()     # instants: guess one
    [[[0.43, 0.8, 0.7, 0.4], [0.43, 0.5, 0.4, 0.28]]]
    """
    reach = curves.shape[1] - 1
    shift = np.arange(-reach, reach + 1)[:, None]  # from the guessed start to the true one
    true_length = np.flatnonzero(lasting)
    kernels = np.stack([aeiou((shift, shift + true_length), (0, length)) @ lasting[true_length] for length in lengths])
    found = torch.nn.functional.conv1d(
        torch.from_numpy(curves)[:, None].float(), torch.from_numpy(kernels)[:, None].float(), padding=reach
    )
    worth: Floats = found.double().numpy()
    return worth


def _usual(relation: Ints, starts: Floats, times: Ints, relations: int) -> Floats:
    """Count starts for each relation, smoothed over neighbouring times and towards all relations; as logarithms."""
    inside = (starts >= times[0]) & (starts <= times[-1])
    counts = np.zeros((relations, len(times)))
    np.add.at(counts, (relation[inside], (starts[inside] - times[0]).astype(np.int64)), 1)
    bell = np.exp(-np.abs(np.arange(-10, 11)) / 2)
    width = min(len(times), len(bell))
    middle = (len(bell) - width) // 2
    bell = bell[middle : middle + width] / bell[middle : middle + width].sum()
    smooth = np.stack([np.convolve(row, bell, mode="same") for row in counts]) + 1e-3
    overall = smooth.sum(axis=0) / smooth.sum()
    mixed = smooth + 5 * overall
    return np.asarray(np.log(mixed / mixed.sum(axis=1, keepdims=True)))


def _lasting(facts: Quadruples, relations: int) -> Floats:
    """Count how long dated facts last for each relation, smoothed towards all relations."""
    dated = facts.dated
    length = np.clip(facts.end[dated] - facts.start[dated], 0, _LONGEST)
    counts = np.zeros((relations, _LONGEST + 1))
    np.add.at(counts, (facts.relation[dated], length), 1)
    overall = (counts.sum(axis=0) + 1e-9) / (counts.sum() + 1e-9 * counts.shape[1])
    mixed = counts + 3 * overall
    return np.asarray(mixed / mixed.sum(axis=1, keepdims=True))


def _link_gaps(known: KnownFacts) -> Floats:
    """Count the gaps between facts on the same two entities, set against gaps that are spread evenly."""
    drawn = _enough_pairs(known)
    fact, other = known.between(known.facts.entity[drawn], known.facts.answer[drawn])
    fact = drawn[fact]
    apart = (fact != other) & ~np.isnan(known.starts[fact]) & ~np.isnan(known.starts[other])
    fact, other = fact[apart], other[apart]
    bins = binned(known.starts[fact] - known.starts[other])
    counts = np.zeros((known.roles, known.roles, BINS))
    np.add.at(counts, (known.facts.relation[fact], known.facts.relation[other], bins), 1)
    share = (counts + 0.5) / (counts.sum(axis=-1, keepdims=True) + 0.5 * BINS)
    return np.asarray(np.log(share / BIN_WIDTHS))


def _enough_pairs(known: KnownFacts) -> Ints:
    """Choose facts so that their pairs are not too many to count: those of two entities grow with their square."""
    together = known.facts.entity * known.entities + known.facts.answer
    pairs_of_all = float((np.unique(together, return_counts=True)[1].astype(np.float64) ** 2).sum())
    drawn = np.random.default_rng(0).random(len(known)) < _MOST_PAIRS / max(1.0, pairs_of_all)
    return np.flatnonzero(drawn)
