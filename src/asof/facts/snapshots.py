"""The world in a period, and what changed from one period to another: the definitions, asked of a base.

See ``facts.definitions.periods`` for what a snapshot and a difference are.
"""

from collections.abc import Mapping

import ibis.expr.types as ir
import pyarrow as pa

from asof.errors import UserError
from asof.facts import definitions
from asof.facts.definitions.periods import STATUSES
from asof.facts.definitions.tables import Tables, in_order
from asof.facts.engines import Engine, open_engine
from asof.facts.store import FactStore, When, as_span
from asof.timeline import Period

__all__ = ["STATUSES", "changes_by_period", "difference", "snapshot"]


def snapshot(
    store: FactStore,
    period: When,
    *,
    relation: str | None = None,
    surely: bool = False,
    engine: Engine | None = None,
) -> pa.Table:
    """Return subject, relation and the list of objects that hold at any time in a period."""
    world = definitions.snapshot(_facts(store.ids(relation=relation)), as_span(period), surely=surely)
    return (engine or open_engine()).table(world.order_by(in_order("subject", "relation")), store)


def difference(
    store: FactStore,
    earlier: When,
    later: When,
    *,
    relation: str | None = None,
    subject: str | None = None,
    surely: bool = False,
    statuses: tuple[str, ...] = STATUSES,
    engine: Engine | None = None,
) -> pa.Table:
    """Compare two periods: subject, relation, status, objects before, objects after."""
    before, after = as_span(earlier), as_span(later)
    if before.first > after.first:
        raise UserError(f"{earlier} comes after {later}: give the earlier period first.")
    facts = _facts(store.ids(relation=relation, subject=subject))
    worlds = (definitions.snapshot(facts, span, surely=surely) for span in (before, after))
    return (engine or open_engine()).table(definitions.difference(*worlds, statuses=statuses), store)


def changes_by_period(
    first: Period,
    last: Period,
    *,
    relation: str | None = None,
    subject: str | None = None,
    surely: bool = False,
    statuses: tuple[str, ...] = STATUSES,
) -> ir.Table:
    """Return what to ask an engine for the differences of all neighbouring periods from the first to the last."""
    facts = _facts({"relation": relation, "subject": subject})
    return definitions.steps(facts, first, last, surely=surely, statuses=statuses)


def _facts(wanted: Mapping[str, str | None]) -> ir.Table:
    facts = Tables().facts
    for name, value in wanted.items():
        facts = facts if value is None else facts.filter(facts[name] == value)
    return facts
