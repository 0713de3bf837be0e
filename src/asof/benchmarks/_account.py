"""What became of the facts that are in no item: how many, for which reason, one of them, and what to do about it.

Every benchmark gives its account in this form, however it chooses: by steps that an engine runs (``left_out_by``), by
whole histories (``pairs_left_out``), or by rows that it has at hand (``facts_left_out``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import ibis.expr.types as ir
import pyarrow as pa

from asof.facts import FACTS, FactStore, FactTable
from asof.facts.definitions.tables import Tables, in_order
from asof.facts.engines import Engine
from asof.facts.recipes import count_facts
from asof.facts.schema import SORT_KEYS

NEEDS_DATE = "Give them a start or an end in the source of the base, and mine it again."


@dataclass(frozen=True)
class Omission:
    """The facts that one rule leaves out: how many, one of them in words, and what a person can do about it."""

    count: int
    example: str
    advice: str


@dataclass(frozen=True)
class Account:
    """What became of facts that are in no item, by reason, and what else a person should know.

    >>> print(Account({"without an end": Omission(1200, "Italy, capital: Rome, 1871 to ongoing", "See docs.")}, ("!",)))
    Skipped 1,200 facts without an end, for example: Italy, capital: Rome, 1871 to ongoing
      See docs.
    !
    """

    left_out: Mapping[str, Omission] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def read(cls, left_out: Mapping[str, Any], notes: Iterable[str]) -> Account:
        """Read what a description says; those of version 0.2 and before have numbers alone."""
        found = {
            reason: Omission(**told) if isinstance(told, dict) else Omission(told, "", "")
            for reason, told in left_out.items()
        }
        return cls(found, tuple(notes))

    def as_row(self) -> dict[str, dict[str, Any]]:
        """Return the reasons for a file."""
        return {reason: asdict(told) for reason, told in self.left_out.items()}

    def __str__(self) -> str:
        lines = []
        for reason, told in self.left_out.items():
            example = f", for example: {told.example}" if told.example else ""
            lines.append(f"Skipped {told.count:,} {'fact' if told.count == 1 else 'facts'} {reason}{example}")
            lines += [f"  {told.advice}"] if told.advice else []
        return "\n".join([*lines, *self.notes])


@dataclass(frozen=True)
class Step:
    """One choice among facts: which it drops and what a person can do about it, in words, and the facts that stay."""

    drops: str
    advice: str
    facts: ir.Table


def left_out_by(steps: Sequence[Step], store: FactStore, engine: Engine) -> dict[str, Omission]:
    """Count what each of several steps leaves of what the one before has left, with an example of what it does not."""
    selections = [Tables().facts, *(step.facts for step in steps)]
    counts = count_facts(selections, store, engine)
    found = {}
    for number, step in enumerate(steps):
        if lost := counts[number] - counts[number + 1]:
            example = _first_that_is_gone(selections[number], selections[number + 1], store, engine)
            found[step.drops] = Omission(lost, example, step.advice)
    return found


def _first_that_is_gone(before: ir.Table, after: ir.Table, store: FactStore, engine: Engine) -> str:
    gone = before.select(*FACTS.names).difference(after.select(*FACTS.names))
    first = gone.order_by(in_order(*FACTS.names)).limit(1)  # a total order: builds are the same to the byte
    return example_of(engine.table(first, store), store)


def pairs_left_out(pairs: pa.Table, advice: Mapping[str, str], store: FactStore) -> dict[str, Omission]:
    """Count the facts of subjects and relations that are left out as a whole.

    Args:
        pairs: The columns subject, relation and reason.
        advice: For each reason, in the order in which reasons are told.
    """
    if not pairs.num_rows:
        return {}
    query = f"""
        SELECT facts.* EXCLUDE (earliest_start, latest_start, earliest_end, latest_end), reason,
            count(*) OVER (PARTITION BY reason) AS lost
        FROM facts JOIN pairs USING (subject, relation)
        QUALIFY row_number() OVER (PARTITION BY reason ORDER BY {SORT_KEYS["facts"]}) = 1
    """
    found = store.sql(query, tables={"pairs": pairs})
    rows = {
        row["reason"]: (index, row["lost"]) for index, row in enumerate(found.select(["reason", "lost"]).to_pylist())
    }
    return {
        reason: Omission(rows[reason][1], example_of(found.slice(rows[reason][0]), store), advice[reason])
        for reason in advice
        if reason in rows
    }


def facts_left_out(facts: pa.Table, advice: str, store: FactStore) -> Omission:
    """Count facts, with the first as example."""
    return Omission(facts.num_rows, example_of(facts, store), advice)


def example_of(facts: pa.Table, store: FactStore) -> str:
    """Say the first of some facts in the names of the base; nothing where there is none."""
    first = facts.slice(0, 1)
    if not first.num_rows:
        return ""
    for name, default in (("rank", "normal"), ("source", ""), ("statement", None)):
        if name not in first.column_names:
            first = first.append_column(name, pa.array([default], pa.string()))
    return next(
        iter(FactTable(store.with_labels(first, subject="entity", relation="relation", object="entity")))
    ).in_names
