"""A trained model before the referee: its own scores, made when they are asked for."""

from __future__ import annotations

from asof.completion.queries import queries_of
from asof.completion.referee.scoresheet import CountSheet, Values
from asof.completion.trained.folder import TrainedModel
from asof.completion.training.trainer import link_scores, protocol_instants


def sheet_of_model(trained: TrainedModel, split: str) -> CountSheet:
    """Return the scoresheet of a model for a split of its own dataset."""
    asked = queries_of(trained.dataset, split).unanswered
    scores = link_scores(trained.scorer, trained.dataset, protocol_instants(trained.dataset))

    def make(first: int, after: int) -> Values:
        found: Values = scores(asked[first:after]).numpy()
        return found

    return CountSheet(trained.folder.resolve().name, make)
