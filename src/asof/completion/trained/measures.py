"""How good a trained model is on a split: ranks under every filter, and predicted intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from asof.completion.dataset import Protocol, Quadruples
from asof.completion.filters import Filter
from asof.completion.interval_prediction import Intervals, TellsIntervals, interval_results, thresholds
from asof.completion.queries import TimeQueries
from asof.completion.ranking import Ranking, Ties, rankings
from asof.completion.trained.curves import curves, knows_time, moment_scores, predicted_intervals
from asof.completion.trained.folder import TrainedModel
from asof.completion.training.trainer import Instants, link_scores, protocol_instants
from asof.errors import UserError
from asof.metrics import Result, mean_of_facts

PREDICTIONS = 10  # intervals for each fact: the k of aeIOU@k goes up to it


def link_results(
    trained: TrainedModel,
    split: str,
    filters: Sequence[Filter],
    *,
    ties: Ties | None = None,
    instants: Instants | None = None,
) -> list[dict[str, Any]]:
    """Rank both ends of all facts of a split, once for each filter."""
    dataset = trained.dataset
    if not len(dataset.split(split)):
        raise UserError(f"{dataset.name} has no {split} facts, so there is nothing to rank. Choose another --split.")
    chosen = trained.scorer.instants or instants or protocol_instants(dataset)
    scores = link_scores(trained.scorer, dataset, chosen)
    rows = []
    for name, ranking in rankings(scores, dataset, split, filters, ties=ties).items():
        mrr = _by_fact(ranking)
        rows.append(
            {
                "filter": name,
                **{measure: round(value, 4) for measure, value in ranking.results().items()},
                "mrr_low": round(mrr.low, 4),
                "mrr_high": round(mrr.high, 4),
                "mrr_object": round(ranking.mrr_of("object"), 4),
                "mrr_subject": round(ranking.mrr_of("subject"), 4),
                "queries": len(ranking.ranks),
                "facts": mrr.n,
                "ties": ties or ("against" if dataset.protocol is Protocol.JAIN2020 else "mean"),
                "instants": chosen,
                "protocol": str(dataset.protocol),
                "split": split,
            }
        )
    return rows


def time_results(trained: TrainedModel, split: str, at: tuple[int, ...] = (1, PREDICTIONS)) -> dict[str, Any] | None:
    """Predict the intervals of all facts of a split that have both ends; None where that cannot be done."""
    found = split_intervals(trained, split, max(at))
    if found is None:
        return None
    facts, predicted = found
    results = interval_results(facts, predicted, at)
    return {
        **{name: round(value, 4) for name, value in results.items()},
        "facts": len(facts),
        "protocol": str(trained.dataset.protocol),
        "split": split,
    }


def why_no_intervals(trained: TrainedModel) -> str:
    """Say why ``time_results`` has none."""
    if not knows_time(trained.scorer):
        return "this model has no notion of time"
    if trained.dataset.known_until is not None:
        return "it forecasts, and times after all that it knows have learnt nothing"
    if trained.times is None:
        return "valid has too few facts with both ends to learn from"
    return "no fact of this split has both ends"


def split_intervals(trained: TrainedModel, split: str, count: int) -> tuple[Quadruples, Intervals] | None:
    """Return the facts of a split that have both ends, with so many predicted intervals for each.

    The protocol of 2020 takes the softmax of scores as it is, ``corrected`` with the temperature that was fitted.
    """
    dataset = trained.dataset
    facts = dataset.split(split)
    facts, learnt = facts[facts.dated], dataset.valid[dataset.valid.dated]
    if not knows_time(trained.scorer) or trained.times is None or not len(facts):
        return None
    if isinstance(trained.scorer, TellsIntervals):
        return facts, trained.scorer.intervals(TimeQueries.of(facts), count)
    temperature = 1.0 if dataset.protocol is Protocol.JAIN2020 else trained.times.temperature
    of_valid = curves(moment_scores(trained.scorer, dataset, TimeQueries.of(learnt)), temperature)
    limits = thresholds(of_valid, learnt, dataset)[facts.relation]
    found = curves(moment_scores(trained.scorer, dataset, TimeQueries.of(facts)), temperature)
    return facts, predicted_intervals(dataset, found, limits, count=count)


def _by_fact(ranking: Ranking) -> Result:
    """Return the MRR with its interval; the two questions about a fact are drawn together."""
    facts = len(ranking.ranks) // 2
    values = (1 / ranking.ranks[:facts] + 1 / ranking.ranks[facts:]) / 2
    return mean_of_facts(values)
