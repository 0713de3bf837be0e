"""A small network that learns which candidates fit which questions, from vectors that are made once per document.

The score of a candidate is a learned likeness of the question to it, to its sentence and to its heading, plus what a
small layer makes of its other features. "No answer" is one more choice. Training counts all mentions of a right answer
together, so it may find out by itself which mention tells. Trained with torch, used with numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_RANK = 32  # of the learned likeness
_HIDDEN = 32
_RATE = 2e-3
_DECAY = 1e-3
_DROPPED = 0.15
_AT_ONCE = 8  # questions


@dataclass(frozen=True)
class MatchingRow:
    """A question and some candidates of its document."""

    question: Floats  # two vectors side by side: the whole question, and only what it asks
    candidates: Floats
    sentences: Floats
    headings: Floats
    features: Floats
    right: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Matching:
    """A trained network: its arrays by name."""

    arrays: dict[str, Floats]

    def scores(self, row: MatchingRow) -> Floats:
        """Return a score for each candidate, less that of no answer: above 0 it is likelier than none."""
        a = self.arrays
        total = np.zeros(len(row.features), np.float32)
        for name, vectors in (("candidate", row.candidates), ("sentence", row.sentences), ("heading", row.headings)):
            total += vectors @ (a[f"{name}.plain"] * row.question[: vectors.shape[1]])
            total += vectors @ (a[f"{name}.plain2"] * row.question[vectors.shape[1] :])
            total += (vectors @ a[f"{name}.down.weight"].T) @ (a[f"{name}.up.weight"] @ row.question)
        known = np.nan_to_num((row.features - a["mean"]) / a["spread"]).clip(-4, 4)
        hidden = np.maximum(0, known @ a["one.weight"].T + a["one.bias"])
        scored: Floats = (total + hidden @ a["two.weight"][0] + a["two.bias"][0] - a["none"][0]).astype(np.float32)
        return scored


def train_matching(rows: Sequence[MatchingRow], *, epochs: int = 5, seed: int = 0) -> Matching:
    """Train on rows in a seeded order."""
    import torch

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    some = np.concatenate([row.features[:: max(1, len(row.features) // 50)] for row in rows])
    mean, spread = np.nanmean(some, axis=0), np.nanstd(some, axis=0) + 1e-3
    net = _network(rows[0], mean, spread)
    steps = torch.optim.AdamW(net.parameters(), lr=_RATE, weight_decay=_DECAY)
    random = np.random.default_rng(seed)
    for epoch in range(epochs):
        for group in steps.param_groups:
            group["lr"] = _RATE * (1 - epoch / epochs)
        order = random.permutation(len(rows))
        for start in range(0, len(order), _AT_ONCE):
            loss = torch.stack([_loss(net, rows[place]) for place in order[start : start + _AT_ONCE]]).mean()
            steps.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            steps.step()
    arrays = {name: value.detach().numpy().astype(np.float32) for name, value in net.state_dict().items()}
    return Matching(arrays | {"mean": mean.astype(np.float32), "spread": spread.astype(np.float32)})


def _network(row: MatchingRow, mean: Floats, spread: Floats) -> Any:
    import torch
    from torch import nn

    size = row.candidates.shape[1]

    class Likeness(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.plain = nn.Parameter(torch.full((size,), 4.0))
            self.plain2 = nn.Parameter(torch.full((size,), 4.0))
            self.down = nn.Linear(size, _RANK, bias=False)
            self.up = nn.Linear(2 * size, _RANK, bias=False)

        def forward(self, question: Any, vectors: Any) -> Any:
            first, second = question[:size], question[size:]
            plain = vectors @ (self.plain * first + self.plain2 * second)
            return plain + self.down(vectors) @ self.up(question)

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.candidate, self.sentence, self.heading = Likeness(), Likeness(), Likeness()
            self.one, self.two = nn.Linear(row.features.shape[1], _HIDDEN), nn.Linear(_HIDDEN, 1)
            self.none = nn.Parameter(torch.zeros(1))
            self.drop = nn.Dropout(_DROPPED)

        def forward(self, given: MatchingRow) -> Any:
            question = self.drop(torch.from_numpy(given.question))
            known = np.nan_to_num((given.features - mean) / spread).clip(-4, 4).astype(np.float32)
            hidden = torch.relu(self.one(self.drop(torch.from_numpy(known))))
            return (
                self.candidate(question, torch.from_numpy(given.candidates))
                + self.sentence(question, torch.from_numpy(given.sentences))
                + self.heading(question, torch.from_numpy(given.headings))
                + self.two(hidden)[:, 0]
            )

    return Network()


def _loss(net: Any, row: MatchingRow) -> Any:
    import torch

    scores = torch.cat([net(row), net.none])
    right = torch.from_numpy(np.append(row.right, not row.right.any()))
    return torch.logsumexp(scores, 0) - torch.logsumexp(scores[right], 0)
