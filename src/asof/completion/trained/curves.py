"""How likely each time point is as the time of a fact: a curve for each fact."""

from __future__ import annotations

import numpy as np
import torch

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Ints, Protocol
from asof.completion.interval_prediction import Floats, Intervals, coalesced
from asof.completion.queries import TimeQueries
from asof.completion.scorers import Scorer

_FACTS_PER_BATCH = 1024
NEVER = -1e30  # the score of what is out of the question; finite, so that sums with it stay numbers

# "Before all" and "after all" are the years 0 and 3000 in the program of 2020, and intervals are measured with them.
_PUBLISHED_ENDS = {"year": (0, 3000)}


def knows_time(scorer: Scorer) -> bool:
    """Tell whether a scorer can say when a fact held."""
    return type(scorer).moments is not Scorer.moments


@torch.inference_mode()
def moment_scores(scorer: Scorer, dataset: Dataset, asked: TimeQueries) -> torch.Tensor:
    """Score all points as the time of facts, asked from both ends: one row per fact.

    The two points beyond all dates take part under the protocol of 2020 only.
    """
    rows = []
    for start in range(0, len(asked), _FACTS_PER_BATCH):
        part = asked[start : start + _FACTS_PER_BATCH]
        subject, relation, object = (torch.from_numpy(one) for one in (part.subject, part.relation, part.object))
        turned = relation + len(dataset.relations)
        rows.append(scorer.moments(subject, relation, object) + scorer.moments(object, turned, subject))
    scores = torch.cat(rows) if rows else torch.zeros(0, len(dataset.points))
    if dataset.protocol is not Protocol.JAIN2020:
        scores[:, torch.from_numpy(np.isin(dataset.points, [BEFORE_ALL, AFTER_ALL]))] = NEVER
    return scores


def curves(scores: torch.Tensor, temperature: float) -> Floats:
    """Turn scores into probabilities of points."""
    found: Floats = torch.softmax(scores.double() / temperature, 1).numpy()
    return found


def predicted_intervals(dataset: Dataset, probabilities: Floats, limits: Floats, *, count: int) -> Intervals:
    """Grow intervals on curves and give them in years or days.

    Args:
        limits: How much probability each has to hold.
    """
    first, last = coalesced(probabilities, limits, count=count)
    return Intervals(times_of(dataset, first), times_of(dataset, last))


def times_of(dataset: Dataset, points: Ints) -> Ints:
    """Return the year or day of points."""
    times = dataset.points[points]
    ends = _PUBLISHED_ENDS.get(dataset.granularity) if dataset.protocol is Protocol.JAIN2020 else None
    before, after = ends or dataset.covered
    return np.where(times == BEFORE_ALL, before, np.where(times == AFTER_ALL, after, times))
