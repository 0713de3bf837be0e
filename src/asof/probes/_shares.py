"""How likely a model answers each of a few short options: from any model, by the best verb that it has.

Models with ``choose`` tell it themselves. The log-probabilities of the options, made to add up to one, are the same
number. A model that only writes is asked for one word; its share is one for the option that it writes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

from asof.errors import UserError
from asof.models import AnswerRequest, ChoiceRequest, Chooses, ScoresAnswers, Writes
from asof.wording.written_option import option_in

VERBS = ("choose", "answer_logprob", "write")
_AT_ONCE = 16  # of a model that does not say how many texts it writes side by side


def shares(
    model: Any, requests: Sequence[ChoiceRequest], *, chat_template: bool, most_tokens: int
) -> list[list[float]]:
    """Return the share of each option of each request; all NaN where a model gave none of them.

    Args:
        chat_template: Put prompts into the chat template of a model that has one and gives log-probabilities.
        most_tokens: Where a model that only writes is cut off.
    """
    if "choose" in model.can:
        found = cast(Chooses, model).choose(requests)
    elif "answer_logprob" in model.can:
        found = _by_logprobs(model, requests, _has_template(model) if chat_template else False)
    else:
        found = _by_words(model, requests, most_tokens)
    for request, given in zip(requests, found, strict=True):
        _check(given, request, model.name)
    return found


def _by_logprobs(model: ScoresAnswers, requests: Sequence[ChoiceRequest], in_template: bool) -> list[list[float]]:
    prompts = [model.chat(request.prompt) if in_template else request.prompt for request in requests]
    space = "" if in_template else " "
    asked = [
        AnswerRequest(prompt, space + option)
        for prompt, request in zip(prompts, requests, strict=True)
        for option in request.options
    ]
    logprobs = iter(model.answer_logprob(asked))
    return [_normalised([next(logprobs) for _ in request.options]) for request in requests]


def _by_words(model: Writes, requests: Sequence[ChoiceRequest], most_tokens: int) -> list[list[float]]:
    size = getattr(model, "texts_at_once", _AT_ONCE)
    found = []
    for start in range(0, len(requests), size):
        some = requests[start : start + size]
        texts = model.write([request.prompt for request in some], most_tokens=most_tokens)
        for request, text in zip(some, texts, strict=True):
            chosen = option_in(text, request.options)
            found.append([math.nan if chosen is None else float(one == chosen) for one in request.options])
    return found


def _normalised(logprobs: Sequence[float]) -> list[float]:
    """Make log-probabilities of options shares of all of them.

    >>> _normalised([-1.0, -1.0]), _normalised([-1000.0, -1000.0 - math.log(3)])
    ([0.5, 0.5], [0.75, 0.25])
    """
    most = max(logprobs)
    if not math.isfinite(most):
        return [math.nan] * len(logprobs)
    parts = [math.exp(one - most) for one in logprobs]
    return [round(part / math.fsum(parts), 12) for part in parts]


def _has_template(model: Any) -> bool:
    try:
        return bool(model.chat("?"))
    except (UserError, AttributeError):
        return False


def _check(given: Sequence[float], request: ChoiceRequest, name: str) -> None:
    unknown = all(math.isnan(one) for one in given)
    if len(given) != len(request.options) or not (unknown or abs(math.fsum(given) - 1) < 1e-3):
        raise UserError(
            f"{name} gave {list(given)} as the shares of {', '.join(request.options)} for {request.prompt[:60]!r}. "
            "They must add up to one, or be all not a number where it gave no usable answer."
        )
