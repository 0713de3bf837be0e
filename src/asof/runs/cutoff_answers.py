"""What a model answered to each fact of a run, whatever the probe: the text it gave, or the best of its candidates.

A fact is asked with the same sentence in every period, so there is one answer to it, not one for each period. Where
sentences say the date, the one for the last period counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from asof.errors import UserError
from asof.probes import LEFT_OUT, Row
from asof.runs.cutoff_contrast import Candidates, in_contrast
from asof.runs.cutoff_history import FactHistories, FactHistory
from asof.runs.folder import Run

Contrast = Literal["others", "none"]
CONTRASTS: tuple[Contrast, ...] = ("others", "none")
Reading = Literal["exposed", "answered"]
READINGS: tuple[Reading, ...] = ("exposed", "answered")
FORMER_READINGS: dict[str, Reading] = {"heard": "exposed", "given": "answered"}  # what they were called before 0.2
_HEARD = 3.0  # so many standard deviations above what names are worth for wrong subjects: about one in a thousand


@dataclass(frozen=True)
class ModelAnswer:
    """A fact and the answer of a model.

    Args:
        text: The answer: what was written, or the best candidate.
        likeliest: The same before any contrast: what ``asof score`` counts.
        preferred: Which of the answers that the fact had at some time it prefers, None when that is not known.
        candidates: What was compared and what each was worth; nothing for what was written.
    """

    fact: FactHistory
    text: str
    likeliest: str
    preferred: int | None
    candidates: Candidates | None = None


def reading_of(run: Run, reading: str | None) -> Reading:
    """Return the reading that was asked for, also by its former name, if the run allows it, or the usual one."""
    compared = run.settings["probe"] == "pseudo-likelihood"
    wanted = FORMER_READINGS.get(reading or "", reading)
    if wanted is not None and wanted not in READINGS:
        raise UserError(f"{wanted!r} is not a reading of a cutoff. Write one of: {', '.join(READINGS)}.")
    if wanted == "exposed" and not compared:
        raise UserError(
            f"{run.folder} was asked with {run.settings['probe']}: which answers a model was exposed to is seen "
            "only beside answers of other subjects. Use --probe pseudo-likelihood, or --reading answered."
        )
    return wanted or ("exposed" if compared else "answered")


def read_answers(
    run: Run, histories: FactHistories, *, reading: Reading, contrast: Contrast = "others"
) -> list[ModelAnswer]:
    """Read the answers of a run; facts of which an answer could not be asked are left out.

    They would look outdated when only an older answer is short enough to be asked.

    Args:
        reading: Prefer the answer that the model gives, or the newest that it was exposed to: that is clearly likelier
            for the subject than for others. A model gives an old answer as long as it has read it more often.
        contrast: Take from each candidate what it is worth on average for other subjects of the relation.
    """
    rows = run.rows()
    asked = [fact for fact in histories.facts if all(_there(rows, id) for id in fact.items if id is not None)]
    if run.settings["probe"] in ("fill-one", "fill-many"):
        return [_written(fact, _last(fact, rows)) for fact in asked]
    if run.settings["probe"] == "answer-likelihood":
        found = {fact.group: _of_answers(fact, rows) for fact in asked}
        return [_chosen(fact, found[fact.group], "answered", found[fact.group], found[fact.group]) for fact in asked]
    if run.settings["probe"] != "pseudo-likelihood":
        raise UserError(
            f"{run.folder} was asked with {run.settings['probe']}, from which a cutoff cannot be estimated."
        )
    per_token = bool(run.settings.get("per_token"))
    raw = {fact.group: _of_candidates(_last(fact, rows), per_token) for fact in asked}
    own = {fact.group: fact.names for fact in asked}
    fair: dict[str, Candidates] = {}
    for relation in {fact.relation for fact in asked}:
        fair |= in_contrast({fact.group: raw[fact.group] for fact in asked if fact.relation == relation}, own)
    given = fair if contrast == "others" else raw
    return [_chosen(fact, given[fact.group], reading, fair[fact.group], raw[fact.group]) for fact in asked]


def _there(rows: Mapping[str, Row], id: str) -> bool:
    return id in rows and LEFT_OUT not in rows[id]


def _last(fact: FactHistory, rows: Mapping[str, Row]) -> Row:
    return rows[str(fact.items[fact.asked[-1]])]


def _written(fact: FactHistory, row: Row) -> ModelAnswer:
    text = str(row["text"] if "text" in row else row["best"][0])
    return ModelAnswer(fact, text, text, fact.answer(text))


def _of_candidates(row: Row, per_token: bool) -> Candidates:
    counts = np.asarray(row["tokens"], float) if per_token else 1.0
    return Candidates(tuple(row["candidates"]), np.asarray(row["logprobs"], float) / counts)


def _of_answers(fact: FactHistory, rows: Mapping[str, Row]) -> Candidates:
    """Compare the first answers of all periods, each with its own probability."""
    worth: dict[str, float] = {}
    for index in fact.asked:
        worth.setdefault(str(fact.firsts[index]), float(rows[str(fact.items[index])]["logprob"]))
    return Candidates(tuple(worth), np.array(list(worth.values())))


def _chosen(fact: FactHistory, given: Candidates, reading: Reading, fair: Candidates, raw: Candidates) -> ModelAnswer:
    best, likeliest = (some.names[int(some.worth.argmax())] for some in (given, raw))
    worth = fair.worth if reading == "exposed" else given.worth
    own = [(fact.answer(name), float(value)) for name, value in zip(given.names, worth, strict=True)]
    known = {answer: value for answer, value in own if answer is not None}
    if set(known) != set(range(len(fact.names))):
        return ModelAnswer(fact, best, likeliest, None, given)
    if reading == "exposed":
        heard = max((one for one in known if known[one] >= _HEARD), default=None)
        return ModelAnswer(fact, best, likeliest, heard, given)
    return ModelAnswer(fact, best, likeliest, max(known, key=known.__getitem__), given)
