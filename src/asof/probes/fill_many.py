"""Several tokens in a blank: what does the model write there? (Margatina et al. 2023, section 3.3).

Items with a blank in, texts out. The blank is filled with one token, with two, and so on up to a most, from left to
right. Which of these is the model's answer is decided by its own mean log-probability of a token. The paper takes the
best by the metric itself, which knows the right length: ``oracle_length=True`` gives that, and its numbers are higher.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from asof.benchmarks import Item
from asof.errors import UserError
from asof.metrics import Metric, metric_of
from asof.metrics.exact_match import exact_match
from asof.metrics.rouge import rouge
from asof.metrics.token_f1 import token_f1
from asof.models import Fills, Search
from asof.probes import Fit, Row
from asof.probes._blanks import blank_of, different, filled_with_answers
from asof.probes._numbers import check_logprob
from asof.registry import probes


@probes.register("fill-many")
@dataclass(frozen=True, kw_only=True)
class FillMany:
    """What does the model write into the blank, up to five tokens? Exact match, F1 and ROUGE against all answers.

    Args:
        most_tokens: Items whose answers are all longer are left out.
        search: Always the likeliest token, several ways followed at a time, or drawn at random.
        width: How many are followed (beam) or drawn (sample); the best by its log-probability counts.
        among: Tokens are drawn among the so many likeliest.
        oracle_length: Score each item by the length that suits its answers best, as the paper does.
    """

    name: ClassVar[str] = "fill-many"
    needs: ClassVar[tuple[str, ...]] = ("fill",)
    scored: ClassVar[str] = "text"
    preference: ClassVar[str] = "filled"
    items_per_step: ClassVar[int] = 128
    metrics: ClassVar[Mapping[str, Metric]] = {
        "exact-match": metric_of("exact-match"), "f1": metric_of("token-f1"),
        "rouge-1": metric_of("rouge"), "rouge-L": metric_of("rouge"),
    }  # fmt: skip

    most_tokens: int = 5  # the paper's M, for English
    search: Literal["greedy", "beam", "sample"] = "greedy"
    width: int = 5  # the paper draws 100
    among: int = 10
    temperature: float = 1.0
    seed: int = 0
    oracle_length: bool = False

    def fit(self, items: Sequence[Item], model: Fills, *, everything: Iterable[Item] = ()) -> Fit:
        """Keep the items of which an answer has no more tokens than are written."""
        self._how()
        if self.most_tokens < 1:
            raise UserError(f"most_tokens = {self.most_tokens} leaves no room for an answer. Give 1 or more.")
        filled = filled_with_answers(items)
        once = different(filled)
        tokens = dict(zip(once, model.count_answer_tokens(once), strict=True))
        reasons = []
        for item, answers in zip(items, filled, strict=True):
            reason = model.cannot_fill(blank_of(item))
            if not reason and not any(0 < tokens[one] <= self.most_tokens for one in answers):
                reason = f"every answer has more than {self.most_tokens} tokens"
            reasons.append(reason)
        return Fit.parted(items, reasons)

    def predict(self, items: Sequence[Item], model: Fills) -> list[Row]:
        """Return what was written for each length, and which of them the model prefers."""
        blanks = list(dict.fromkeys(blank_of(item) for item in items))
        fillings = dict(zip(blanks, model.fill(blanks, most_tokens=self.most_tokens, search=self._how()), strict=True))
        rows = []
        for item in items:
            found = fillings[blank_of(item)]
            for one in found:
                check_logprob(one.mean, model.name, one.text, item.prompt)
            best = max(found, key=lambda one: one.mean)
            rows.append(
                {
                    "text": best.text,
                    "tokens": len(best.logprobs),
                    "mean_logprob": best.mean,
                    "texts": [one.text for one in found],
                    "mean_logprobs": [one.mean for one in found],
                }
            )
        return rows

    def measures(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Return exact match, F1 and ROUGE of the chosen text, or of the best length where that is asked for."""
        texts, answers = (row["texts"] if self.oracle_length else [row["text"]]), row["answers"]
        return {
            "exact-match": max(exact_match(text, answers) for text in texts),
            "f1": max(token_f1(text, answers) for text in texts),
            "rouge-1": max(rouge(text, answers, of="1") for text in texts),
            "rouge-L": max(rouge(text, answers, of="L") for text in texts),
        }

    def _how(self) -> Search:
        return Search(way=self.search, width=self.width, among=self.among, temperature=self.temperature, seed=self.seed)
