"""What a trained model predicts, as rows: the other end of a fact, when it held, what a base lacks."""

from __future__ import annotations

from typing import Any, Literal

from asof.completion.dataset import Granularity
from asof.completion.prediction_row import PredictionRow, TimeProbability
from asof.completion.trained.folder import TrainedModel
from asof.completion.trained.freshness import freshness
from asof.completion.trained.names import labelled
from asof.completion.trained.prediction import ALWAYS, WhenAnswer, answers, asked_time, known_intervals, written
from asof.completion.trained.proposals import ProposedFact
from asof.completion.trained.reasons import ReasonWriter
from asof.completion.trained.unseen import answers_for_unseen
from asof.timeline import Time

Row = dict[str, Any]


def answer_rows(
    trained: TrainedModel, *, subject: str | None, relation: str, object: str | None, on: Time | None, top: int
) -> tuple[list[PredictionRow], list[str]]:
    """Return the likeliest subjects or objects, whichever is None, and what a reader should know of them."""
    dataset, turned = trained.dataset, subject is None
    number = trained.relations.number(relation)
    given = (object if turned else subject) or ""
    time = asked_time(on, dataset.granularity) if on else ALWAYS
    notes = []
    first, last = dataset.covered
    if on and (time[1] < first or time[0] > last):
        covered = " to ".join(written(end, dataset.granularity) for end in (first, last))
        notes.append(f"The facts of {dataset.name} are from {covered}; {on} lies outside, so time says little here.")
    role = number + turned * len(dataset.relations)
    if is_unseen(trained, given):
        found = answers_for_unseen(trained, given, role, time, top=top)
        notes.append(
            f"{trained.folder} has never seen {given!r}: these are the usual answers, counted near the time and for "
            f"names that are alike. If it has facts, add them: asof add {trained.folder} FACTS"
        )
    else:
        found = answers(trained, trained.entities.number(given), role, time, top=top)
    behind = freshness(trained.about, dataset, trained.added, trained.entities, trained.relations)
    if str(behind):
        notes.append(str(behind))
    wanted: Literal["subject", "object"] = "subject" if turned else "object"
    seen = None if is_unseen(trained, given) else trained.entities.number(given)
    rows = [
        PredictionRow(
            what=wanted,
            **labelled(
                trained.entities,
                trained.relations,
                subject=one.entity if turned else seen,
                relation=number,
                object=seen if turned else one.entity,
                given=given,
            ),
            probability=round(one.probability, 4),
            known=[spell_text(spell, dataset.granularity) for spell in one.known],
        )
        for one in found
    ]
    if any(one.known for one in found) and not all(one.known for one in found):
        notes.append(
            f"The base knows {wanted}s for this; the other probabilities are for a further one, if one exists."
        )
    return rows, notes


def is_unseen(trained: TrainedModel, name: str) -> bool:
    """Tell whether a name is new to a model, and no misspelling of one that it knows."""
    return not trained.entities.knows(name) and trained.entities.typo_of(name) is None


def interval_rows(
    trained: TrainedModel, subject: int, relation: int, object: int, found: WhenAnswer
) -> list[PredictionRow]:
    """Return predicted intervals with the share of the fact's time that is expected within, the likeliest first."""
    granularity = trained.dataset.granularity
    known = known_spells(trained, subject, relation, object)
    fact = labelled(trained.entities, trained.relations, subject=subject, relation=relation, object=object, given=None)
    curve = [
        TimeProbability(time=written(int(time), granularity), probability=round(float(chance), 6))
        for time, chance in zip(found.times, found.curve, strict=True)
    ]
    return [
        PredictionRow(
            what="interval",
            **fact,
            start=written(first, granularity) or None,
            end=written(last, granularity) or None,
            probability=round(share, 4),
            known=known,
            curve=None if index else curve,
        )
        for index, (first, last, share) in enumerate(found.intervals)
    ]


def proposal_row(trained: TrainedModel, proposal: ProposedFact, why: ReasonWriter) -> Row:
    """Return a fact that the model proposes for review, with the reasons in words."""
    granularity, entities, relations = trained.dataset.granularity, trained.entities, trained.relations
    return {
        "subject": entities.labels[proposal.subject],
        "relation": relations.labels[proposal.relation],
        "object": entities.labels[proposal.object],
        "start": written(proposal.start, granularity),
        "end": written(proposal.end, granularity),
        "proposed": proposal.what,
        "probability": proposal.probability,
        "reason": why.why(proposal),
        "subject_id": entities.ids[proposal.subject],
        "relation_id": relations.ids[proposal.relation],
        "object_id": entities.ids[proposal.object],
    }


def known_spells(trained: TrainedModel, subject: int, relation: int, object: int) -> list[str]:
    """Return when the dataset says that a fact held."""
    known = known_intervals(trained.dataset, subject, relation, ALWAYS).get(object, [])
    return [spell_text(spell, trained.dataset.granularity) for spell in known]


def spell_text(spell: tuple[int, int], granularity: Granularity) -> str:
    """Write first and last year (or day) as people read them."""
    first, last = (written(end, granularity) for end in spell)
    return first if first == last and first else f"{first or '?'} to {last or '?'}"
