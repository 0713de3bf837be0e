"""Which of two is right? Forced choice, for models that give no log-probabilities, and for all others.

Of TimeStress two statements with a right and a wrong date are shown; of benchmarks with one answer for each time, the
right answer and the one before it. Every pair is put in both orders, so that a liking for the first place cancels out,
and is told.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from asof.benchmarks import Item
from asof.metrics import Metric, metric_of
from asof.models import ChoiceRequest
from asof.probes import Row
from asof.probes._pairs import PairProbe, asked_of_pair, drawn
from asof.probes._shares import shares
from asof.registry import probes

OPTIONS = ("1", "2")


@probes.register("choose")
@dataclass(frozen=True, kw_only=True)
class Choose(PairProbe):
    """Which of two statements or answers is right? Both orders; the win rate, and how much the place counts."""

    name: ClassVar[str] = "choose"
    scored: ClassVar[str] = "right_share"
    metrics: ClassVar[Mapping[str, Metric]] = {
        "win-rate": metric_of("win-rate"), "right share": Metric("right share", "higher", 0, 1),
        "first place": Metric("first place", "neither", 0, 1),
        "place decides": Metric("place decides", "lower", 0, 1), "no answer": Metric("no answer", "lower", 0, 1),
    }  # fmt: skip

    def predict(self, items: Sequence[Item], model: Any) -> list[Row]:
        """Return for each pair the share of its first statement, when it is shown first and when it is shown second."""
        asked = [asked_of_pair(item) for item in items]
        requests = [
            ChoiceRequest(prompt_for(question, order), OPTIONS)
            for question, pair, _ in asked
            for order in (pair, pair[::-1])
        ]
        given = iter(shares(model, requests, chat_template=self.chat_template, most_tokens=self.most_tokens))
        return [
            _row(item, pair, right, (next(given)[0], next(given)[1]))
            for item, (_, pair, right) in zip(items, asked, strict=True)
        ]

    def measures(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Return who wins a pair, by the mean of both orders: a half each where these say opposite things."""
        first, second = (math.nan if one is None else float(one) for one in row["pair_shares"])
        share = math.nan if row["right_share"] is None else float(row["right_share"])
        unknown = math.isnan(share)
        return {
            "win-rate": 0.5 if unknown else _winner(share),
            "right share": share,
            "first place": math.nan if unknown else (first + 1 - second) / 2,
            "place decides": math.nan if unknown else float((first > 0.5) != (second > 0.5)),
            "no answer": float(unknown),
        }


def prompt_for(question: str, pair: Sequence[str]) -> str:
    """Ask for one of two statements, or of two answers to a question.

    >>> print(prompt_for("In 2011, who led Italy?", ("Mario Monti", "Romano Prodi")))
    In 2011, who led Italy?
    1. Mario Monti
    2. Romano Prodi
    Which of the two is right? Answer with 1 or 2.
    Answer:
    """
    begins = f"{question}\n" if question else "Each of these is a question with its answer.\n"
    shown = "".join(f"{option}. {text}\n" for option, text in zip(OPTIONS, pair, strict=True))
    return f"{begins}{shown}Which of the two is right? Answer with 1 or 2.\nAnswer:"


def _row(item: Item, pair: tuple[str, str], right: int, given: tuple[float, float]) -> Row:
    share = (given[0] + given[1]) / 2
    of_right = share if right == 0 else 1 - share
    preferred = "" if math.isnan(share) or share == 0.5 else pair[0] if share > 0.5 else pair[1]
    return {
        "pair": list(pair),
        "pair_shares": [None if math.isnan(one) else one for one in given],
        "right_in_pair": right,
        "right_share": None if math.isnan(share) else of_right,
        "text": preferred,
    } | drawn(item)


def _winner(share: float) -> float:
    return 0.5 if share == 0.5 else float(share > 0.5)
