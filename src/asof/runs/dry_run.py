"""What a run would ask: calls and tokens, counted by putting the items to a model that only counts.

So every probe is counted by what it does, not by what somebody wrote down of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from asof.benchmarks import Item
from asof.models import AnswerRequest, ChoiceRequest, Model
from asof.models.usage import Usage
from asof.probes import Probe

_SAMPLE = 1000  # items that are counted; more are taken to be like them
_TOKENS_OF_A_CHOICE = 1


class CountingModel:
    """Stands for a model and answers nothing: counts what it is asked."""

    def __init__(self, model: Model) -> None:
        self.name, self.can = model.name, model.can
        self.asked = 0
        self.texts: list[str] = []
        self.tokens_out = 0
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)  # what only looks at texts: the template, the context, the settings

    def describe(self) -> dict[str, str]:
        """Return what the model says of itself."""
        return self._model.describe()

    def answer_logprob(self, requests: Sequence[AnswerRequest]) -> list[float]:
        """Count statements to be scored."""
        self._count([request.text for request in requests], 0)
        return [-1.0 for _ in requests]

    def write(self, prompts: Sequence[str], *, most_tokens: int, stop: Sequence[str] = ()) -> list[str]:
        """Count prompts to be answered, with as many tokens as they may have."""
        thinking = int(getattr(self._model, "settings", {}).get("reasoning_tokens", 0))
        self._count(prompts, most_tokens + thinking)
        return ["" for _ in prompts]

    def choose(self, requests: Sequence[ChoiceRequest]) -> list[list[float]]:
        """Count choices."""
        settings = getattr(self._model, "settings", {})
        times = int(settings.get("samples", 1))
        out = _TOKENS_OF_A_CHOICE + int(settings.get("reasoning_tokens", 0))
        self._count([request.prompt for request in requests] * times, out)
        return [[1 / len(request.options)] * len(request.options) for request in requests]

    def usage(self) -> Usage:
        """Return calls, tokens in, and the most tokens out."""
        tokens = self._model.count_tokens(self.texts) if hasattr(self._model, "count_tokens") else []
        return Usage(len(self.texts), sum(tokens), self.tokens_out)

    def _count(self, texts: Sequence[str], out: int) -> None:
        self.texts += texts
        self.tokens_out += out * len(texts)


@dataclass(frozen=True)
class WouldAsk:
    """What a run would ask for, and how many of its items were counted to know it."""

    usage: Usage
    counted: int
    items: int

    @property
    def scaled(self) -> Usage:
        """For all items."""
        times = self.items / max(1, self.counted)
        used = self.usage
        return Usage(*(round(number * times) for number in (used.calls, used.tokens_in, used.tokens_out)))


def would_ask(
    items: Sequence[Item], model: Model, probe: Probe, around: Callable[[Model], Model] = lambda model: model
) -> WouldAsk | None:
    """Count what a probe would ask a model for items; None where the model fills blanks, which are not counted.

    Args:
        around: What the run puts around a model: documents that it is shown.
    """
    if not set(probe.needs) & {"answer_logprob", "write", "choose"} & model.can:
        return None
    counting = CountingModel(model)
    sample = items[:_SAMPLE]
    list(probe.predict(sample, around(counting)))
    return WouldAsk(counting.usage(), len(sample), len(items))
