"""One token in a blank: where among all tokens does a right one stand? (Petroni et al. 2019).

Items with a blank in, the rank of the best right answer out. Only answers of one token can be asked about, which loses
most items: the run says how many. An item with several answers counts by its best one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from asof.benchmarks import Item
from asof.metrics import Metric, metric_of
from asof.metrics.mrr import mrr
from asof.metrics.precision_at_k import precision_at_k
from asof.models import Fills
from asof.probes import Fit, Row
from asof.probes._blanks import blank_of, different, filled_with_answers
from asof.probes._numbers import check_logprob
from asof.registry import probes

_KS = (10, 20, 50, 100)

NOT_ONE_TOKEN = "no answer is one token"  # noqa: S105


@probes.register("fill-one")
@dataclass(frozen=True, kw_only=True)
class FillOne:
    """Which token does the model put into the blank? Accuracy, MRR and P@k, for answers of one token.

    Args:
        best: So many of the likeliest tokens are kept for each item.
    """

    name: ClassVar[str] = "fill-one"
    needs: ClassVar[tuple[str, ...]] = ("fill",)
    scored: ClassVar[str] = "rank"
    preference: ClassVar[str] = "filled"
    items_per_step: ClassVar[int] = 512
    metrics: ClassVar[Mapping[str, Metric]] = {
        "accuracy": metric_of("precision-at-k"), "mrr": metric_of("mrr"),
        **{f"P@{k}": metric_of("precision-at-k") for k in _KS},
    }  # fmt: skip

    best: int = 10

    def fit(self, items: Sequence[Item], model: Fills, *, everything: Iterable[Item] = ()) -> Fit:
        """Keep the items of which an answer is one token in its place; the others are lost."""
        tokens = _tokens(items, model)
        reasons = []
        for item, answers in zip(items, filled_with_answers(items), strict=True):
            reason = model.cannot_fill(blank_of(item))
            if not reason and all(tokens[one] != 1 for one in answers):
                reason = NOT_ONE_TOKEN
            reasons.append(reason)
        return Fit.parted(items, reasons)

    def predict(self, items: Sequence[Item], model: Fills) -> list[Row]:
        """Return the best rank of an item's answers, that of its first one, and the likeliest tokens."""
        tokens = _tokens(items, model)
        filled = filled_with_answers(items)
        asked = [[one for one in answers if tokens[one] == 1] for answers in filled]
        once = different(asked)
        guesses = dict(zip(once, model.guess_token(once, best=self.best), strict=True))
        rows = []
        for item, (first, *_), answers in zip(items, filled, asked, strict=True):
            best = min(answers, key=lambda one: guesses[one].rank)
            guess = guesses[best]
            check_logprob(guess.logprob, model.name, best.answer, item.prompt)
            rows.append(
                {
                    "answer": best.answer,
                    "rank": guess.rank,
                    "first_rank": guesses[first].rank if tokens[first] == 1 else None,
                    "logprob": guess.logprob,
                    "best": list(guess.best),
                    "best_logprobs": list(guess.best_logprobs),
                }
            )
        return rows

    def measures(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Return accuracy, which is P@1, the reciprocal rank, and P@k."""
        rank = int(row["rank"])
        found = {"accuracy": precision_at_k(rank, k=1), "mrr": mrr(rank)}
        return found | {f"P@{k}": precision_at_k(rank, k=k) for k in _KS}


def _tokens(items: Sequence[Item], model: Fills) -> dict[Any, int]:
    once = different(filled_with_answers(items))
    return dict(zip(once, model.count_answer_tokens(once), strict=True))
