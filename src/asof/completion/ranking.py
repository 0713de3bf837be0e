"""Where the right answer stands among all candidates, and what that is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch

from asof.completion.dataset import Dataset, Ints, Protocol
from asof.completion.filters import AnswerFilter, Filter, KnownAnswers, in_calendar, in_points, known_answers
from asof.completion.queries import Queries, queries_of
from asof.errors import UserError

Ties = Literal["against", "mean"]
_QUERIES_PER_BATCH = 512
_SCORES_PER_BATCH = 20_000_000  # that are held at a time: fewer questions where there are many entities
_BATCHES_FILTERED = 16  # whose other right answers are looked up together: those of a hub are very many

Scores = Callable[[Queries], torch.Tensor]  # given unanswered questions: a row for each, one column per entity
Others = Mapping[Filter, KnownAnswers]  # what each filter knows to be right besides the answers
Noted = Callable[[Ints, torch.Tensor, Others], None]  # some rows of the queries, what all candidates score for them


@dataclass(frozen=True)
class Ranking:
    """The filtered rank of the answer to each query: objects first, then subjects. Ranks may be fractions."""

    queries: Queries
    ranks: npt.NDArray[np.float64]

    @property
    def mrr(self) -> float:
        """Mean reciprocal rank."""
        return float(np.mean(1 / self.ranks))

    def mrr_of(self, side: Literal["object", "subject"]) -> float:
        """Mean reciprocal rank of the questions for objects, or for subjects, alone."""
        facts = len(self.ranks) // 2
        return float(np.mean(1 / (self.ranks[:facts] if side == "object" else self.ranks[facts:])))

    def hits(self, most: int) -> float:
        """Share of answers whose rank is at most so high."""
        return float(np.mean(self.ranks <= most))

    def results(self) -> dict[str, float]:
        """Name the usual figures."""
        return {"mrr": self.mrr, "hits@1": self.hits(1), "hits@3": self.hits(3), "hits@10": self.hits(10)}


def rank(
    scores: Scores,
    dataset: Dataset,
    split: str,
    *,
    chosen: Filter | None = None,
    ties: Ties | None = None,
    noted: Noted | None = None,
    most: int | None = None,
) -> Ranking:
    """Rank the answers to all queries of a split.

    Args:
        chosen: The filter; by default each instant of the asked interval by itself.
        ties: Whether candidates with the answer's own score count against it, or half; by default as the protocol has.
        noted: Called with each batch of scores, for whoever wants more of them than ranks.
        most: So many facts of the split are drawn, where it has more; without it all are asked about.
    """
    name = chosen or "instants"
    return rankings(scores, dataset, split, [name], ties=ties, noted=noted, most=most)[name]


def rankings(
    scores: Scores,
    dataset: Dataset,
    split: str,
    filters: Sequence[Filter],
    *,
    ties: Ties | None = None,
    noted: Noted | None = None,
    most: int | None = None,
) -> dict[Filter, Ranking]:
    """Rank the answers to all queries of a split under several filters; candidates are scored once.

    Questions are asked by time, so that a point whose candidates differ comes up once.
    """
    queries = queries_of(dataset, split) if most is None else drawn_questions(dataset, split, most)
    order = np.argsort(queries.start, kind="stable")
    asked = queries[order]
    tied = ties or protocol_ties(dataset)
    ranks = {name: np.zeros(len(queries)) for name in filters}
    everything = in_instants(dataset, Queries.of(dataset.all_facts, len(dataset.relations)))
    instants = in_instants(dataset, asked)
    known = {name: AnswerFilter.of(everything, name, instants) for name in filters}
    size = min(_QUERIES_PER_BATCH, max(1, _SCORES_PER_BATCH // len(dataset.entities)))
    for start in range(0, len(queries), size):
        some = slice(start, start + size)
        if start % (_BATCHES_FILTERED * size) == 0:
            block, begin = instants[start : start + _BATCHES_FILTERED * size], start
            found = {name: one.answers(block) for name, one in known.items()}
        batch, rows = asked[some], order[some]
        scored = scores(batch.unanswered)
        others = {name: one.of_queries(start - begin, start - begin + len(batch)) for name, one in found.items()}
        for name, answers in others.items():
            ranks[name][rows] = ranks_of(scored, batch, answers, tied)
        if noted:
            noted(rows, scored, others)
    return {name: Ranking(queries, ranks[name]) for name in filters}


def drawn_questions(dataset: Dataset, split: str, most: int, *, seed: int = 0) -> Queries:
    """Return the questions about both ends of some facts of a split, drawn where there are more; objects first."""
    facts = dataset.split(split)
    if len(facts) > most:
        facts = facts[np.sort(np.random.default_rng(seed).choice(len(facts), most, replace=False))]
    return Queries.of(facts, len(dataset.relations))


def protocol_ties(dataset: Dataset) -> Ties:
    """Return how ties count, by the protocol of a dataset."""
    return "against" if dataset.protocol is Protocol.JAIN2020 else "mean"


def ranks_of(scores: torch.Tensor, queries: Queries, known: KnownAnswers, ties: Ties) -> npt.NDArray[np.float64]:
    """Rank each answer among all candidates, less the share in which better ones are right too.

    The example of Jain et al. 2020, table 1: four candidates are better than the answer, and right for 2, 1, 0 and 4 of
    the four years that are asked about.

    >>> queries = Queries(*(np.array([value]) for value in (0, 0, 4, 2000, 2003)))
    >>> known = KnownAnswers(np.array([0, 0, 0]), np.array([0, 1, 3]), np.array([2 / 4, 1 / 4, 4 / 4]))
    >>> ranks_of(torch.tensor([[5.0, 4.0, 3.0, 2.0, 1.0, 0.0]]), queries, known, "mean").tolist()
    [3.25]
    """
    values = scores.numpy()
    gold = values[np.arange(len(queries)), queries.answer][:, None]
    if not np.isfinite(gold).all():  # nothing is better than no number, so the rank would be the first
        raise UserError("Some scores are not numbers: the weights are broken. Train the model again.")
    others, golds = values[known.query, known.candidate], gold[known.query, 0]
    ranks, right = _counted(values >= gold), (others >= golds).astype(np.float64)  # the answer is as good as itself
    if ties == "mean":  # halfway to where ties would count for the answer
        ranks, right = (ranks + 1 + _counted(values > gold)) / 2, (right + (others > golds)) / 2
    return ranks - np.bincount(known.query, right * known.share, minlength=len(queries))


def _counted(these: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Count what is true in each row, eight at a time: in half the time that a sum of truth values takes."""
    counts: npt.NDArray[np.float64] = np.bitwise_count(np.packbits(these, axis=1)).sum(1, dtype=np.float64)
    return counts


def known_to(dataset: Dataset, queries: Queries, chosen: Filter) -> KnownAnswers:
    """Find what all three splits know to be right besides the answers, in the unit in which instants are counted."""
    everything = Queries.of(dataset.all_facts, len(dataset.relations))
    return known_answers(in_instants(dataset, queries), in_instants(dataset, everything), chosen)


def in_instants(dataset: Dataset, queries: Queries) -> Queries:
    """Give intervals in points, as the program of 2020 counts, or by the calendar within what the dataset covers."""
    return (in_points if dataset.protocol is Protocol.JAIN2020 else in_calendar)(dataset, queries)
