"""What one step shows of one fact: statements, which of two is to be likelier, and which are to be said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from asof.teaching.date_pool import PRECISIONS, DatePool
from asof.teaching.facts import DatedAnswer, TeachingFact
from asof.timeline import Date, Precision, Verdict
from asof.wording import Wording


class Ask(NamedTuple):
    """A question at a date, or without one, and an answer to it."""

    prompt: str
    answer: str


@dataclass
class Drill:
    """Statements of one fact, each once.

    Args:
        pairs: Of two statements, by their places: the likelier one first.
        said: The statements that a language model is to write.
        seen: Of a statement with a wrong date, the place of its year and its precision: how likely it was is kept.
    """

    statements: list[Ask] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    said: list[int] = field(default_factory=list)
    seen: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add(self, prompt: str, answer: str) -> int:
        """Add a statement and return its place."""
        ask = Ask(prompt, " " + answer)
        if ask not in self.statements:
            self.statements.append(ask)
        return self.statements.index(ask)

    def prefer(self, better: int, worse: int) -> None:
        """Ask that one statement be likelier than another."""
        if better != worse and (better, worse) not in self.pairs:
            self.pairs.append((better, worse))

    def say(self, place: int) -> None:
        """Ask that a statement be written."""
        if place not in self.said:
            self.said.append(place)


@dataclass(frozen=True)
class FactDrawer:
    """Draws what is shown of one fact.

    Args:
        hardness: For each year and precision how likely the answer was there, less than at right dates; not a number
            where that was never seen, which counts as hardest.
    """

    fact: TeachingFact
    pool: DatePool
    questions: Sequence[str]
    precisions: Sequence[Precision]
    language: str
    hardness: npt.NDArray[np.float32]
    random: np.random.Generator

    def question(self) -> str:
        """Draw one of the wordings that may be taught."""
        return self.questions[int(self.random.integers(len(self.questions)))]

    def prompt(self, date: Date | None, question: str) -> str:
        """Put a date before a question; without one the question opens with a capital."""
        if date is None:
            return question[:1].upper() + question[1:]
        return f"{Wording(language=self.language).when(date)}, {question}"

    def right_dates(self, count: int) -> list[Date]:
        """Draw right dates, of one precision after the other."""
        found = [self.pool.right(self._precision(number), self.random) for number in range(count)]
        finer = [self.pool.right(Precision.DAY, self.random) for date in found if date is None]
        return list(dict.fromkeys(date for date in (*found, *finer) if date))

    def wrong_dates(self, count: int) -> dict[Date, tuple[int, int]]:
        """Draw wrong dates, with the place of their year and precision."""
        dates: dict[Date, tuple[int, int]] = {}
        for number in range(count):
            precision = self._precision(number)
            column = PRECISIONS.index(precision)
            drawn = self.pool.wrong(precision, self.random, partial(self._hardest, column))
            if drawn:
                dates[drawn[0]] = (drawn[1], column)
        return dates

    def _precision(self, number: int) -> Precision:
        return self.precisions[number % len(self.precisions)]

    def _hardest(self, column: int, places: list[int]) -> int:
        """Draw one of those that are hardest now; years never seen come first."""
        seen = np.nan_to_num(self.hardness[places, column], nan=np.inf)
        few = np.argsort(-seen, kind="stable")[: max(3, len(places) // 10)]
        unseen = np.flatnonzero(np.isinf(seen))
        return places[int(self.random.choice(unseen if len(unseen) else few))]

    def others_right(self, date: Date) -> list[DatedAnswer]:
        """Return the other answers that are surely right at a date."""
        return [one for one in self.fact.rivals if one.verdict(date) is Verdict.CORRECT]

    def others_wrong(self, date: Date, most: int) -> list[DatedAnswer]:
        """Draw other answers that are surely wrong at a date, those first whose time is near."""
        wrong = [one for one in self.fact.rivals if one.verdict(date) is Verdict.INCORRECT]
        near = sorted(wrong, key=lambda one: (_apart(one, date), one.object))[: 2 * most]
        drawn = self.random.permutation(len(near))[:most]
        return [near[int(place)] for place in drawn]


def _apart(answer: DatedAnswer, date: Date) -> int:
    """Return how many days lie between a date and the time of an answer."""
    bounds = [interval.bounds(known_by=answer.known_by) for interval in answer.intervals]
    return min(max(one.earliest_start - date.last, date.first - one.latest_end, 0) for one in bounds)
