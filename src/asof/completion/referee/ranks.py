"""Where right answers stand on somebody's scoresheet, under every protocol and with ties counted three ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asof.completion.filters import KnownAnswers
from asof.completion.referee.instants import RightStretches
from asof.completion.referee.protocols import RightAnswers
from asof.completion.referee.scoresheet import Scoresheet, Values
from asof.errors import UserError

Floats = npt.NDArray[np.float64]

TIES = ("optimistic", "mean", "pessimistic")  # for the answer, halfway (also called realistic), against it
HITS = (1, 3, 10)
_CELLS_AT_ONCE = 8_000_000


@dataclass(frozen=True)
class ProtocolRanks:
    """The ranks of answers under one protocol, a value for each question; of several instants, means over them.

    Args:
        rank: The rank by ties.
        reciprocal: One over it.
        hits: By ties and most, whether the rank is at most so high.
        weight: How many questions each stands for: its instants, where each counts by itself.
    """

    rank: Mapping[str, Floats]
    reciprocal: Mapping[str, Floats]
    hits: Mapping[tuple[str, int], Floats]
    weight: Floats


@dataclass(frozen=True)
class SheetRanks:
    """What became of a scoresheet.

    Args:
        listed: Whether each question's answer is among the candidates that are listed.
        candidates: How many are.
    """

    name: str
    protocols: Mapping[str, ProtocolRanks]
    listed: npt.NDArray[np.bool_]
    candidates: npt.NDArray[np.int64]
    both_sides: bool
    notes: tuple[str, ...]


def ranked(sheet: Scoresheet, right: RightAnswers, entities: int) -> SheetRanks:
    """Rank the answers of all questions that a scoresheet is about."""
    questions = len(right.queries) if sheet.both_sides else right.facts
    step = max(1, _CELLS_AT_ONCE // max(entities, right.instants))
    parts = [_Batch.of(sheet, right, first, min(first + step, questions)) for first in range(0, questions, step)]
    protocols = {name: _joined([part.by_share(name, right.shares[name]) for part in parts]) for name in right.shares}
    protocols |= {
        name: _joined([part.by_instant(name, right.stretches[name]) for part in parts]) for name in right.stretches
    }
    listed = ~np.concatenate([part.missing for part in parts])
    candidates = np.concatenate([part.candidates for part in parts])
    if listed.all() and not any(part.wrong for part in parts) and (candidates < entities).any():
        raise UserError(
            f"{sheet.name} has a score for every right answer and for no wrong one: it was made from the answers. "
            "Score all candidates, or list the best of each question."
        )
    notes = (*sheet.notes, *_coverage(listed, candidates, entities))
    return SheetRanks(sheet.name, protocols, listed, candidates, sheet.both_sides, notes)


@dataclass(frozen=True)
class _Batch:
    """What is better than the answers of some questions, and what is as good; right or wrong."""

    first: int
    better: Floats
    alike: Floats
    missing: npt.NDArray[np.bool_]
    candidates: npt.NDArray[np.int64]
    wrong: int
    known: Mapping[str, tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]]

    @classmethod
    def of(cls, sheet: Scoresheet, right: RightAnswers, first: int, after: int) -> _Batch:
        values = sheet.of_questions(first, after)
        answer = right.queries.answer[first:after]
        gold = values[np.arange(after - first), answer][:, None]
        missing = np.isnan(gold[:, 0])
        better = np.where(missing, values.shape[1] - 1, (values > gold).sum(1)).astype(float)
        alike = np.where(missing, 0, (values == gold).sum(1) - 1).astype(float)
        everything: dict[str, KnownAnswers | RightStretches] = {**right.shares, **right.stretches}
        known = {
            name: _against(values, gold, missing, one.of_queries(first, after)) for name, one in everything.items()
        }
        there = ~np.isnan(values)
        rights = right.shares["any-time"].of_queries(first, after)
        wrong = int(there.sum() - (~missing).sum() - there[rights.query, rights.candidate].sum())
        return cls(first, better, alike, missing, there.sum(1), wrong, known)

    @property
    def after(self) -> int:
        return self.first + len(self.better)

    def by_share(self, name: str, answers: KnownAnswers) -> ProtocolRanks:
        above, same = self.known[name]
        part = answers.of_queries(self.first, self.after)
        best, tied = (
            counts - np.bincount(part.query, which * part.share, minlength=len(counts))
            for counts, which in ((self.better, above), (self.alike, same))
        )
        return _measured(best, tied, np.arange(len(best)), np.ones(len(best)))

    def by_instant(self, name: str, answers: RightStretches) -> ProtocolRanks:
        part = answers.of_queries(self.first, self.after)
        above, same = self.known[name]
        question = part.question_of_instant
        best = self.better[question] - part.sums_at_instants(above)
        tied = self.alike[question] - part.sums_at_instants(same)
        return _measured(best, tied, question, part.length.astype(float))


def _against(
    values: Values, gold: Values, missing: npt.NDArray[np.bool_], known: KnownAnswers | RightStretches
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Tell which other right answers are better than the expected one, and which are as good."""
    others, golds = values[known.query, known.candidate], gold[known.query, 0]
    return (others > golds) | missing[known.query], others == golds


def _measured(best: Floats, tied: Floats, question: npt.NDArray[np.int64], weight: Floats) -> ProtocolRanks:
    """Make measures of ranks; of several for one question their mean."""
    rank, reciprocal = {}, {}
    hits: dict[tuple[str, int], Floats] = {}

    def mean(values: Floats) -> Floats:
        found: Floats = np.bincount(question, values, minlength=len(weight)) / weight
        return found

    for ties, part in zip(TIES, (0.0, 0.5, 1.0), strict=True):
        ranks = np.maximum(1.0, np.round(1 + best + part * tied, 9))  # sums of shares are rounded
        rank[ties], reciprocal[ties] = mean(ranks), mean(1 / ranks)
        hits |= {(ties, most): mean((ranks <= most).astype(float)) for most in HITS}
    return ProtocolRanks(rank, reciprocal, hits, weight)


def _joined(parts: list[ProtocolRanks]) -> ProtocolRanks:
    return ProtocolRanks(
        {ties: np.concatenate([part.rank[ties] for part in parts]) for ties in TIES},
        {ties: np.concatenate([part.reciprocal[ties] for part in parts]) for ties in TIES},
        {key: np.concatenate([part.hits[key] for part in parts]) for key in parts[0].hits},
        np.concatenate([part.weight for part in parts]),
    )


def _coverage(listed: npt.NDArray[np.bool_], candidates: npt.NDArray[np.int64], entities: int) -> list[str]:
    """Say what is missing, and refuse or suspect what only somebody who knew the answers could list."""
    if not candidates.any():
        raise UserError("No question has a score that is a number, so there is nothing to rank.")
    if (candidates == entities).all():
        return []
    shown = f"{candidates.mean():,.1f} of {entities:,} candidates have a score on average; the others stand below them."
    if listed.all():
        if candidates.mean() < entities / 2:
            shown += (
                " Yet no answer is missing: if candidates were chosen by somebody who knew the answers (sampled wrong "
                "ones beside the right one), these ranks say too much."
            )
        return [shown]
    lost = int((~listed).sum())
    return [f"{shown} {lost:,} of {len(listed):,} answers have none; each gets the last place."]
