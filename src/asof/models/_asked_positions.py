"""One place of each text: of a masked model, nothing else is needed where one token is asked for.

The states of all other places are dropped as early as an architecture allows. Built like BERT, the last layer asks,
attends and feeds forward at the asked place alone, with keys and values of all; and the first layer reads each token
at each position once, because copies of a sentence with different tokens hidden differ in few. Else the others go
before the feed-forward part of the last layer, or before the output layer. Whether a way gives what the whole model
gives is tried on the first texts; where none does, the whole model runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple

from asof.weights.transformers_folder import torch

_SAME = 1e-3  # two ways to compute a logit may differ by so much: the order of sums in float32

Forward = Callable[..., Any]


class _Asked(NamedTuple):
    """The asked place of each text; where each different token at its position stands, and which of them each is."""

    positions: torch.Tensor
    homes: torch.Tensor
    which: torch.Tensor

    def of(self, states: torch.Tensor) -> torch.Tensor:
        """Return the states of the asked places, one for each text."""
        return states[torch.arange(len(self.positions)), self.positions].unsqueeze(1)


_asked: ContextVar[_Asked | None] = ContextVar("asked", default=None)


class AskedPositions:
    """Reads texts of equal length and gives the logits at one place of each.

    Args:
        padding: A token that changes how its neighbours are counted, so that equal tokens may not be read as one.
    """

    def __init__(self, model: Any, padding: int | None = None) -> None:
        self._model = model
        self._padding = padding
        self._cut = False
        self._settled = False

    def settle(self, tokens: torch.Tensor, indices: torch.Tensor) -> None:
        """Find the way that drops the most, on some texts of equal length."""
        if self._settled:
            return
        self._settled = True
        with torch.inference_mode():
            expected = self.logits(tokens, indices)
            self._cut = True
            for way in (_like_bert, _last_attention, _base):
                try:
                    replaced = dict(way(self._model))
                    _put(replaced)
                    if replaced and self._is_right(tokens, indices, expected):
                        return
                except AttributeError:
                    continue  # it is not built so
                for module in replaced:
                    del module.forward
            self._cut = False

    def logits(self, tokens: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
        """Return the logits of all tokens at one place of each text."""
        found: torch.Tensor
        if not self._cut:
            found = self._model(input_ids=tokens).logits[torch.arange(len(tokens)), indices]
            return found
        token = _asked.set(self._look_at(tokens, indices))
        try:
            found = self._model(input_ids=tokens).logits[:, 0]
            return found
        finally:
            _asked.reset(token)

    def _look_at(self, tokens: torch.Tensor, indices: torch.Tensor) -> _Asked:
        every = torch.arange(tokens.numel())
        if self._padding is not None and bool((tokens == self._padding).any()):
            return _Asked(indices, every, every)
        numbers = (tokens * tokens.shape[1] + torch.arange(tokens.shape[1])).flatten()
        different, which = torch.unique(numbers, return_inverse=True)
        return _Asked(indices, torch.zeros_like(different).scatter_(0, which, every), which)

    def _is_right(self, tokens: torch.Tensor, indices: torch.Tensor, expected: torch.Tensor) -> bool:
        try:
            found = self.logits(tokens, indices)
        except (RuntimeError, TypeError, IndexError, ValueError, AttributeError):
            return False  # this architecture does more with its states than to hand them on
        return found.shape == expected.shape and bool((found - expected).abs().max() < _SAME)


def _put(replaced: dict[Any, Forward]) -> None:
    for module, forward in replaced.items():
        module.forward = forward


def _like_bert(model: Any) -> Iterator[tuple[Any, Forward]]:
    layers = model.base_model.encoder.layer
    first = layers[0].attention.self
    for linear in (first.query, first.key, first.value):
        yield linear, _each_once(linear.forward)
    if len(layers) > 1:
        yield layers[-1], _at_one_position(layers[-1])


def _last_attention(model: Any) -> Iterator[tuple[Any, Forward]]:
    attention = model.base_model.encoder.layer[-1].attention
    yield attention, _without_others(attention.forward)


def _base(model: Any) -> Iterator[tuple[Any, Forward]]:
    if model.base_model is not model:
        yield model.base_model, _without_others(model.base_model.forward)


def _each_once(whole: Forward) -> Forward:
    """Let a linear part of the first layer read each different token at its position once."""

    def forward(states: torch.Tensor) -> Any:
        asked = _asked.get()
        if asked is None:
            return whole(states)
        read = whole(states.flatten(0, 1).index_select(0, asked.homes))
        return read.index_select(0, asked.which).view(*states.shape[:2], -1)

    return forward


def _at_one_position(layer: Any) -> Forward:
    """Let a layer compute the state of the asked place alone."""
    whole, attention = layer.forward, layer.attention.self

    def heads(states: torch.Tensor) -> torch.Tensor:
        return states.view(*states.shape[:2], -1, attention.attention_head_size).transpose(1, 2)

    def forward(states: torch.Tensor, *given: Any, **options: Any) -> Any:
        asked = _asked.get()
        if asked is None:
            return whole(states, *given, **options)
        own = asked.of(states)
        attended = torch.nn.functional.scaled_dot_product_attention(
            heads(attention.query(own)),
            heads(attention.key(states)),
            heads(attention.value(states)),
            scale=attention.scaling,
        )
        return layer.feed_forward_chunk(layer.attention.output(attended.transpose(1, 2).flatten(2), own))

    return forward


def _without_others(whole: Forward) -> Forward:
    """Let a part hand on the states of the asked places only."""

    def forward(*given: Any, **options: Any) -> Any:
        asked, output = _asked.get(), whole(*given, **options)
        if asked is None:
            return output
        if isinstance(output, torch.Tensor):
            return asked.of(output)
        if isinstance(output, tuple):
            return (asked.of(output[0]), *output[1:])
        output["last_hidden_state"] = asked.of(output[0])
        return output

    return forward
