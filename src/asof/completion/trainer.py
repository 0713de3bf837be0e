"""Train any scorer: one-versus-all cross-entropy on facts in both directions, early stopping on valid."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from asof.completion.dataset import Dataset
from asof.completion.losses import one_versus_all
from asof.completion.queries import Queries, queries_of
from asof.completion.ranking import Ranking, rank
from asof.completion.regularisers import cubes, roughness, squares
from asof.completion.scorers import ProductScorer, Scorer, Sizes, TimeSpan
from asof.errors import UserError

Instants = Literal["sample", "mean", "start"]


@dataclass(frozen=True, kw_only=True)
class Training:
    """How to train.

    Args:
        instants: The time of a fact in a step: one point of its interval drawn at random, the mean of all, or its
            start.
        time_weight: The weight of the cross-entropy of the time itself, given subject, relation and object.
    """

    epochs: int = 100
    batch: int = 1500  # facts; each is asked for both ends
    learning_rate: float = 0.1
    optimiser: Literal["adagrad", "adam"] = "adagrad"
    squares: float = 0.0
    cubes: float = 0.0
    roughness: float = 0.0
    instants: Instants = "sample"
    time_weight: float = 0.0
    negatives: int = 0  # candidates drawn at random for each question; 0: all entities, where the scorer can
    initial: float = 0.05  # standard deviation of embeddings at the beginning
    evaluate_every: int = 5  # epochs
    patience: int = 4  # evaluations without a better one, before the end
    seed: int = 0


def sizes_of(dataset: Dataset) -> Sizes:
    """Count what a scorer needs vectors for."""
    return Sizes(len(dataset.entities), 2 * len(dataset.relations), len(dataset.points))


def span_of(dataset: Dataset, queries: Queries, instants: Instants, random: np.random.Generator) -> TimeSpan:
    """Return the points that stand for the time of each query."""
    first, last = dataset.point(queries.start), dataset.point(queries.end)
    if instants == "sample":
        first = last = random.integers(first, last + 1)
    elif instants == "start":
        last = first
    return TimeSpan(torch.from_numpy(first), torch.from_numpy(last))


def train(
    scorer: Scorer,
    dataset: Dataset,
    settings: Training,
    *,
    told: Callable[[dict[str, Any]], None] = lambda row: None,
    score_instants: Instants = "start",
) -> Ranking | None:
    """Train in place and leave the embeddings that were best on valid.

    Args:
        told: Called after each epoch with its figures.
    """
    torch.manual_seed(settings.seed)
    random = np.random.default_rng(settings.seed)
    for parameter in scorer.parameters():
        torch.nn.init.normal_(parameter, std=settings.initial)
    scorer.after_step()
    optimiser: torch.optim.Optimizer
    if settings.optimiser == "adagrad":
        optimiser = torch.optim.Adagrad(scorer.parameters(), lr=settings.learning_rate)
    else:
        optimiser = torch.optim.Adam(scorer.parameters(), lr=settings.learning_rate)
    facts = len(dataset.train)
    queries = queries_of(dataset, "train")
    best: tuple[float, dict[str, torch.Tensor]] | None = None
    ranking: Ranking | None = None
    worse = 0
    for epoch in range(1, settings.epochs + 1):
        began = time.perf_counter()
        losses = []
        order = random.permutation(facts)
        for start in range(0, facts, settings.batch):
            rows = order[start : start + settings.batch]
            batch = queries[np.concatenate([rows, rows + facts])]
            loss = _loss(scorer, dataset, batch, settings, random)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            scorer.after_step()
            losses.append(float(loss.detach()))
        figures: dict[str, Any] = {
            "epoch": epoch,
            "loss": float(np.mean(losses)),
            "seconds": time.perf_counter() - began,
        }
        if not math.isfinite(figures["loss"]):
            raise UserError(
                f"The loss is {figures['loss']} in epoch {epoch}: the learning rate {settings.learning_rate:g} is too "
                "high, or the weights were broken from the start. Nothing was kept of this epoch."
            )
        if len(dataset.valid) and (epoch % settings.evaluate_every == 0 or epoch == settings.epochs):
            ranking = rank(link_scores(scorer, dataset, score_instants), dataset, "valid")
            figures["valid_mrr"] = ranking.mrr
            if best is None or ranking.mrr > best[0]:
                best = (ranking.mrr, {name: value.clone() for name, value in scorer.state_dict().items()})
                worse = 0
            else:
                worse += 1
        told(figures)
        if worse >= settings.patience:
            break
    if best:
        scorer.load_state_dict(best[1])
    return ranking


def link_scores(scorer: Scorer, dataset: Dataset, instants: Instants) -> Callable[[Queries], torch.Tensor]:
    """Return a function that scores all candidates of queries."""
    random = np.random.default_rng(0)

    @torch.inference_mode()
    def scores(queries: Queries) -> torch.Tensor:
        span = span_of(dataset, queries, instants, random)
        return scorer.scores(torch.from_numpy(queries.entity), torch.from_numpy(queries.relation), span)

    return scores


def _loss(
    scorer: Scorer, dataset: Dataset, batch: Queries, settings: Training, random: np.random.Generator
) -> torch.Tensor:
    entity, relation, answer = (torch.from_numpy(column) for column in (batch.entity, batch.relation, batch.answer))
    half = len(batch) // 2
    span = span_of(dataset, batch[:half], settings.instants, random)  # a fact has one time in both directions
    span = TimeSpan(torch.cat([span.first, span.first]), torch.cat([span.last, span.last]))
    if settings.negatives or not isinstance(scorer, ProductScorer):
        drawn = torch.from_numpy(random.integers(0, scorer.sizes.entities, (len(batch), settings.negatives or 100)))
        scores, factors = scorer.scores_of(entity, relation, span, torch.cat([answer[:, None], drawn], 1))
        loss = torch.nn.functional.cross_entropy(scores, torch.zeros_like(answer))
    else:
        vector, factors = scorer.question(entity, relation, span)
        loss = one_versus_all(vector, scorer.entities.weight, answer)
        factors = [*factors, scorer.entities(answer)]
    times = scorer.times()
    if settings.time_weight and times is not None:
        moments = scorer.moments(entity, relation, answer)
        loss = loss + settings.time_weight * torch.nn.functional.cross_entropy(moments, span.first)
    if settings.squares:
        loss = loss + settings.squares * squares(factors)
    if settings.cubes:
        loss = loss + settings.cubes * cubes(factors)
    if settings.roughness and times is not None:
        loss = loss + settings.roughness * roughness(times)
    return loss
