"""Likelihoods of all answers that a fact had in its blank, beside those of other subjects (pseudo-likelihood)."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from asof.probes import Row
from asof.registry import preferences
from asof.runs.cutoff_answers import ModelAnswer, Reading, ReadingSettings, with_all_rows
from asof.runs.cutoff_contrast import Candidates, in_contrast
from asof.runs.cutoff_history import FactHistory

EXPOSED = 3.0  # so many standard deviations above what names are worth for wrong subjects: about one in a thousand


@preferences.register("candidates")
class CandidatePreferences:
    """The likeliest candidate, or the newest that is clearly likelier for its subject than for others."""

    compared: ClassVar[bool] = True
    own_only: ClassVar[bool] = False

    def read(self, facts: Sequence[FactHistory], rows: Mapping[str, Row], how: ReadingSettings) -> list[ModelAnswer]:
        """Return the best candidate for the last period of each fact."""
        asked = with_all_rows(facts, rows)
        per_token = bool(how.run.get("per_token"))
        raw = {fact.group: _candidates(rows[str(fact.items[fact.asked[-1]])], per_token) for fact in asked}
        own = {fact.group: fact.names for fact in asked}
        fair: dict[str, Candidates] = {}
        for relation in {fact.relation for fact in asked}:
            fair |= in_contrast({fact.group: raw[fact.group] for fact in asked if fact.relation == relation}, own)
        given = fair if how.contrast == "others" else raw
        return [
            preferred_candidate(fact, given[fact.group], how.reading, fair[fact.group], raw[fact.group])
            for fact in asked
        ]


def _candidates(row: Row, per_token: bool) -> Candidates:
    counts = np.asarray(row["tokens"], float) if per_token else 1.0
    return Candidates(tuple(row["candidates"]), np.asarray(row["logprobs"], float) / counts)


def preferred_candidate(
    fact: FactHistory, given: Candidates, reading: Reading, fair: Candidates, raw: Candidates
) -> ModelAnswer:
    """Choose among candidates: by what each is worth, or the newest that the model was exposed to."""
    best, likeliest = (some.names[int(some.worth.argmax())] for some in (given, raw))
    worth = fair.worth if reading == "exposed" else given.worth
    own = [(fact.answer(name), float(value)) for name, value in zip(given.names, worth, strict=True)]
    known = {answer: value for answer, value in own if answer is not None}
    preferred: int | None = None
    if set(known) == set(range(len(fact.names))):
        if reading == "exposed":
            preferred = max((one for one in known if known[one] >= EXPOSED), default=None)
        else:
            preferred = max(known, key=known.__getitem__)
    return ModelAnswer.single(fact, best, preferred, likeliest=likeliest, candidates=given)
