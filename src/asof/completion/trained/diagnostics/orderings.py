"""Which relations always begin before which others, and how often a model's first answer would break such an order.

Jain et al. 2020, section 5.3 and tables 4, 7 and 8: nobody wins a prize before being born. The orders come from the
training facts alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import BEFORE_ALL, Dataset, Ints, Quadruples
from asof.completion.filters import matches
from asof.completion.interval_prediction import Floats
from asof.completion.queries import Queries

LEAST_SHARE, LEAST_SUBJECTS = 0.99, 100  # both of the paper
_MOST_PAIRS = 2_000_000  # in memory at a time


@dataclass(frozen=True)
class Orderings:
    """Pairs of relations of which, for one subject, the first begins before the second; the best supported first."""

    before: Ints
    after: Ints
    share: Floats
    subjects: Ints

    def __len__(self) -> int:
        return len(self.before)


@dataclass(frozen=True)
class Violations:
    """Which questions for a subject got an answer that breaks an order, and of which this could be told at all.

    Args:
        judged: The question has a start, and train has a fact of its answer whose relation is ordered with the asked
            one. Others cannot break an order.
    """

    broken: npt.NDArray[np.bool_]
    judged: npt.NDArray[np.bool_]

    @property
    def share(self) -> float:
        """Share of all questions, as in table 4."""
        return float(self.broken.mean()) if len(self.broken) else float("nan")


def mined_orderings(
    dataset: Dataset, *, least_share: float = LEAST_SHARE, least_subjects: int = LEAST_SUBJECTS
) -> Orderings:
    """Find the pairs of relations whose starts are nearly always in one order in train.

    The paper does not say what to do with several facts of a relation. Here each subject that has both relations counts
    once: with the share of its pairs of facts, one of each relation, that are in order. So a second marriage weighs
    within its subject only, and a subject with many facts no more than others. Equal starts are not in order; facts
    without a start take no part.

    Args:
        least_share: So much of the subjects, counted in this way, must have the order.
        least_subjects: So many subjects must have both relations.
    """
    relations = len(dataset.relations)
    starts = _Starts.of(dataset.train, relations)
    subjects, in_order = np.zeros((2, relations**2))
    for part in starts.parts():
        pair, share = part.in_order()
        subjects += np.bincount(pair, minlength=relations**2)
        in_order += np.bincount(pair, share, relations**2)
    share = in_order / np.maximum(1, subjects)
    found = np.flatnonzero((subjects >= max(1, least_subjects)) & (share >= least_share))
    found = found[np.argsort(-subjects[found], kind="stable")]
    return Orderings(found // relations, found % relations, share[found], subjects[found].astype(np.int64))


def violations(dataset: Dataset, orderings: Orderings, questions: Queries, answers: Ints) -> Violations:
    """Tell which answers to questions for a subject break an order, given the training facts of the answer.

    An answer breaks an order as soon as one training fact of it does: of a relation that comes before and starts at the
    asked start or later, or of one that comes after and starts at the asked start or earlier. One question counts once.

    Args:
        questions: For subjects, so with relations turned round; their time is their start.
        answers: The entity that is answered to each.
    """
    relations = len(dataset.relations)
    comes_before = np.zeros((relations, relations), bool)
    comes_before[orderings.before, orderings.after] = True
    starts = _Starts.of(dataset.train, relations)
    question, group = matches(answers, starts.subject)
    asked, other = questions.relation[question] % relations, starts.relation[group]
    earlier, later = comes_before[other, asked], comes_before[asked, other]
    start = questions.start[question]
    told = (start > BEFORE_ALL) & (earlier | later)
    latest, earliest = starts.start[starts.after[group] - 1], starts.start[starts.first[group]]
    breaks = told & ((earlier & (latest >= start)) | (later & (earliest <= start)))
    count = len(questions)
    return Violations(np.bincount(question, breaks, count) > 0, np.bincount(question, told, count) > 0)


@dataclass(frozen=True)
class _Starts:
    """The starts of facts in groups of one subject and relation, in order: ``start[first:after]`` of each group."""

    start: Ints
    subject: Ints
    relation: Ints
    first: Ints
    after: Ints
    relations: int

    @classmethod
    def of(cls, facts: Quadruples, relations: int) -> _Starts:
        facts = facts[facts.start > BEFORE_ALL]
        facts = facts[np.lexsort((facts.start, facts.relation, facts.subject))]
        keys, first, sizes = np.unique(
            facts.subject * relations + facts.relation, return_index=True, return_counts=True
        )
        return cls(facts.start, keys // relations, keys % relations, first, first + sizes, relations)

    def parts(self) -> Iterator[_Starts]:
        """Go through the subjects, so many at a time that their pairs of a fact and a group stay few."""
        sizes = self.after - self.first
        _, subject, groups = np.unique(self.subject, return_inverse=True, return_counts=True)
        pairs = np.bincount(subject, sizes * groups[subject], len(groups))
        block = ((np.cumsum(pairs) - pairs) // _MOST_PAIRS)[subject]
        for number in np.unique(block):
            rows = slice(*np.searchsorted(block, [number, number + 1]))
            begin, end = self.first[rows][0], self.after[rows][-1]
            yield _Starts(
                self.start[begin:end],
                self.subject[rows],
                self.relation[rows],
                self.first[rows] - begin,
                self.after[rows] - begin,
                self.relations,
            )

    def in_order(self) -> tuple[Ints, Floats]:
        """Return for each subject and two relations of it the pair of relations, and what share is in order.

        A fact is not paired with each fact of another group: how many start later is looked up.
        """
        sizes = self.after - self.first
        own = np.repeat(np.arange(len(sizes)), sizes)
        fact, other = matches(self.subject[own], self.subject)
        differ = own[fact] != other
        fact, other = fact[differ], other[differ]
        lowest = self.start.min(initial=0)
        stretch = self.start.max(initial=0) - lowest + 1  # keeps the starts of a group beyond those of groups before
        sorted_starts = own * stretch + self.start - lowest
        later = self.after[other] - np.searchsorted(
            sorted_starts, other * stretch + self.start[fact] - lowest, side="right"
        )
        keys, pair = np.unique(own[fact] * len(sizes) + other, return_inverse=True)
        one, two = keys // len(sizes), keys % len(sizes)
        share = np.bincount(pair, later, len(keys)) / (sizes[one] * sizes[two])
        return self.relation[one] * self.relations + self.relation[two], share
