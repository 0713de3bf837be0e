"""What somebody says of all candidates of questions: a matrix, or a list for each question.

A candidate that is not listed, or whose score is no number, is missing. It stands below all that are listed; an answer
that is missing stands below everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import Ints
from asof.errors import UserError

Values = npt.NDArray[Any]  # floats of any size


class Scoresheet(Protocol):
    """Scores of the questions of a split, objects first, then subjects; maybe of objects alone."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know of how it was read."""

    @property
    def both_sides(self) -> bool:
        """Tell whether subjects are asked for, too."""

    def of_questions(self, first: int, after: int) -> Values:
        """Return a row for each of some questions, a column for each entity; not a number where one is missing."""


@dataclass(frozen=True)
class MatrixSheet:
    """A matrix for each side, with a row for each fact of the split.

    Args:
        columns: For each entity its column, -1 where there is none; None where they are in the dataset's order.
    """

    name: str
    object: Values
    subject: Values | None = None
    columns: Ints | None = None
    notes: tuple[str, ...] = ()

    @property
    def both_sides(self) -> bool:
        """Tell whether subjects are asked for, too."""
        return self.subject is not None

    def of_questions(self, first: int, after: int) -> Values:
        """Return a row for each of some questions."""
        facts = len(self.object)
        parts = [self.object[first : min(after, facts)]]
        if self.subject is not None and after > facts:
            parts.append(self.subject[max(0, first - facts) : after - facts])
        rows = np.concatenate(parts)
        see_that_none_is_infinite(rows, self.name)
        if self.columns is None:
            return rows
        found: Values = np.where(self.columns >= 0, rows[:, np.maximum(self.columns, 0)], np.nan)
        return found


@dataclass(frozen=True)
class ListSheet:
    """Lists of candidates with scores, as long as somebody likes.

    Args:
        question: Sorted; beside it the candidates and their scores.
    """

    name: str
    question: Ints
    candidate: Ints
    score: npt.NDArray[np.float64]
    entities: int
    both_sides: bool
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, name: str, question: Ints, candidate: Ints, score: Values, *, entities: int, facts: int, **more: Any
    ) -> ListSheet:
        """Put rows in order; a candidate that is listed twice for a question counts once, with its best score."""
        see_that_none_is_infinite(score, name)
        numbers = ~np.isnan(score)
        question, candidate, score = question[numbers], candidate[numbers], score[numbers].astype(float)
        order = np.lexsort((-score, candidate, question))
        question, candidate, score = question[order], candidate[order], score[order]
        first = np.ones(len(question), bool)
        first[1:] = (question[1:] != question[:-1]) | (candidate[1:] != candidate[:-1])
        notes = list(more.pop("notes", ()))
        if not numbers.all():
            notes.append(f"{int((~numbers).sum()):,} scores are not numbers; these candidates count as missing.")
        if not first.all():
            notes.append(f"{int((~first).sum()):,} candidates are listed twice; each counts once, with its best score.")
        both = bool((question >= facts).any())
        return cls(name, question[first], candidate[first], score[first], entities, both, tuple(notes), **more)

    def of_questions(self, first: int, after: int) -> Values:
        """Return a row for each of some questions."""
        rows = np.full((after - first, self.entities), np.nan)
        part = slice(*np.searchsorted(self.question, [first, after]))
        rows[self.question[part] - first, self.candidate[part]] = self.score[part]
        return rows


def see_that_none_is_infinite(scores: Values, file: str) -> None:
    """Raise an error where a score is infinite, which is a mistake; minus infinity is how programs mask candidates."""
    if np.isposinf(scores).any():
        raise UserError(
            f"{file}: a score is inf, and scores are finite. A candidate that is not to be ranked has no score: "
            "nan in a matrix, no row in a list."
        )


@dataclass(frozen=True)
class CountSheet:
    """Scores that are made when they are asked for, such as counts."""

    name: str
    make: Callable[[int, int], Values] = field(repr=False)
    both_sides: bool = True
    notes: tuple[str, ...] = ()

    def of_questions(self, first: int, after: int) -> Values:
        """Return a row for each of some questions."""
        return self.make(first, after)
