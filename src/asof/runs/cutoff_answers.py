"""What a model answered to each fact of a run, whatever the probe: the text it gave, the best candidate, its choices.

A fact is asked with the same sentence in every period, so there is one answer to it, not one for each period. Where
sentences say the date, the one for the last period counts. How the rows of a probe are read is a part of
``asof.runs.preferences``, which the probe names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Protocol

from asof.errors import UserError
from asof.probes import LEFT_OUT, Probe, Row
from asof.registry import preferences
from asof.runs.cutoff_contrast import Candidates
from asof.runs.cutoff_history import FactHistories, FactHistory
from asof.runs.folder import Run

Contrast = Literal["others", "none"]
CONTRASTS: tuple[Contrast, ...] = ("others", "none")
Reading = Literal["exposed", "answered"]
READINGS: tuple[Reading, ...] = ("exposed", "answered")
FORMER_READINGS: dict[str, Reading] = {"heard": "exposed", "given": "answered"}  # what they were called before 0.2


@dataclass(frozen=True)
class AnswerChoice:
    """One of a fact's answers, taken from all of them or from some that were offered.

    Args:
        given: The answer that was taken.
        offered: What it was taken from; None: any answer could have been given.
        weight: How much it counts: less than 1 where a fact was asked several times, or the choice was not always so.
        period: The index of the period that the question named; None when it named none.
    """

    given: int
    offered: tuple[int, ...] | None = None
    weight: float = 1.0
    period: int | None = None


@dataclass(frozen=True)
class ModelAnswer:
    """A fact and the answer of a model.

    Args:
        text: The answer: what was written, or the best candidate; "" when the model gave none.
        likeliest: The same before any contrast: what ``asof score`` counts.
        preferred: Which of the answers that the fact had at some time it prefers, None when that is not known.
        candidates: What was compared and what each was worth; nothing for what was written.
        choices: What the estimate is made from.
        wording: The number of the wording that was asked with.
        wordings: In how many wordings the fact was asked; its choices count together as one.
    """

    fact: FactHistory
    text: str
    likeliest: str
    preferred: int | None
    candidates: Candidates | None = None
    choices: tuple[AnswerChoice, ...] = ()
    wording: int = 1
    wordings: int = 1

    @classmethod
    def single(
        cls,
        fact: FactHistory,
        text: str,
        preferred: int | None,
        *,
        likeliest: str | None = None,
        candidates: Candidates | None = None,
        period: int | None = None,
    ) -> ModelAnswer:
        """Make the answer of a model that was asked for one, and could have given any."""
        choices = () if preferred is None else (AnswerChoice(preferred, period=period),)
        return cls(fact, text, text if likeliest is None else likeliest, preferred, candidates, choices)


@dataclass(frozen=True)
class ReadingSettings:
    """How rows are to be read: which answer counts, what is subtracted, and the settings of the run."""

    reading: Reading
    contrast: Contrast
    run: Mapping[str, Any]


class Preferences(Protocol):
    """Reads which answers a model gives or prefers from the rows of a probe."""

    compared: ClassVar[bool]  # whether answers are compared with those of other subjects, so that exposure is seen
    own_only: ClassVar[bool]  # whether the model could take no answer but those that the fact itself had

    def read(self, facts: Sequence[FactHistory], rows: Mapping[str, Row], how: ReadingSettings) -> list[ModelAnswer]:
        """Return the answer to each fact that could be asked."""


def preferences_of(probe: Probe, folder: object) -> Preferences:
    """Return what reads the rows of a probe, as it declares."""
    name = getattr(probe, "preference", None)
    if name is None:
        raise UserError(
            f"{folder} was asked with {probe.name}, from which a cutoff cannot be estimated: it does not say which "
            "answer a model prefers. Use another probe, such as --probe pseudo-likelihood or write-answer."
        )
    made: Preferences = preferences.get(name)()
    return made


def reading_of(run: Run, reading: str | None) -> Reading:
    """Return the reading that was asked for, also by its former name, if the run allows it, or the usual one."""
    compared = preferences_of(run.probe, run.folder).compared
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
    run: Run, wordings: Mapping[int, FactHistories], *, reading: Reading, contrast: Contrast = "others"
) -> list[ModelAnswer]:
    """Read the answers of a run, wording by wording.

    Args:
        wordings: The histories of the facts with the items of each wording.
        reading: Prefer the answer that the model gives, or the newest that it was exposed to: that is clearly likelier
            for the subject than for others. A model gives an old answer as long as it has read it more often.
        contrast: Take from each candidate what it is worth on average for other subjects of the relation.
    """
    read, rows = preferences_of(run.probe, run.folder).read, run.rows()
    how = ReadingSettings(reading, contrast, run.settings)
    found = [replace(one, wording=wording) for wording, part in wordings.items() for one in read(part.facts, rows, how)]
    asked: dict[str, int] = {}
    for one in found:
        asked[one.fact.group] = asked.get(one.fact.group, 0) + 1
    return [_lighter(one, asked[one.fact.group]) for one in found]


def with_all_rows(facts: Sequence[FactHistory], rows: Mapping[str, Row]) -> list[FactHistory]:
    """Return the facts of which every answer could be asked.

    The others would look outdated when only an older answer is short enough to be asked.
    """
    return [fact for fact in facts if all(_there(rows, id) for id in fact.items if id is not None)]


def last_rows(facts: Sequence[FactHistory], rows: Mapping[str, Row]) -> list[tuple[FactHistory, int, Row]]:
    """Return the facts that have a row for a period, the last such period, and its row."""
    found = []
    for fact in facts:
        there = [index for index in fact.asked if _there(rows, str(fact.items[index]))]
        if there:
            found.append((fact, there[-1], rows[str(fact.items[there[-1]])]))
    return found


def _there(rows: Mapping[str, Row], id: str) -> bool:
    return id in rows and LEFT_OUT not in rows[id]


def _lighter(answer: ModelAnswer, times: int) -> ModelAnswer:
    """Let the answers to several wordings of a fact count together as one answer."""
    if times == 1:
        return answer
    lighter = tuple(replace(one, weight=one.weight / times) for one in answer.choices)
    return replace(answer, choices=lighter, wordings=times)
