"""Is this right? Yes or no, asked about a right and a wrong statement of one fact.

Models say yes, or no, more than is true. So statements are compared within a fact, where such a liking is the same for
both: by the difference of the log-odds of yes. The share of yes and d' say how large the liking and what is known is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from asof.benchmarks import Item
from asof.metrics import UNBOUNDED, Metric, metric_of
from asof.models import ChoiceRequest
from asof.probes import Row
from asof.probes._pairs import PairProbe, asked_of_pair, drawn
from asof.probes._shares import shares
from asof.registry import probes

OPTIONS = ("Yes", "No")
_LEAST = 0.001  # the smallest share that log-odds are made of: written answers are shares of 0 and 1


@probes.register("yes-no")
@dataclass(frozen=True, kw_only=True)
class YesNoProbe(PairProbe):
    """Is this statement right? Asked about a right and a wrong one of a fact, as models like to say yes."""

    name: ClassVar[str] = "yes-no"
    scored: ClassVar[str] = "right_yes"
    metrics: ClassVar[Mapping[str, Metric]] = {
        "win-rate": metric_of("win-rate"), "accuracy": metric_of("precision-at-k"),
        "yes to right": Metric("yes to right", "higher", 0, 1), "yes to wrong": Metric("yes to wrong", "lower", 0, 1),
        "says yes": Metric("says yes", "neither", 0, 1), "log-odds": Metric("log-odds", "higher", *UNBOUNDED),
        "no answer": Metric("no answer", "lower", 0, 1),
    }  # fmt: skip

    def predict(self, items: Sequence[Item], model: Any) -> list[Row]:
        """Return the share of yes for both statements of each pair."""
        asked = [asked_of_pair(item) for item in items]
        requests = [ChoiceRequest(prompt_for(question, text), OPTIONS) for question, pair, _ in asked for text in pair]
        once = list(dict.fromkeys(requests))  # a right date may stand in several pairs
        found = shares(model, once, chat_template=self.chat_template, most_tokens=self.most_tokens)
        yes = {request: given[0] for request, given in zip(once, found, strict=True)}
        given = iter(yes[request] for request in requests)
        return [
            _row(item, pair, right, (next(given), next(given)))
            for item, (_, pair, right) in zip(items, asked, strict=True)
        ]

    def measures(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Return who wins a pair by the share of yes, and what is said to the right and to the wrong statement."""
        shares = [math.nan if one is None else float(one) for one in row["pair_yes"]]
        right, wrong = shares[row["right_in_pair"]], shares[1 - row["right_in_pair"]]
        unknown = math.isnan(right) or math.isnan(wrong)
        hit, false_alarm = _says_yes(right), _says_yes(wrong)
        return {
            "win-rate": 0.5 if unknown or right == wrong else float(right > wrong),
            "accuracy": math.nan if unknown else (hit + 1 - false_alarm) / 2,
            "yes to right": hit,
            "yes to wrong": false_alarm,
            "says yes": (hit + false_alarm) / 2,
            "log-odds": math.nan if unknown else _log_odds(right) - _log_odds(wrong),
            "no answer": (math.isnan(right) + math.isnan(wrong)) / 2,
        }


def prompt_for(question: str, text: str) -> str:
    """Ask whether a statement is right, or an answer to a question.

    >>> print(prompt_for("In 2011, who led Italy?", "Mario Monti"))
    In 2011, who led Italy? Mario Monti
    Is this answer right? Answer with Yes or No.
    Answer:
    """
    asked = f"{question} {text}" if question else text
    return f"{asked}\nIs this answer right? Answer with Yes or No.\nAnswer:"


def _row(item: Item, pair: tuple[str, str], right: int, yes: tuple[float, float]) -> Row:
    known = [None if math.isnan(one) else one for one in yes]
    return {
        "pair": list(pair),
        "pair_yes": known,
        "right_in_pair": right,
        "right_yes": known[right],
        "text": "" if None in known or yes[0] == yes[1] else pair[0] if yes[0] > yes[1] else pair[1],
    } | drawn(item)


def _says_yes(share: float) -> float:
    return math.nan if math.isnan(share) else 0.5 if share == 0.5 else float(share > 0.5)


def _log_odds(share: float) -> float:
    share = min(max(share, _LEAST), 1 - _LEAST)
    return math.log(share / (1 - share))
