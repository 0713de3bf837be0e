"""Teach the network to tell candidates apart: sentences with answers, and others that tempt or are drawn at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from asof.models._transformers import torch
from asof.reading.matter import worth_reading
from asof.reading.span_network import Shown, SpanNetwork
from asof.reading.training_pages import Histories, Lesson, Marks, Matters, Places, history_of

_RIGHT, _TEMPTING, _AT_RANDOM = 8, 4, 4  # sentences of a history in an epoch
_BATCH, _SORTED = 16, 256  # sentences of a step; how many are sorted by length at a time, so that little is padded
_RATE, _NEW_RATE, _WARM = 1e-4, 1e-3, 0.1
_OF_RIGHT = 3.0  # the weight of a right candidate


class _Example(NamedTuple):
    shown: Shown
    labels: Marks
    counted: Marks  # other mentions of an answer are neither right nor wrong


def learn_spans(
    network: SpanNetwork, lessons: Sequence[Lesson], matter: Matters, *, epochs: int, seed: int
) -> SpanNetwork:
    """Teach a network.

    Args:
        matter: What the trees say of each lesson's candidates, to find the sentences that tempt.
        epochs: How often it sees each history, each time in the words of one of its questions.
    """
    random = np.random.default_rng(seed)
    torch.manual_seed(seed)
    layers = network.bert.encoder.layer
    for part in (network.bert.embeddings, *layers[: len(layers) // 2]):
        part.requires_grad_(requires_grad=False)  # few pages teach; what a language is like is known already
    steps = list(_steps(list(_examples(network, lessons, matter, epochs, random)), random))
    taught = [weight for weight in network.bert.parameters() if weight.requires_grad]
    groups = [{"params": taught, "lr": _RATE}, {"params": list(network.head.parameters()), "lr": _NEW_RATE}]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    warm = max(1, int(_WARM * len(steps)))
    pace = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, (len(steps) - step) / max(1, len(steps) - warm))
    )
    network.train()
    for batch in steps:
        optimiser.zero_grad()
        _loss(network, batch).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        pace.step()
    return network.rounded()


def _loss(network: SpanNetwork, batch: Sequence[_Example]) -> torch.Tensor:
    labels, counted = (
        torch.from_numpy(np.concatenate(marks).astype(np.float32))
        for marks in zip(*((one.labels, one.counted) for one in batch), strict=True)
    )
    weights = counted * (1 + (_OF_RIGHT - 1) * labels)
    logits = network([one.shown for one in batch])
    return torch.nn.functional.binary_cross_entropy_with_logits(logits, labels, weight=weights, reduction="sum") / len(
        batch
    )


def _examples(
    network: SpanNetwork, lessons: Sequence[Lesson], matter: Matters, epochs: int, random: np.random.Generator
) -> Iterator[_Example]:
    histories = Histories.of(lessons)
    asked: dict[tuple[str, int], list[Lesson]] = {}
    for lesson in lessons:
        if histories.mentions[history_of(lesson)]:
            asked.setdefault(history_of(lesson), []).append(lesson)
    keys = list(asked)
    for _ in range(epochs):
        for place in random.permutation(len(keys)):
            key = keys[place]
            lesson = asked[key][random.integers(len(asked[key]))]
            right = np.array(sorted(histories.mentions[key]), dtype=np.int64)
            sentences = _sentences(lesson, right, matter, random)
            for shown in network.show(lesson.time.rest, lesson.features.index, sentences):
                labels = np.isin(shown.candidates, right)
                yield _Example(shown, labels, labels | ~histories.right[key][shown.candidates])


def _sentences(lesson: Lesson, right: Places, matter: Matters, random: np.random.Generator) -> list[int]:
    index = lesson.features.index
    answering = np.unique(index.sentence_of[right])
    others = np.setdiff1d(np.unique(index.sentence_of), answering)
    tempting = np.intersect1d(worth_reading(index, matter[lesson.key]), others)
    tempting = _some(tempting, _TEMPTING, random)
    drawn = _some(np.setdiff1d(others, tempting), _AT_RANDOM, random)
    return [int(place) for part in (_some(answering, _RIGHT, random), tempting, drawn) for place in part]


def _some(places: Places, most: int, random: np.random.Generator) -> Places:
    return random.choice(places, min(most, len(places)), replace=False)


def _steps(examples: Sequence[_Example], random: np.random.Generator) -> Iterator[Sequence[_Example]]:
    for start in range(0, len(examples), _SORTED):
        part = sorted(examples[start : start + _SORTED], key=lambda one: len(one.shown.tokens))
        batches = [part[place : place + _BATCH] for place in range(0, len(part), _BATCH)]
        yield from (batches[place] for place in random.permutation(len(batches)))
