"""Numbers from a model that cannot be: stopped at once, before they get into a run."""

import math

from asof.errors import UserError


def check_logprob(logprob: float, model: str, answer: str, prompt: str) -> None:
    """Stop when a log-probability is no number or above zero."""
    if math.isnan(logprob) or logprob > 0:
        raise UserError(
            f"{model} gave {logprob} as log-probability of {answer!r} after {prompt!r}. "
            "Its weights or its number format are broken; earlier predictions are kept."
        )
