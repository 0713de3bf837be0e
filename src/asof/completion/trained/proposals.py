"""What a base lacks, proposed for review: ends and starts of facts, and objects.

An end is proposed where a fact has a start and no end, unless it is known to go on or facts of its relation (nearly)
never end. An object is proposed where a
subject lacks a relation that most subjects like it have, and where a relation that seldom pauses does so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Quadruples
from asof.completion.interval_prediction import Floats
from asof.completion.queries import NOBODY, Queries
from asof.completion.trained.curves import NEVER
from asof.completion.trained.dates_beside import Missing
from asof.completion.trained.end_dates import EndDates
from asof.completion.trained.folder import TrainedModel
from asof.completion.trained.prediction import top_answers
from asof.completion.training.trainer import link_scores, protocol_instants

What = Literal["end", "start", "object"]
_LIKELY = 0.5  # the share of like subjects that have a relation, from which it is missing in the others
_QUERIES_PER_BATCH = 512


@dataclass(frozen=True)
class ProposedFact:
    """A fact to review; ``what`` is the part of it that the model proposes.

    Args:
        probability: Of an end or start, that it is this very year (or day); of an object, that there is one, times
            that it is this.
    """

    subject: int
    relation: int
    object: int
    start: int
    end: int
    what: What
    probability: float


@dataclass(frozen=True)
class Abstention:
    """Facts of a relation whose end (or start) is missing and not proposed: nothing was learnt of how long it lasts."""

    relation: int
    what: Missing
    facts: int


@dataclass(frozen=True)
class Review:
    """What a model proposes for a base, the likeliest first, and where it abstains.

    Args:
        ends: What dates were proposed by; None where no fact has both.
    """

    proposals: list[ProposedFact]
    abstentions: list[Abstention]
    ends: EndDates | None


def review_of(trained: TrainedModel, *, least: float = 0.0) -> Review:
    """Return all proposals of at least a probability, and the relations whose missing dates cannot be proposed."""
    ends = EndDates.of(trained)
    found = [*_objects(trained), *(_dates(trained.dataset, ends) if ends else ())]
    kept = [one for one in found if one.probability >= least]
    kept.sort(key=lambda one: (-one.probability, one.subject, one.relation, one.object))
    return Review(kept, list(_abstentions(trained.dataset, ends)), ends)


def _abstentions(dataset: Dataset, ends: EndDates | None) -> Iterator[Abstention]:
    for what, facts in _undated(dataset).items():
        for relation, count in zip(*np.unique(facts.relation, return_counts=True), strict=True):
            if ends is None or not ends.lengths.learnt[relation]:
                yield Abstention(int(relation), what, int(count))


def _undated(dataset: Dataset) -> dict[Missing, Quadruples]:
    """Return the facts that have a start and no end, unless they go on, and those that have an end and no start."""
    every = dataset.all_facts
    has_start, has_end = every.start > BEFORE_ALL, every.end < AFTER_ALL
    goes_on = np.zeros(len(every), bool) if dataset.ongoing is None else dataset.ongoing
    whole = ~_unseen(dataset, every)
    return {
        "end": every[has_start & ~has_end & ~goes_on & whole],
        "start": every[~has_start & has_end & (every.end > BEFORE_ALL) & whole],
    }


def _dates(dataset: Dataset, ends: EndDates) -> Iterator[ProposedFact]:
    for what, undated in _undated(dataset).items():
        facts = undated[ends.lengths.learnt[undated.relation]]
        times, sure = ends.proposed(facts, what)
        for row in range(len(facts)):
            yield ProposedFact(
                int(facts.subject[row]),
                int(facts.relation[row]),
                int(facts.object[row]),
                int(times[row] if what == "start" else facts.start[row]),
                int(times[row] if what == "end" else facts.end[row]),
                what,
                float(sure[row]),
            )


def _objects(trained: TrainedModel) -> Iterator[ProposedFact]:
    dataset = trained.dataset
    asked, exists = _questions(dataset)
    scores = link_scores(trained.scorer, dataset, protocol_instants(dataset))
    for begin in range(0, len(asked), _QUERIES_PER_BATCH):
        part = asked[begin : begin + _QUERIES_PER_BATCH]
        table = scores(part).clone()
        table[torch.arange(len(part)), torch.from_numpy(part.entity)] = NEVER
        if dataset.pooled is not None:
            table[:, dataset.pooled] = NEVER
        best, sure = top_answers(table, trained.links.temperature)
        for row in range(len(part)):
            yield ProposedFact(
                int(part.entity[row]),
                int(part.relation[row]),
                int(best[row]),
                int(part.start[row]),
                int(part.end[row]),
                "object",
                float(sure[row] * exists[begin + row]),
            )


def _questions(dataset: Dataset) -> tuple[Queries, Floats]:
    """Ask for objects that may be missing, each with the probability that there is one."""
    rows = [*_missing_relations(dataset), *_pauses(dataset)]
    columns = [np.array([row[index] for row in rows], np.int64) for index in range(4)]
    subject, relation, start, end = columns
    nobody = np.full(len(rows), NOBODY)  # no answer is known: at these times the base has none
    return Queries(subject, relation, nobody, start, end), np.array([row[4] for row in rows])


def _missing_relations(dataset: Dataset) -> Iterator[tuple[int, int, int, int, float]]:
    """Find subjects without a relation that most subjects have which share another relation with them."""
    facts = dataset.all_facts[~_unseen(dataset, dataset.all_facts)]
    subjects, index = np.unique(facts.subject, return_inverse=True)
    has = np.zeros((len(subjects), len(dataset.relations)), bool)
    has[index, facts.relation] = True
    both = has.T.astype(np.float64) @ has
    share = both / np.maximum(1, np.diag(both))[:, None]  # of the subjects with one relation, those with another
    for number, subject in enumerate(subjects):
        likely = share[has[number]].max(axis=0)
        for relation in np.flatnonzero(~has[number] & (likely >= _LIKELY)):
            yield int(subject), int(relation), BEFORE_ALL, AFTER_ALL, float(likely[relation])


def _pauses(dataset: Dataset) -> Iterator[tuple[int, int, int, int, float]]:
    """Find whole years (or days) without an object between two facts of a subject, where that is seldom so.

    A fact without a start that ends there, or at no known time, may be what was: then nothing is missing but its dates.
    """
    facts = dataset.all_facts[~_unseen(dataset, dataset.all_facts)]
    startless = facts[facts.start <= BEFORE_ALL]
    may_fill: dict[tuple[int, int], list[int]] = {}
    for subject, relation, end in zip(startless.subject, startless.relation, startless.end, strict=True):
        may_fill.setdefault((int(subject), int(relation)), []).append(int(end))
    facts = facts[facts.start > BEFORE_ALL]
    order = np.lexsort((facts.start, facts.relation, facts.subject))
    facts = facts[order]
    last: tuple[int, int] | None = None
    reached = 0
    steps = np.zeros(len(dataset.relations))
    found: list[tuple[int, int, int, int]] = []
    for subject, relation, start, end in zip(facts.subject, facts.relation, facts.start, facts.end, strict=True):
        if last is not None and (subject, relation) == last:
            steps[relation] += 1
            filled = (reached < other <= start or other >= AFTER_ALL for other in may_fill.get(last, ()))
            if start > reached + 1 and not any(filled):
                found.append((int(subject), int(relation), int(reached) + 1, int(start) - 1))
            reached = max(reached, end)
        else:
            last, reached = (subject, relation), end
    pauses = np.bincount([row[1] for row in found], minlength=len(steps)) if found else np.zeros(len(steps))
    unbroken = 1 - pauses / np.maximum(1, steps)
    for row in found:
        if unbroken[row[1]] >= _LIKELY:
            yield *row, float(unbroken[row[1]])


def _unseen(dataset: Dataset, facts: Quadruples) -> npt.NDArray[np.bool_]:
    """Tell which facts have an end that stands for all entities that train does not have."""
    number = dataset.pooled
    if number is None:
        return np.zeros(len(facts), bool)
    found: npt.NDArray[np.bool_] = (facts.subject == number) | (facts.object == number)
    return found
