"""Train any scorer: one-versus-all cross-entropy on facts in both directions, early stopping on valid."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import torch

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Granularity, Ints, Protocol
from asof.completion.queries import Queries, queries_of
from asof.completion.ranking import Ranking, rank
from asof.completion.scorers import PointScorer, ProductScorer, Scorer, Sizes, TimeSpan
from asof.completion.training.phases import (
    InPhases,
    LearnsWeights,
    LooksAtFacts,
    OnProgress,
    OnStep,
    Phase,
    StepProgress,
)
from asof.completion.training.regularisers import cubes, roughness, squares
from asof.completion.training.running_mean import RunningMean
from asof.completion.training.state import CompletionCheckpoint, CompletionState
from asof.devices import known_device
from asof.errors import UserError
from asof.timeline.calendar import calendar_day
from asof.training.checkpoint import optimiser_tensors, restore_optimiser
from asof.training.crew import ALONE, Crew
from asof.training.finite_loss import LossError
from asof.training.kept_memory import kept_memory
from asof.training.losses import drawn_candidates, halves_fast, one_versus_all
from asof.training.settings import TrainingSettings

_MANY_ROWS = 50_000  # entities
_MANY_PRODUCTS = 200_000_000  # of single numbers in a step
Instants = Literal["sample", "mean", "start"]


@dataclass(frozen=True, kw_only=True)
class CompletionTraining(TrainingSettings):
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
    shared_negatives: int = 0  # drawn once for all questions of a step, beside their answers; 0: all entities
    products: Literal["auto", "float32", "bfloat16"] = "auto"  # of all candidates; auto: bfloat16 where that is faster
    initial: float = 0.05  # standard deviation of embeddings at the beginning
    average: float = 0.0  # the share that a running mean of the weights keeps in a step; 0: the last weights count
    evaluate_every: int = 5  # epochs
    valid_facts: int = 0  # of valid, drawn once, that are ranked while training; 0: all
    patience: int = 4  # evaluations without a better one, before the end


def sizes_of(dataset: Dataset) -> Sizes:
    """Count what a scorer needs vectors for."""
    return Sizes(
        len(dataset.entities),
        2 * len(dataset.relations),
        len(dataset.points),
        tuple(_date(int(point), dataset.granularity) for point in dataset.points),
    )


def _date(point: int, granularity: Granularity) -> tuple[int, ...]:
    if point in (BEFORE_ALL, AFTER_ALL):
        return ()
    return (point,) if granularity == "year" else calendar_day(point)


def span_of(dataset: Dataset, queries: Queries, instants: Instants, random: np.random.Generator) -> TimeSpan:
    """Return the points that stand for the time of each query."""
    first, last = dataset.point(queries.start), dataset.point(queries.end)
    anchor = np.where(queries.start > BEFORE_ALL, first, np.where(queries.end < AFTER_ALL, last, 0))
    if instants == "sample":
        known = last if dataset.known_until is None else np.minimum(last, dataset.point(np.array(dataset.known_until)))
        first = last = random.integers(np.minimum(first, known), known + 1)
    elif instants == "start":
        last = first
    asked = None
    if dataset.known_until is not None:
        asked = torch.from_numpy(first), torch.from_numpy(last)
        first, last = (np.minimum(one, dataset.point(np.array(dataset.known_until))) for one in (first, last))
    return TimeSpan(torch.from_numpy(first), torch.from_numpy(last), torch.from_numpy(anchor), asked)


def train(
    scorer: Scorer,
    dataset: Dataset,
    settings: CompletionTraining,
    *,
    on_progress: OnProgress = lambda row: None,
    on_step: OnStep = lambda step: None,
    score_instants: Instants | None = None,
    state: CompletionState | None = None,
    checkpoint: CompletionCheckpoint | None = None,
    embeddings: Mapping[str, torch.Tensor] | None = None,
    device: str = "cpu",
    crew: Crew = ALONE,
) -> Ranking | None:
    """Train in place and leave the embeddings that were best on valid; return how they rank there.

    Test is out of reach: not even the filter of the ranks on valid knows its facts.

    Args:
        on_progress: Called after each epoch with its figures.
        on_step: Called after each step of an epoch.
        score_instants: The time of a fact when it is ranked; by default as the protocol has it.
        state: Where to go on from.
        checkpoint: Keeps where the training stands after each epoch.
        embeddings: Weights that are trained already; they take the place of the first phase.
        device: Where to train and to rank valid; the scorer comes back to the processor. Whatever the device, it begins
            with the same weights and draws the same times and candidates.
        crew: The processes that train together. All draw the same, each learns from a share of every step, and the
            first one alone ranks, learns weights of another kind, and returns ranks.
    """
    place = _place(scorer, device)
    dataset = dataset.without_test
    if isinstance(scorer, LooksAtFacts):
        scorer.look_at(dataset)
    phases = scorer.phases(settings) if isinstance(scorer, InPhases) else (Phase(settings),)
    instants = score_instants or protocol_instants(dataset)
    state = state or _beginning(scorer, settings)
    if embeddings:
        scorer.load_state_dict({**scorer.state_dict(), **embeddings})
    scorer.to(place)
    for number in range(max(state.phase, 1 if embeddings else 0), len(phases)):
        if number > state.phase:
            _begin_phase(state, scorer, dataset, instants, number, settings, crew)
        with kept_memory():
            _train_phase(scorer, dataset, phases[number], state, on_progress, on_step, instants, checkpoint, crew)
        if state.best:
            scorer.load_state_dict(state.best)
    if isinstance(scorer, LearnsWeights) and crew.is_first:
        scorer.cpu()  # counts and trees are there
        scorer.learn_weights(settings, on_progress, checkpoint, device=device)
    found = None
    if len(dataset.valid) and crew.is_first:
        found = rank(valid_scores(scorer, dataset, instants), dataset, "valid", most=settings.valid_facts or None)
    scorer.cpu()
    return found


def _place(scorer: Scorer, device: str) -> torch.device:
    if scorer.needs_float64 and device == "mps":
        raise UserError("This scorer computes in float64, which mps does not have. Train it with --device cpu.")
    return torch.device(known_device(device))


def protocol_instants(dataset: Dataset) -> Instants:
    """Return the time of a fact when it is ranked, by the protocol of its dataset."""
    return "start" if dataset.protocol is Protocol.JAIN2020 else "mean"


def _beginning(scorer: Scorer, settings: CompletionTraining) -> CompletionState:
    torch.manual_seed(settings.seed)
    scorer.initialise(settings.initial)
    scorer.after_step()
    return CompletionState(
        weights=scorer.state_dict(),
        torch_random=torch.get_rng_state(),
        random=dict(np.random.default_rng(settings.seed).bit_generator.state),
    )


def _begin_phase(
    state: CompletionState,
    scorer: Scorer,
    dataset: Dataset,
    instants: Instants,
    number: int,
    settings: CompletionTraining,
    crew: Crew,
) -> None:
    """Go on to the next phase; what it begins with is the first that it has to beat."""
    if len(dataset.valid):
        most = settings.valid_facts or None
        state.best_mrr = crew.of_first(
            lambda: rank(link_scores(scorer, dataset, instants), dataset, "valid", most=most).mrr
        )
        state.best = _copied(scorer)
    state.phase, state.epoch, state.worse = number, 0, 0
    state.weights, state.optimiser, state.mean = scorer.state_dict(), {}, {}


def _train_phase(
    scorer: Scorer,
    dataset: Dataset,
    phase: Phase,
    state: CompletionState,
    on_progress: OnProgress,
    on_step: OnStep,
    instants: Instants,
    checkpoint: CompletionCheckpoint | None,
    crew: Crew,
) -> None:
    settings = phase.settings
    most = settings.valid_facts or None
    scorer.load_state_dict(state.weights)
    torch.set_rng_state(state.torch_random)
    random = np.random.default_rng()
    random.bit_generator.state = state.random
    for name, parameter in scorer.named_parameters():
        parameter.requires_grad_(phase.trains(name))
    _in_rows(scorer, settings)
    optimiser = _optimiser(scorer, settings, state.optimiser)
    mean = RunningMean(scorer, settings.average, state.mean)
    while state.epoch < settings.epochs and state.worse < settings.patience:
        began = time.perf_counter()
        epoch = state.epoch + 1
        stepped = partial(_tell_step, on_step, state.phase + 1, epoch, settings.epochs)
        loss = _train_epoch(scorer, dataset, phase, optimiser, mean, random, epoch, stepped, crew)
        figures: dict[str, Any] = {"phase": state.phase + 1, "epoch": epoch, "epochs": settings.epochs, "loss": loss}
        if len(dataset.valid) and (epoch % settings.evaluate_every == 0 or epoch == settings.epochs):
            with mean.in_place():
                scores = link_scores(scorer, dataset, instants)
                mrr = crew.of_first(partial(_mrr, scores, dataset, most))
                figures["valid_mrr"] = mrr
                if state.best_mrr is None or mrr > state.best_mrr:
                    state.best_mrr, state.worse = mrr, 0
                    state.best = _copied(scorer)
                else:
                    state.worse += 1
        figures["seconds"] = round(time.perf_counter() - began, 3)
        on_progress(figures)
        state.epoch, state.weights, state.mean = epoch, scorer.state_dict(), mean.weights
        state.optimiser = optimiser_tensors(optimiser)
        state.torch_random, state.random = torch.get_rng_state(), dict(random.bit_generator.state)
        if checkpoint:
            checkpoint.save(state)
    if not len(dataset.valid):
        mean.put()
    scorer.requires_grad_(True)


def _mrr(scores: Callable[[Queries], torch.Tensor], dataset: Dataset, most: int | None) -> float:
    return rank(scores, dataset, "valid", most=most).mrr


def _tell_step(on_step: OnStep, phase: int, epoch: int, epochs: int, step: int, steps: int) -> None:
    on_step(StepProgress(step=step, steps=steps, phase=phase, epoch=epoch, epochs=epochs))


def _train_epoch(
    scorer: Scorer,
    dataset: Dataset,
    phase: Phase,
    optimiser: torch.optim.Optimizer,
    mean: RunningMean,
    random: np.random.Generator,
    epoch: int,
    on_step: Callable[[int, int], None],
    crew: Crew,
) -> float:
    settings = phase.settings
    facts = len(dataset.train)
    queries = queries_of(dataset, "train")
    losses = []
    order = random.permutation(facts)
    span = None
    if isinstance(scorer, PointScorer) and settings.shared_negatives:
        span = span_of(dataset, queries[:facts], settings.instants, random)
        order = _point_by_point(order, span, random)
    for start in range(0, facts, settings.batch):
        chosen = order[start : start + settings.batch]
        own, share = _own_facts(crew, len(chosen))
        if phase.loss:
            loss = phase.loss(dataset, np.concatenate([chosen[own], chosen[own] + facts]))
        else:
            at = TimeSpan(span.first[chosen], span.last[chosen]) if span else None
            batch = queries[np.concatenate([chosen, chosen + facts])]
            loss = _loss(scorer, dataset, batch, own, settings, random, at)
        if crew.size > 1:
            loss = loss * share
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        crew.add_up_gradients(one for one in scorer.parameters() if one.grad is not None)
        optimiser.step()
        scorer.after_step()
        mean.after_step()
        losses.append(sum(crew.tell(float(loss.detach()))))
        if not math.isfinite(losses[-1]):
            break
        on_step(len(losses), -(-facts // settings.batch))
    # The last step of an epoch may break weights whose loss was still a number; ranked, they would look perfect.
    if not math.isfinite(losses[-1]) or not all(one.isfinite().all() for one in scorer.parameters()):
        raise LossError(losses[-1], epoch=epoch, learning_rate=settings.learning_rate)
    return float(np.mean(losses))


def _own_facts(crew: Crew, count: int) -> tuple[Ints, float]:
    """Return which facts of a batch this process takes, and what share of the batch they are.

    Where there are more processes than facts, it takes one that counts for nothing, so that all have the same gradients
    to add up.
    """
    every = np.arange(count)
    own: Ints = every[crew.rank :: crew.size]
    return (own, len(own) / count) if len(own) else (every[:1], 0.0)


def _point_by_point(order: Ints, span: TimeSpan, random: np.random.Generator) -> Ints:
    """Put facts of one point together, points in random order: in a batch, candidates need vectors at few points."""
    first = span.first.numpy()[order]
    turn = random.permutation(int(first.max(initial=0)) + 1)
    return order[np.argsort(turn[first], kind="stable")]


def _in_rows(scorer: Scorer, settings: CompletionTraining) -> None:
    """Let steps touch only the entities that they meet, where these are few of very many.

    Adagrad leaves all others as they are either way; writing their slopes of nought is what takes the time.
    """
    few = bool(settings.shared_negatives) and settings.optimiser == "adagrad"
    torch.sparse.check_sparse_tensor_invariants.disable()  # type: ignore[no-untyped-call]  # torch warns of no choice
    for module in scorer.modules():
        if isinstance(module, torch.nn.Embedding) and module.num_embeddings == scorer.sizes.entities:
            module.sparse = few and isinstance(scorer, ProductScorer) and module.num_embeddings >= _MANY_ROWS


def _optimiser(scorer: Scorer, settings: CompletionTraining, saved: dict[str, torch.Tensor]) -> torch.optim.Optimizer:
    kind = torch.optim.Adagrad if settings.optimiser == "adagrad" else torch.optim.Adam
    optimiser = kind((one for one in scorer.parameters() if one.requires_grad), lr=settings.learning_rate)
    restore_optimiser(optimiser, saved)
    return optimiser


def _copied(scorer: Scorer) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in scorer.state_dict().items()}


def link_scores(scorer: Scorer, dataset: Dataset, instants: Instants) -> Callable[[Queries], torch.Tensor]:
    """Return a function that scores all candidates of queries."""
    random = np.random.default_rng(0)

    @torch.inference_mode()
    def scores(queries: Queries) -> torch.Tensor:
        span = span_of(dataset, queries, scorer.instants or instants, random)
        entity, relation = (torch.from_numpy(one).to(scorer.device) for one in (queries.entity, queries.relation))
        return scorer.scores(entity, relation, span.on(scorer.device)).cpu()

    return scores


def valid_scores(scorer: Scorer, dataset: Dataset, instants: Instants) -> Callable[[Queries], torch.Tensor]:
    """Return a function that scores questions of valid, by nothing that was learnt from them."""
    return scorer.held_out_scores if isinstance(scorer, LearnsWeights) else link_scores(scorer, dataset, instants)


def _in_halves(settings: CompletionTraining, questions: int, candidates: torch.Tensor) -> bool:
    """Tell whether to multiply in bfloat16; where there is little to multiply, nothing is won."""
    if settings.products != "auto":
        return settings.products == "bfloat16"
    return candidates.device.type == "cpu" and questions * candidates.numel() >= _MANY_PRODUCTS and halves_fast()


def _loss(
    scorer: Scorer,
    dataset: Dataset,
    batch: Queries,
    own: Ints,
    settings: CompletionTraining,
    random: np.random.Generator,
    span: TimeSpan | None = None,
) -> torch.Tensor:
    """Return the mean loss of some facts of a batch; what is drawn is drawn for all of it."""
    place, half = scorer.device, len(batch) // 2
    mine = np.concatenate([own, own + half])
    columns = (batch.entity[mine], batch.relation[mine], batch.answer[mine])
    entity, relation, answer = (torch.from_numpy(column).to(place) for column in columns)
    # A fact has one time in both directions.
    span = span or span_of(dataset, batch[:half], settings.instants, random)
    span = TimeSpan(torch.cat([span.first[own]] * 2), torch.cat([span.last[own]] * 2)).on(place)
    if isinstance(scorer, PointScorer) and settings.shared_negatives:
        chosen, target, stands_for = _drawn(batch, mine, scorer, settings, random)
        scores = scorer.scores(entity, relation, span, chosen) + stands_for
        loss = torch.nn.functional.cross_entropy(scores, target)
        factors = scorer.factors(entity, relation, answer)
    elif settings.negatives or not isinstance(scorer, ProductScorer):
        drawn = torch.from_numpy(random.integers(0, scorer.sizes.entities, (len(batch), settings.negatives or 100)))
        drawn = drawn[mine].to(place)
        scores, factors = scorer.scores_of(entity, relation, span, torch.cat([answer[:, None], drawn], 1))
        loss = torch.nn.functional.cross_entropy(scores, torch.zeros_like(answer))
    else:
        vector, factors = scorer.question(entity, relation, span)
        if settings.shared_negatives:
            chosen, target, stands_for = _drawn(batch, mine, scorer, settings, random)
            some = scorer.candidates(chosen)
            loss = one_versus_all(vector, some, target, stands_for, half=_in_halves(settings, len(batch), some))
        else:
            every = scorer.candidates()
            loss = one_versus_all(vector, every, answer, half=_in_halves(settings, len(batch), every))
        factors = [*factors, scorer.entities(answer)]
    if settings.time_weight:
        moments = scorer.moments(entity, relation, answer)
        loss = loss + settings.time_weight * torch.nn.functional.cross_entropy(moments, span.first)
    if settings.squares:
        loss = loss + settings.squares * squares(factors)
    if settings.cubes:
        loss = loss + settings.cubes * cubes(factors)
    times = scorer.times()
    if settings.roughness and times is not None:
        loss = loss + settings.roughness * roughness(times)
    return loss


def _drawn(
    batch: Queries, mine: Ints, scorer: Scorer, settings: CompletionTraining, random: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Draw the candidates that all questions of a batch share, and find the answers of some among them."""
    answer = torch.from_numpy(batch.answer)
    found = drawn_candidates(answer, scorer.sizes.entities, settings.shared_negatives, random)
    chosen, target, stands_for = (one.to(scorer.device) for one in found)
    return chosen, target[mine], stands_for
