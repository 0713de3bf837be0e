"""The tables of a base as expressions, and the selection of facts that hold at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import ibis
import ibis.expr.types as ir
import pyarrow as pa

from asof.facts.schema import ENTITIES, FACTS
from asof.timeline import Span

BOUNDS = ("earliest_start", "latest_start", "earliest_end", "latest_end")  # as ``facts.store.bounds_sql`` gives them


@dataclass(frozen=True)
class Tables:
    """The tables of one base; a prefix tells the bases of one expression apart (``old_facts``, ``new_facts``)."""

    prefix: str = ""

    @cached_property
    def facts(self) -> ir.Table:
        """The facts, with the four day numbers between which they start and end."""
        return self._table("facts", FACTS, dict.fromkeys(BOUNDS, "int64"))

    @cached_property
    def entities(self) -> ir.Table:
        """The entities."""
        return self._table("entities", ENTITIES, {})

    def _table(self, name: str, schema: pa.Schema, more: dict[str, str]) -> ir.Table:
        columns = {field.name: _ibis_type(field.type) for field in schema}
        return ibis.table(columns | more, name=f"{self.prefix}{name}")


def holding(facts: ir.Table, span: Span, *, surely: bool = False, throughout: bool = False) -> ir.Table:
    """Select the facts that hold at any time in a span.

    Args:
        surely: Only those that surely do, however imprecise their ends are.
        throughout: Only those that surely hold on every day of it.
    """
    if throughout:
        return facts.filter(facts.latest_start <= span.first, facts.earliest_end >= span.last)
    if surely:
        return facts.filter(facts.latest_start <= span.last, facts.earliest_end >= span.first)
    return facts.filter(facts.earliest_start <= span.last, facts.latest_end >= span.first)


def facts_in_order(facts: ir.Table) -> ir.Table:
    """Return the columns of a base's facts in a total order: subject, relation, start, end, object, then the rest."""
    first = ("subject", "relation", "earliest_start", "latest_end", "object")
    ordered = facts.order_by(in_order(*first, *(name for name in FACTS.names if name not in first)))
    return ordered.select(*FACTS.names)


def in_order(*columns: str) -> list[ir.Deferred]:
    """Return ascending sort keys that put what is missing last, which engines do not agree on by themselves."""
    return [ibis.asc(column, nulls_first=False) for column in columns]


def rank_in(value: ir.StringValue, words: Sequence[str]) -> ir.IntegerValue:
    """Return the place of a word in a list of words, to sort by."""
    return ibis.cases(*((value == word, number) for number, word in enumerate(words)), else_=len(words))


def _ibis_type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"array<{_ibis_type(kind.value_type)}>"
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return {pa.string(): "string", pa.int32(): "int32", pa.float64(): "float64", pa.bool_(): "boolean"}[kind]
