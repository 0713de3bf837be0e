"""The output layer on one place of each text: of a masked model, nothing else is needed where one token is asked for.

The states of all places but one are dropped as early as an architecture allows: before the feed-forward part of the
last layer, or before the output layer. Whether that gives what the whole model gives is tried at the first text.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from asof.models._transformers import torch

_asked: ContextVar[torch.Tensor | None] = ContextVar("asked", default=None)
_SAME = 1e-3  # two ways to compute a logit may differ by so much: the order of sums in float32


class AskedPlaces:
    """Reads texts of equal length and gives the logits at one place of each."""

    def __init__(self, model: Any) -> None:
        self._early = [part for part in (_last_attention(model), model.base_model) if part not in (None, model)]
        self._hook: Any = None
        self._settled = False

    def settle(self, model: Any, tokens: torch.Tensor, place: int) -> None:
        """Find the earliest part whose other places can be dropped, on one text."""
        if self._settled:
            return
        places = torch.tensor([place])
        with torch.inference_mode():
            expected = model(input_ids=tokens).logits[0, place]
            for part in self._early:
                self._hook = part.register_forward_hook(_drop_others)
                try:
                    found = self.logits(model, tokens, places)[0]
                    if found.shape == expected.shape and (found - expected).abs().max() < _SAME:
                        break
                except (RuntimeError, TypeError, IndexError, ValueError, AttributeError):
                    pass  # this architecture does more with its states than to hand them on
                self._hook.remove()
                self._hook = None
        self._settled = True

    def logits(self, model: Any, tokens: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """Return the logits of all tokens at one place of each text."""
        found: torch.Tensor
        if self._hook is None:
            found = model(input_ids=tokens).logits[torch.arange(len(tokens)), places]
            return found
        token = _asked.set(places)
        try:
            found = model(input_ids=tokens).logits[:, 0]
            return found
        finally:
            _asked.reset(token)


def _last_attention(model: Any) -> Any:
    """Return the attention of the last layer, where a model is built like BERT."""
    layers = getattr(getattr(model.base_model, "encoder", None), "layer", None)
    return getattr(layers[-1], "attention", None) if layers is not None and len(layers) else None


def _drop_others(module: Any, given: Any, output: Any) -> Any:
    places = _asked.get()
    if places is None:
        return None
    states = output if isinstance(output, torch.Tensor) else output[0]
    kept = states[torch.arange(len(places)), places].unsqueeze(1)
    if isinstance(output, torch.Tensor):
        return kept
    if isinstance(output, tuple):
        return (kept, *output[1:])
    output["last_hidden_state"] = kept
    return output
