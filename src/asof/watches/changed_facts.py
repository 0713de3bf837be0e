"""Which facts a release gets wrong that the one before had right, and the other way round, with their dates.

Of a fact that is asked about in several periods, the last one counts that both releases were asked about.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf, isfinite, isnan
from typing import Any, Literal

from asof.runs.measured import MeasureColumns
from asof.timeline import Period
from asof.watches.outcomes import Outcome, ReleaseStep

Turn = Literal["newly wrong", "newly right"]
_ANSWERS_SHOWN = 3


@dataclass(frozen=True)
class TurnedFact:
    """A fact that one of two releases in a row gets right.

    Args:
        asked: The prompt of the item that counts.
        when: The period or the dates of the fact, as the item has them.
        before: What the release before answered, and this one, where they answer in words.
    """

    model: str
    release: str
    benchmark: str
    turn: Turn
    subject: str
    relation: str
    asked: str
    answers: str
    when: str
    before: str
    after: str

    def as_row(self) -> dict[str, str]:
        """Return it as a row of a table."""
        return asdict(self)


def judging_measure(units: MeasureColumns) -> str | None:
    """Return the measure that says of an item or a fact whether it is right: the first that can be at its best."""
    for name in units.values:
        if units.better(name) != "neither" and isfinite(_best(units, name)):
            return name
    return None


def changed_facts(step: ReleaseStep) -> list[TurnedFact]:
    """Return the facts that turned, those that turned wrong first."""
    before, after = _right(step.before), _right(step.after)
    old, new = _rows(step.before), _rows(step.after)
    found = []
    for ids in _by_fact(step.after).values():
        counting = _of_last_period([id for id in ids if id in before and id in after], new)
        was, now = (all(some[id] for id in counting) for some in (before, after))
        if was != now:
            id = next(one for one in counting if before[one] != after[one])
            found.append(_fact(step, "newly right" if now else "newly wrong", old[id], new[id]))
    return sorted(found, key=lambda one: (one.turn == "newly right", one.relation, one.subject))


def by_relation(facts: Sequence[TurnedFact]) -> list[tuple[str, int, int]]:
    """Count facts that turned wrong and right by relation, those with the most first."""
    names = dict.fromkeys(one.relation for one in facts)
    counts = Counter((one.relation, one.turn) for one in facts)
    rows = [(name, counts[name, "newly wrong"], counts[name, "newly right"]) for name in names]
    return sorted(rows, key=lambda row: (-row[1] - row[2], row[0]))


def _best(units: MeasureColumns, name: str) -> float:
    lowest, highest = units.ranges.get(name, (-inf, inf))
    return lowest if units.better(name) == "lower" else highest


def _right(outcome: Outcome) -> dict[str, bool]:
    """Tell by the id of each item, or fact, whether it is right."""
    units = outcome.scores.units
    name = judging_measure(units)
    if name is None:
        return {}
    best = _best(units, name)
    return {id: value == best for id, value in zip(units.ids, units.values[name], strict=True) if not isnan(value)}


def _by_fact(outcome: Outcome) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for id, fact in zip(outcome.scores.units.ids, outcome.scores.units.facts, strict=True):
        found[fact].append(id)
    return found


def _rows(outcome: Outcome) -> dict[str, dict[str, Any]]:
    """Return the row of each item by its id, and the first of each fact by the id of the fact."""
    rows = outcome.scores.table.to_pylist()
    return {row["group"]: row for row in reversed(rows)} | {row["id"]: row for row in rows}


def _of_last_period(ids: Sequence[str], rows: Mapping[str, dict[str, Any]]) -> list[str]:
    """Return those of the last period, or all where items have no periods."""
    periods = {id: Period.parse(period).first for id in ids if (period := rows[id].get("period"))}
    return [id for id in ids if not periods or periods.get(id) == max(periods.values())]


def _fact(step: ReleaseStep, turn: Turn, old: Mapping[str, Any], new: Mapping[str, Any]) -> TurnedFact:
    record = step.after.kept.record
    scored = step.after.kept.run.probe.scored
    return TurnedFact(
        model=record.model,
        release=step.after.release,
        benchmark=record.benchmark,
        turn=turn,
        subject=str(new.get("subject_label") or new.get("subject") or new["group"]),
        relation=str(new.get("relation_label") or new.get("relation") or ""),
        asked=str(new["prompt"]),
        answers=", ".join(new["answers"][:_ANSWERS_SHOWN]),
        when=_when(new),
        before=_given(old, scored),
        after=_given(new, scored),
    )


def _when(row: Mapping[str, Any]) -> str:
    """Say when the fact that is asked about is, or was, so.

    >>> _when({"period": "2024-Q1", "since": "2021-Q4"}), _when({"start": "1893", "end": "1914"}), _when({})
    ('2024-Q1 (so since 2021-Q4)', '1893 to 1914', '')
    """
    if period := row.get("period"):
        return f"{period} (so since {row['since']})" if row.get("since") else str(period)
    if row.get("start") or row.get("end"):
        return f"{row.get('start') or '?'} to {row.get('end') or '?'}"
    return str(row.get("date") or row.get("time") or "")


def _given(row: Mapping[str, Any], scored: str) -> str:
    """Return what the model answered, where it did so in words."""
    if isinstance(row.get(scored), str):
        return str(row[scored])
    best = row.get("best")
    return str(best[0]) if isinstance(best, list) and best else best if isinstance(best, str) else ""
