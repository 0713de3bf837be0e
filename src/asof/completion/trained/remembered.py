"""What a base remembers of proposals: those that a person has rejected are not made again."""

from __future__ import annotations

from pathlib import Path

from asof.completion.trained.folder import TrainedModel
from asof.completion.trained.prediction import written
from asof.completion.trained.proposals import ProposedFact
from asof.facts.manifest import MANIFEST, read_manifest


def rejected_before(trained: TrainedModel) -> set[str]:
    """Return the ids of proposals that the base of a model remembers as rejected."""
    place = Path(trained.about["dataset"]["place"])
    return set(read_manifest(place).rejected) if (place / MANIFEST).is_file() else set()


def proposal_id(trained: TrainedModel, proposal: ProposedFact) -> str:
    """Return what names a proposal in tables of decisions and in a base."""
    entities, granularity = trained.entities.ids, trained.dataset.granularity
    ids = entities[proposal.subject], trained.relations.ids[proposal.relation], entities[proposal.object]
    return "|".join((*ids, written(proposal.start, granularity), written(proposal.end, granularity), proposal.what))
