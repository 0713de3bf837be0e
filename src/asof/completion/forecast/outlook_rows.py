"""What comes next, as rows for people: each is a statement, and its probability is that it is true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from asof.completion.dataset import Dataset
from asof.completion.forecast.candidates import ANOTHER, NOT_KNOWN
from asof.completion.forecast.foresight import Foresight, Outlook
from asof.completion.forecast.successors import Backtest
from asof.completion.forecast.waiting import WaitingCurve
from asof.completion.trained.names import Names
from asof.completion.trained.prediction import asked_time, written
from asof.errors import UserError
from asof.timeline import Time

Row = dict[str, Any]
OTHERS = {NOT_KNOWN: "(new to the base)", ANOTHER: "(another in the base)"}
_NOT = {"ends": "does not end", "next begins": "none begins"}
_WINDOWS = (0.5, 0.8)  # shares of the chance that times of "ends" and "begins" hold
COLUMNS = ("what", "who", "first", "last", "probability")


@dataclass(frozen=True)
class ForecastFacts:
    """Facts with names for their numbers: of a trained model, or read from a base."""

    dataset: Dataset
    entities: Names
    relations: Names


def outlook_rows(
    facts: ForecastFacts, *, subject: str | None, relation: str, object: str | None, after: Time, top: int
) -> tuple[list[Row], list[str]]:
    """Return what comes after a day, for the objects of a subject or the subjects of an object, and notes.

    With both, return when the fact that holds on the day ends.
    """
    dataset = facts.dataset
    day = asked_time(after, dataset.granularity)[1]
    foresight = Foresight.on(dataset, day)
    role = facts.relations.number(relation) + (len(dataset.relations) if subject is None else 0)
    entity = facts.entities.number((object if subject is None else subject) or "")
    outlook = foresight.outlook(entity, role)
    notes = list(_told_of_the_day(outlook, day, dataset, after))
    if subject is not None and object is not None:
        return _end_rows(facts, outlook, facts.entities.number(object), object, relation), notes
    rows, learnt = list(_statements(facts, outlook)), foresight.successors(role)
    label = facts.relations.labels[role % len(dataset.relations)]
    if not learnt.learnt_from:
        until = written(outlook.day, dataset.granularity)
        notes.append(f"Until {until} nothing followed anything as {label}, so nothing is known of who follows.")
        return rows, notes
    rows += _followers(facts, outlook, top)
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


def _end_rows(facts: ForecastFacts, outlook: Outlook, wanted: int, object: str, relation: str) -> list[Row]:
    there = [one for one in outlook.present if one.answer == wanted]
    if not there:
        raise UserError(
            f"{facts.dataset.name} does not know that {relation} {object} held on "
            f"{written(outlook.day, facts.dataset.granularity)}. Omit --object to see what did."
        )
    return [row for one in there for row in _times(facts, "ends", wanted, one.ends)]


def _statements(facts: ForecastFacts, outlook: Outlook) -> Iterator[Row]:
    for one in outlook.present:
        yield from _times(facts, "ends", one.answer, one.ends)
    yield from _times(facts, "next begins", None, outlook.next_begins)


def _times(facts: ForecastFacts, what: str, who: int | None, curve: WaitingCurve | None) -> Iterator[Row]:
    if curve is None:
        return
    for window in {curve.window(share): None for share in _WINDOWS}:  # the same once
        first, last = (written(time, facts.dataset.granularity) for time in (window.first, window.last))
        yield _row(facts, what if window.comes else _NOT[what], who, first, last, window.chance)


def _followers(facts: ForecastFacts, outlook: Outlook, top: int) -> Iterator[Row]:
    found = outlook.follows
    for one, chance in list(zip(found.candidates.tolist(), found.chances.tolist(), strict=True))[:top]:
        yield _row(facts, "next is", one, "", "", chance)


def _row(facts: ForecastFacts, what: str, who: int | None, first: str, last: str, probability: float) -> Row:
    known = who is not None and who >= 0
    return {
        "what": what,
        "who": facts.entities.labels[who] if known else "" if who is None else OTHERS[who],  # type: ignore[index]
        "first": first,
        "last": last,
        "probability": round(probability, 4),
        "who_id": facts.entities.ids[who] if known else "",  # type: ignore[index]
    }
