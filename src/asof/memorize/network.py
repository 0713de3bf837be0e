"""The network: an encoder of statements, and on the state of the blank a list of answers, their kind and their number.

Only the blank's last state is asked for, so the last layer computes no other; with ``rewrites="blank"`` no layer does.
Answers are of two kinds, entities and time points; each kind has a softmax of its own and a small output says which of
them is asked for, which is exact and half the work (half of all statements ask for a time).
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from asof.memorize.architecture import Architecture
from asof.memorize.words import PAD

MOST_COUNTED = 32  # a prompt with more answers counts as one with so many


class Layer(nn.Module):
    """Attention and a feed-forward net."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        width, inner = architecture.width, architecture.inner
        self.heads, self.before = architecture.heads, architecture.norm == "before"
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.mix = nn.Linear(width, width)
        self.norm_attention = nn.LayerNorm(width)
        self.widen = nn.Linear(width, inner)
        self.narrow = nn.Linear(inner, width)
        self.norm_inner = nn.LayerNorm(width)

    def forward(self, words: Tensor, asked: Tensor, there: Tensor | None) -> Tensor:
        """Rewrite the states ``asked`` (batch, some places, width) by what stands in ``words`` (batch, places, width).

        Args:
            there: Which words are no padding, None when all are.
        """
        if not self.before:
            asked = self.norm_attention(asked + self._attention(words, asked, there))
            rewritten = self.norm_inner(asked + self.narrow(functional.gelu(self.widen(asked))))
            return cast(Tensor, rewritten)
        normed = self.norm_attention(words)
        asked = asked + self._attention(normed, normed if asked is words else self.norm_attention(asked), there)
        inner = functional.gelu(self.widen(self.norm_inner(asked)))
        return cast(Tensor, asked + self.narrow(inner))

    def _attention(self, words: Tensor, asked: Tensor, there: Tensor | None) -> Tensor:
        if asked.shape[1] == 1:
            return self._attention_of_one(words, asked, there)
        batch, positions, width = words.shape
        each = width // self.heads
        key, value = self.key_value(words).view(batch, positions, 2, self.heads, each).permute(2, 0, 3, 1, 4)
        query = self.query(asked).view(batch, -1, self.heads, each).transpose(1, 2)
        found = functional.scaled_dot_product_attention(query, key, value, attn_mask=there)
        mixed: Tensor = self.mix(found.transpose(1, 2).reshape(batch, -1, width))
        return mixed

    def _attention_of_one(self, words: Tensor, asked: Tensor, there: Tensor | None) -> Tensor:
        """The same for one place: q · (K x) is (Kᵀ q) · x, so no word needs a key or a value of its own.

        The bias of keys adds the same to the scores of all words and changes nothing.
        """
        batch, _, width = words.shape
        heads, each = self.heads, width // self.heads
        key, value = self.key_value.weight.view(2, heads, each, width)
        query = self.query(asked).view(batch, heads, each).transpose(0, 1)
        looks_for = (query @ key).transpose(0, 1)  # (batch, heads, width)
        scores = looks_for @ words.transpose(1, 2) / math.sqrt(each)
        if there is not None:
            scores = scores.masked_fill(~there[:, 0], -torch.inf)
        seen = (scores.softmax(2) @ words).transpose(0, 1)  # (heads, batch, width)
        found = (seen @ value.transpose(1, 2)).transpose(0, 1).reshape(batch, 1, width)
        mixed: Tensor = self.mix(found + self.key_value.bias[width:])
        return mixed


class StatementEncoder(nn.Module):
    """Words of statements in, the state of the blank out."""

    def __init__(self, architecture: Architecture, tokens: int) -> None:
        super().__init__()
        self.architecture = architecture
        width = architecture.width
        self.words = nn.Embedding(tokens, width, sparse=True)  # a step sees some hundred words of thousands
        self.places = nn.Embedding(architecture.longest, width)
        self.norm_words = nn.LayerNorm(width) if architecture.norm == "after" else nn.Identity()
        self.layers = nn.ModuleList(Layer(architecture) for _ in range(architecture.layers))
        self.norm_state = nn.LayerNorm(width) if architecture.norm == "before" else nn.Identity()
        scale = 1 / math.sqrt(width) if architecture.norm == "before" else 0.02
        nn.init.normal_(self.words.weight, std=scale)
        nn.init.normal_(self.places.weight, std=scale)
        if architecture.norm == "after":  # as BERT begins
            for one in self.layers.modules():
                if isinstance(one, nn.Linear):
                    nn.init.normal_(one.weight, std=0.02)
                    nn.init.zeros_(one.bias)

    def forward(self, tokens: Tensor, blank: Tensor) -> Tensor:
        """Return the state of the blank, (batch, width)."""
        batch, length = tokens.shape
        states = self.norm_words(self.words(tokens) + self.places(self._positions(length, blank)))
        there = (tokens != PAD)[:, None, None] if bool((tokens == PAD).any()) else None
        rows = torch.arange(batch)
        if self.architecture.rewrites == "all":
            for layer in self.layers[:-1]:
                states = layer(states, states, there)
            asked = self.layers[-1](states, states[rows, blank][:, None], there)
        else:
            asked = states[rows, blank][:, None]
            for layer in self.layers:
                asked = layer(states, asked, there)
        state: Tensor = self.norm_state(asked[:, 0])
        return state

    def _positions(self, length: int, blank: Tensor) -> Tensor:
        positions = torch.arange(length)
        if self.architecture.positions == "from start":
            return positions.expand(len(blank), -1)
        half = self.architecture.longest // 2
        return (positions - blank[:, None]).clamp(-half, half - 1) + half


class State(NamedTuple):
    """What is said of a blank: compare it with answers, which kind they are, and how many."""

    vector: Tensor  # (batch, out)
    kind: Tensor  # (batch, 2): entity, time
    number: Tensor  # (batch, MOST_COUNTED): one answer, two, ...


class Memory(nn.Module):
    """An encoder with a list of answers: first entities, then times."""

    def __init__(self, architecture: Architecture, *, tokens: int, entities: int, times: int) -> None:
        super().__init__()
        self.entities, self.times = entities, times
        self.encoder = StatementEncoder(architecture, tokens)
        same = architecture.out == architecture.width
        self.project = nn.Identity() if same else nn.Linear(architecture.width, architecture.out)
        scale = 1 / math.sqrt(architecture.out)
        self.entity_answers = nn.Parameter(torch.randn(entities, architecture.out) * scale)
        self.time_answers = nn.Parameter(torch.randn(times, architecture.out) * scale)
        self.kind = nn.Linear(architecture.out, 2)
        self.number = nn.Linear(architecture.out, MOST_COUNTED)

    def forward(self, tokens: Tensor, blank: Tensor) -> State:
        """Read statements."""
        vector = self.project(self.encoder(tokens, blank))
        return State(vector, self.kind(vector), self.number(vector))

    def of_kind(self, *, time: bool) -> tuple[int, Tensor]:
        """Return the number of the first answer of a kind, and the vectors of all of them."""
        return (self.entities, self.time_answers) if time else (0, self.entity_answers)
