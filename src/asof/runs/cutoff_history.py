"""The history of each fact of a benchmark with periods, and what one answer to it is worth in each of them.

In: the items of a benchmark by period (dynamic-templama). Out: for each fact which answers were right when. Texts that
were right in the same periods are one answer: a name and its aliases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from asof.errors import UserError
from asof.timeline import Period
from asof.wording.answer_names import names_of_answers
from asof.wording.normalised import plain
from asof.wording.written_answer import readings

Verdict = Literal["correct", "outdated", "early", "wrong", "no answer"]
VERDICTS: tuple[Verdict, ...] = ("correct", "outdated", "early", "wrong", "no answer")
_NEEDS = ("relation", "period", "previous")
_FEWEST_LETTERS = 4  # of a single word that is looked for among others: shorter ones are signs of other words


@dataclass(frozen=True)
class FactHistory:
    """One fact through the periods of a benchmark.

    Args:
        items: The ids of its items by period, None where nothing was right.
        firsts: The first of their answers.
        names: One name for each answer that it had.
        holds: Rows are these answers, columns periods: whether the answer was right.
        when: For every accepted text (in plain words), when it was right.
        before: Texts that were right before the first period.
    """

    group: str
    subject: str
    relation: str
    relation_label: str
    items: tuple[str | None, ...]
    firsts: tuple[str | None, ...]
    names: tuple[str, ...]
    holds: npt.NDArray[np.bool_]
    when: Mapping[str, npt.NDArray[np.bool_]]
    before: frozenset[str]

    @cached_property
    def asked(self) -> list[int]:
        """The places of the periods in which something was right."""
        return [index for index, id in enumerate(self.items) if id is not None]

    @property
    def changes(self) -> bool:
        """Whether it had different answers in these periods."""
        return len(self.names) > 1 and not self.holds[:, self.asked].all()

    def answer(self, text: str) -> int | None:
        """Return which answer a text is, None when it is none, or one that means several of them."""
        right = self.when.get(plain(text))
        if right is None:
            return None
        same = np.flatnonzero((self.holds == right).all(1))
        return int(same[0]) if len(same) else None

    def named_in(self, text: str) -> int | None:
        """Return which answer a written text names: as a whole, among other words, or by a family name.

        A name inside a longer one that was found does not count; where that leaves two answers, neither was given.
        """
        for reading in readings(text):
            if plain(reading) in self.when:
                return self.answer(reading)
        said = f" {plain(text)} "
        inside = [name for name in self.when if _is_telling(name) and f" {name} " in said]
        whole = [name for name in inside if not any(f" {name} " in f" {other} " for other in inside if other != name)]
        named = {self.answer(name) for name in whole}
        if not inside and _is_telling(said.strip()):
            named = {self.answer(name) for name in self.when if name.endswith(said.rstrip())}
        return named.pop() if len(named) == 1 else None

    def verdict(self, text: str, index: int) -> tuple[Verdict, int | None]:
        """Judge an answer in a period; of one that is outdated also return the last period in which it was right."""
        right = self.when.get(plain(text))
        if not text.strip():
            return "no answer", None
        if right is None:
            return ("outdated", None) if plain(text) in self.before else ("wrong", None)
        if right[index]:
            return "correct", None
        earlier = np.flatnonzero(right[:index])
        return ("outdated", int(earlier[-1])) if len(earlier) else ("early", None)


@dataclass(frozen=True)
class FactHistories:
    """All facts of a benchmark, and its periods."""

    periods: tuple[Period, ...]
    facts: tuple[FactHistory, ...]


def has_periods(columns: Iterable[str]) -> bool:
    """Tell by their columns whether items are about facts by period, so that there is a cutoff to estimate."""
    return {"period", "previous"} <= set(columns)


def read_histories(table: pa.Table) -> FactHistories:
    """Put the items of a benchmark together by fact; of several wordings, those of the first."""
    wordings = histories_by_wording(table)
    return wordings[min(wordings)]


def histories_by_wording(table: pa.Table) -> dict[int, FactHistories]:
    """Return the histories with the items of each wording; where there is one wording, with those."""
    missing = [name for name in _NEEDS if name not in table.column_names]
    if missing:
        raise UserError(
            f"These items have no {' and no '.join(missing)}, so it is not known what changed. A cutoff is "
            "estimated from a run on dynamic-templama: asof build dynamic-templama"
        )
    if "wording" not in table.column_names:
        return {1: _histories(table)}
    wordings = sorted(set(table["wording"].to_pylist()))
    return {one: _histories(table.filter(pc.equal(table["wording"], one))) for one in wordings}


def _histories(table: pa.Table) -> FactHistories:
    rows = table.select([*_COLUMNS, *(name for name in _LABELS if name in table.column_names)]).to_pylist()
    found = {Period.parse(text) for text in set(table["period"].to_pylist())}
    periods = tuple(min(found).to(max(found)))
    indices = {str(period): index for index, period in enumerate(periods)}
    groups: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["group"]].append(row)
    facts = tuple(_history(group, items, indices) for group, items in groups.items())
    return FactHistories(periods, facts)


_COLUMNS = ("id", "answers", "group", *_NEEDS)
_LABELS = ("subject_label", "relation_label")


def _history(group: str, rows: Sequence[dict[str, Any]], indices: Mapping[str, int]) -> FactHistory:
    rows = sorted(rows, key=lambda row: indices[row["period"]])
    items: list[str | None] = [None] * len(indices)
    firsts: list[str | None] = [None] * len(indices)
    when: dict[str, npt.NDArray[np.bool_]] = {}
    for row in rows:
        index = indices[row["period"]]
        items[index], firsts[index] = row["id"], row["answers"][0]
        for answer in row["answers"]:
            when.setdefault(plain(answer), np.zeros(len(indices), bool))[index] = True
    names = names_of_answers([row["answers"] for row in rows])
    holds = np.stack([when[plain(name)] for name in names])
    order = sorted(range(len(names)), key=lambda index: (int(holds[index].argmax()), index))
    first = rows[0]
    before = plain(first["previous"]) if first["previous"] else ""
    return FactHistory(
        group=group,
        subject=first.get("subject_label") or group.split("|")[0],
        relation=str(first["relation"]),
        relation_label=first.get("relation_label") or str(first["relation"]),
        items=tuple(items),
        firsts=tuple(firsts),
        names=tuple(names[index] for index in order),
        holds=holds[order],
        when=when,
        before=frozenset({before} - {"", *when}),
    )


def _is_telling(name: str) -> bool:
    """Tell whether a name may be looked for among other words.

    >>> _is_telling("merkel"), _is_telling("us"), _is_telling("bo xi")
    (True, False, True)
    """
    return " " in name or len(name) >= _FEWEST_LETTERS
