"""Questions to a trained model: who or what stands at the other end of a fact, and when a fact held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Granularity, Ints
from asof.completion.interval_prediction import Floats, TellsIntervals, coalesced
from asof.completion.queries import NOBODY, Queries, TimeQueries
from asof.completion.trained.curves import curves, moment_scores, times_of
from asof.completion.trained.folder import TrainedModel
from asof.completion.training.trainer import link_scores, protocol_instants
from asof.timeline import Date
from asof.timeline.calendar import calendar_day
from asof.timeline.date import Span

ALWAYS = (BEFORE_ALL, AFTER_ALL)


@dataclass(frozen=True)
class EntityAnswer:
    """An entity with the probability that it is the answer, given that none of the other known answers is asked for.

    Args:
        known: The intervals in which a fact of the dataset says so, within the asked time.
    """

    entity: int
    probability: float
    known: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class WhenAnswer:
    """When a fact held.

    Args:
        intervals: First and last year (or day), and the share of the fact's time that is expected within.
        times: The years (or days) of the curve.
        curve: Their probabilities.
    """

    intervals: list[tuple[int, int, float]]
    times: Ints
    curve: Floats


def answers(
    trained: TrainedModel, entity: int, relation: int, time: tuple[int, int] = ALWAYS, *, top: int
) -> list[EntityAnswer]:
    """Rank the entities at the other end of a fact.

    Args:
        relation: From R on, relations are turned round: then subjects are asked for.
        time: First and last year (or day).
    """
    dataset = trained.dataset
    query = Queries(*(np.array([value]) for value in (entity, relation, NOBODY, *time)))
    scores = link_scores(trained.scorer, dataset, protocol_instants(dataset))(query)[0].double()
    chances = scores.numpy() / trained.links.temperature
    known = known_intervals(dataset, entity, relation, time)
    possible = np.ones(len(chances), bool)
    if dataset.pooled is not None:
        possible[dataset.pooled] = False
    others = possible.copy()
    others[list(known)] = False
    rest = np.logaddexp.reduce(chances[others]) if others.any() else -np.inf
    against = np.where(others, rest, np.logaddexp(chances, rest))  # a known answer stands against the unknown ones
    best = np.argsort(-np.where(possible, chances, -np.inf), kind="stable")[:top]
    return [
        EntityAnswer(int(one), float(np.exp(chances[one] - against[one])), tuple(known.get(int(one), ())))
        for one in best
        if possible[one]
    ]


def known_intervals(
    dataset: Dataset, entity: int, relation: int, time: tuple[int, int]
) -> dict[int, list[tuple[int, int]]]:
    """Return the answers that facts of any split give, each with its intervals that meet the asked time."""
    facts = Queries.of(dataset.all_facts, len(dataset.relations))
    meets = (facts.start <= time[1]) & (facts.end >= time[0])
    found: dict[int, list[tuple[int, int]]] = {}
    for row in np.flatnonzero((facts.entity == entity) & (facts.relation == relation) & meets):
        found.setdefault(int(facts.answer[row]), []).append((int(facts.start[row]), int(facts.end[row])))
    return found


def when(trained: TrainedModel, subject: int, relation: int, object: int, *, top: int) -> WhenAnswer:
    """Tell when a fact held: the likeliest intervals, no two of which meet, and the curve they come from."""
    times = trained.needs_time()
    fact = TimeQueries(*(np.array([value]) for value in (subject, relation, object)))
    if isinstance(trained.scorer, TellsIntervals):
        return _when_told(trained.scorer, fact, top)
    curve = curves(moment_scores(trained.scorer, trained.dataset, fact), times.temperature)
    first, last = coalesced(curve, trained.limits[[relation]], count=curve.shape[1])
    sums = np.concatenate([[0.0], curve[0].cumsum()])
    chosen: list[tuple[int, int]] = []
    for begin, end in zip(first[0].tolist(), last[0].tolist(), strict=True):
        if len(chosen) < top and all(end < other[0] or begin > other[1] for other in chosen):
            chosen.append((begin, end))
    points = times_of(trained.dataset, np.arange(curve.shape[1]))
    found = [(int(points[begin]), int(points[end]), float(sums[end + 1] - sums[begin])) for begin, end in chosen]
    dates = curve[0] > 0  # "before all" and "after all" are out of the question, but in the protocol of 2020
    return WhenAnswer(sorted(found, key=lambda one: -one[2]), points[dates], curve[0][dates])


def _when_told(scorer: TellsIntervals, fact: TimeQueries, top: int) -> WhenAnswer:
    """Ask a scorer that predicts intervals itself; the likeliest of them first."""
    starts, curve = scorer.start_curves(fact)
    held = held_curve(curve[0], scorer.lengths(fact)[0])
    times = starts[0] + np.arange(len(held))
    sums = np.concatenate([[0.0], held.cumsum()])
    found = scorer.intervals(fact, count=top)
    intervals = []
    for begin, end in zip(found.first[0].tolist(), found.last[0].tolist(), strict=True):
        first, after = np.clip([begin - times[0], end + 1 - times[0]], 0, len(held))
        intervals.append((begin, end, float(sums[after] - sums[first])))
    return WhenAnswer(sorted(intervals, key=lambda one: -one[2]), times, held)


def held_curve(starts: Floats, lengths: Floats) -> Floats:
    """Return the share of a fact's time that is expected at each time, from the chances of starts and of lengths.

    >>> held_curve(np.array([0.5, 0.5]), np.array([0.0, 1.0])).tolist()  # two years each: 0 and 1, or 1 and 2
    [0.25, 0.5, 0.25]
    """
    shares = lengths / np.arange(1, len(lengths) + 1)
    still = shares[::-1].cumsum()[::-1]  # so long after its start, the share of a fact that is at this very time
    found: Floats = np.convolve(starts, still)
    return found


def asked_time(span: Span, granularity: Granularity) -> tuple[int, int]:
    """Return a date as first and last year or day.

    >>> asked_time(Date.parse("2011-03"), "year")
    (2011, 2011)
    """
    if granularity == "day":
        return span.first, span.last
    return calendar_day(span.first)[0], calendar_day(span.last)[0]


def written(time: int, granularity: Granularity) -> str:
    """Write a year or a day as people read it; nothing where it is missing.

    >>> written(2011, "year"), written(-43, "year"), written(0, "day"), written(AFTER_ALL, "year")
    ('2011', '-0044', '1970-01-01', '')
    """
    if time in ALWAYS:
        return ""
    return str(Date.of(time) if granularity == "year" else Date.from_day(time))


def top_answers(scores: torch.Tensor, temperature: float) -> tuple[Ints, Floats]:
    """Return the best candidate of each row and its probability."""
    sure, best = torch.softmax(scores.double() / temperature, 1).max(1)
    return best.numpy(), sure.numpy()
