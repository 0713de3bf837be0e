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

from asof.errors import UserError
from asof.timeline import Period
from asof.wording.answer_names import names_of_answers
from asof.wording.normalised import plain

Verdict = Literal["correct", "outdated", "early", "wrong"]
VERDICTS: tuple[Verdict, ...] = ("correct", "outdated", "early", "wrong")
_NEEDS = ("relation", "period", "previous")


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

    def verdict(self, text: str, index: int) -> tuple[Verdict, int | None]:
        """Judge an answer in a period; of one that is outdated also return the last period in which it was right."""
        right = self.when.get(plain(text))
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
    """Put the items of a benchmark together by fact."""
    missing = [name for name in _NEEDS if name not in table.column_names]
    if missing:
        raise UserError(
            f"These items have no {' and no '.join(missing)}, so it is not known what changed. A cutoff is "
            "estimated from a run on dynamic-templama: asof build dynamic-templama"
        )
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
