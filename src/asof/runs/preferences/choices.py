"""Choices between two answers of a fact (choose, yes-no): the one of a period, and another that it had.

A row has the two as ``pair``, the place of the right one in it as ``right_in_pair``, and ``right_share``: how often the
right one was taken, over both orders; or ``pair_yes``: how often each was said to be right.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from asof.probes import LEFT_OUT, Row
from asof.registry import preferences
from asof.runs.cutoff_answers import AnswerChoice, ModelAnswer, ReadingSettings
from asof.runs.cutoff_history import FactHistory

_Pair = tuple[int, int]  # the answer that is right in the period of the question, and the other one


@preferences.register("choices")
class ChoicePreferences:
    """The share of askings in which the answer of a period was chosen before another one."""

    compared: ClassVar[bool] = False
    own_only: ClassVar[bool] = True

    def read(self, facts: Sequence[FactHistory], rows: Mapping[str, Row], how: ReadingSettings) -> list[ModelAnswer]:
        """Put the choices about each fact together; the same pair asked in several periods is one choice."""
        found = []
        for fact in facts:
            shares = _shares(fact, rows)
            if shares:
                won = _winner(shares)
                choices = tuple(one for pair, some in shares.items() for one in _choices(pair, some))
                found.append(ModelAnswer(fact, fact.names[won], fact.names[won], won, choices=choices))
        return found


@dataclass
class _PairShares:
    """How often the right answer of a pair was taken in each period that was asked about, from the first on."""

    period: int
    shares: list[float]

    @property
    def mean(self) -> float:
        return sum(self.shares) / len(self.shares)


def _shares(fact: FactHistory, rows: Mapping[str, Row]) -> dict[_Pair, _PairShares]:
    """Return how often the right answer of each pair was taken.

    The same pair in several periods asks the same of a model, as long as its knowledge reaches the first of them.
    """
    seen: dict[_Pair, _PairShares] = {}
    for index in fact.asked:
        row = rows.get(str(fact.items[index]))
        share = None if row is None or LEFT_OUT in row else _right_share(row)
        if row is None or share is None:
            continue
        right, other = (fact.answer(row["pair"][place]) for place in (row["right_in_pair"], 1 - row["right_in_pair"]))
        if right is not None and other is not None and right != other:
            seen.setdefault((right, other), _PairShares(index, [])).shares.append(share)
    return seen


def _right_share(row: Row) -> float | None:
    """Return how often the right one was taken; None where the model chose neither."""
    if "pair_yes" not in row:
        return None if row["right_share"] is None else float(row["right_share"])
    if None in row["pair_yes"]:
        return None
    right, other = row["pair_yes"][row["right_in_pair"]], row["pair_yes"][1 - row["right_in_pair"]]
    return 0.5 if right == other else float(right > other)


def _choices(pair: _Pair, shares: _PairShares) -> list[AnswerChoice]:
    right, other = pair
    both = ((right, shares.mean), (other, 1 - shares.mean))
    return [AnswerChoice(given, (min(pair), max(pair)), weight, shares.period) for given, weight in both if weight > 0]


def _winner(shares: Mapping[_Pair, _PairShares]) -> int:
    """Return the answer that wins the most; of equal ones the older."""
    won: defaultdict[int, float] = defaultdict(float)
    for (right, other), found in shares.items():
        won[right] += found.mean - 0.5
        won[other] += 0.5 - found.mean
    return min(won, key=lambda answer: (-won[answer], answer))
