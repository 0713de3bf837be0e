"""What comes next, as rows for people: each is a statement, and its probability is that it is true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from asof.completion.dataset import Dataset
from asof.completion.forecast.candidates import ANOTHER, NOT_KNOWN
from asof.completion.forecast.foresight import Foresight, Outlook
from asof.completion.forecast.successors import Backtest
from asof.completion.forecast.waiting import WaitingCurve
from asof.completion.prediction_row import PredictedPart, PredictionRow
from asof.completion.trained.names import Names, labelled
from asof.completion.trained.prediction import asked_time, written
from asof.errors import UserError
from asof.timeline import Time

OTHERS = {NOT_KNOWN: "(new to the base)", ANOTHER: "(another in the base)"}
_NOT: dict[PredictedPart, PredictedPart] = {"ends": "does not end", "next begins": "none begins"}
_WINDOWS = (0.5, 0.8)  # shares of the chance that times of "ends" and "begins" hold


@dataclass(frozen=True)
class ForecastFacts:
    """Facts with names for their numbers: of a trained model, or read from a base."""

    dataset: Dataset
    entities: Names
    relations: Names


def outlook_rows(
    facts: ForecastFacts, *, subject: str | None, relation: str, object: str | None, after: Time, top: int
) -> tuple[list[PredictionRow], list[str]]:
    """Return what comes after a day, for the objects of a subject or the subjects of an object, and notes.

    With both, return when the fact that holds on the day ends.
    """
    dataset = facts.dataset
    day = asked_time(after, dataset.granularity)[1]
    foresight = Foresight.on(dataset, day)
    role = facts.relations.number(relation) + (len(dataset.relations) if subject is None else 0)
    entity = facts.entities.number((object if subject is None else subject) or "")
    outlook = foresight.outlook(entity, role)
    about = _Statements(facts, entity, role)
    notes = list(_told_of_the_day(outlook, day, dataset, after))
    if subject is not None and object is not None:
        return _end_rows(about, outlook, facts.entities.number(object), object, relation), notes
    rows, learnt = list(_statements(about, outlook)), foresight.successors(role)
    label = facts.relations.labels[role % len(dataset.relations)]
    if not learnt.learnt_from:
        until = written(outlook.day, dataset.granularity)
        notes.append(f"Until {until} nothing followed anything as {label}, so nothing is known of who follows.")
        return rows, notes
    rows += _followers(about, outlook, top)
    if found := learnt.backtest:
        notes.append(backtest_note(found, label))
    return rows, notes


def backtest_note(backtest: Backtest, relation: str) -> str:
    """Say how right answers were about changes that were not learnt from."""
    return (
        f"Asked the same about the latest {backtest.changes:,} changes of {relation}, having learnt from earlier ones "
        f"alone: the likeliest was right in {backtest.right:.0%} (said: {backtest.sure:.0%}; calibration error "
        f"{backtest.expected_calibration_error:.3f}); repeating the last one: {backtest.repeats:.0%}."
    )


def _told_of_the_day(outlook: Outlook, day: int, dataset: Dataset, after: Time) -> Iterator[str]:
    if day > outlook.day:
        yield (
            f"The facts of {dataset.name} begin until {written(outlook.day, dataset.granularity)}, so it is asked as "
            f"of then, not of {after}."
        )
    else:
        yield f"Nothing after {written(day, dataset.granularity)} was looked at."


@dataclass(frozen=True)
class _Statements:
    """Writes statements about one entity in one role."""

    facts: ForecastFacts
    entity: int
    role: int

    def times(self, what: PredictedPart, who: int | None, curve: WaitingCurve | None) -> Iterator[PredictionRow]:
        """Say in which times something comes, or that it does not."""
        if curve is None:
            return
        for window in {curve.window(share): None for share in _WINDOWS}:  # the same once
            first, last = (written(time, self.facts.dataset.granularity) for time in (window.first, window.last))
            yield self.row(what if window.comes else _NOT[what], who, window.chance, first, last)

    def row(
        self, what: PredictedPart, who: int | None, chance: float, first: str = "", last: str = ""
    ) -> PredictionRow:
        """Say one thing; who is at the other end, where it is about somebody."""
        relations = len(self.facts.dataset.relations)
        other = who if who is not None and who >= 0 else None
        turned = self.role >= relations
        fact = labelled(
            self.facts.entities,
            self.facts.relations,
            subject=other if turned else self.entity,
            relation=self.role % relations,
            object=self.entity if turned else other,
            given=None if who is None else OTHERS.get(who),
        )
        return PredictionRow(what=what, **fact, first=first or None, last=last or None, probability=round(chance, 4))


def _end_rows(about: _Statements, outlook: Outlook, wanted: int, object: str, relation: str) -> list[PredictionRow]:
    dataset = about.facts.dataset
    there = [one for one in outlook.present if one.answer == wanted]
    if not there:
        raise UserError(
            f"{dataset.name} does not know that {relation} {object} held on "
            f"{written(outlook.day, dataset.granularity)}. Omit --object to see what did."
        )
    return [row for one in there for row in about.times("ends", wanted, one.ends)]


def _statements(about: _Statements, outlook: Outlook) -> Iterator[PredictionRow]:
    for one in outlook.present:
        yield from about.times("ends", one.answer, one.ends)
    yield from about.times("next begins", None, outlook.next_begins)


def _followers(about: _Statements, outlook: Outlook, top: int) -> Iterator[PredictionRow]:
    found = outlook.follows
    for one, chance in list(zip(found.candidates.tolist(), found.chances.tolist(), strict=True))[:top]:
        yield about.row("next is", one, chance)
