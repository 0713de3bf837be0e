"""The rows of ``row.py`` for many facts at once: the same values as a table, made column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from asof.facts.fact import end_of_row, facts_of_table
from asof.facts.known_time import KNOWN_COLUMNS
from asof.facts.row import written
from asof.facts.store import BoundColumns, bounds_of
from asof.facts.transitional import why
from asof.timeline import MAX_DAY, MIN_DAY, Date, Span, Verdict, verdicts

# The calendar of Python, and of libraries for tables.
_FIRST_DAY, _LAST_DAY = Date.parse("0001-01-01").first, Date.parse("9999-12-31").last
_OPEN_DAYS = BoundColumns(*(np.array(day) for day in (MIN_DAY, MAX_DAY, MIN_DAY, MAX_DAY)))


def rows_table(facts: pa.Table, *, known_to: Date | None, on: Span | None = None) -> pa.Table:
    """Return a table with the columns of ``FactRow`` for a table of facts that has labels.

    Args:
        known_to: The day to which the base is current: later than that, ongoing facts are unconfirmed.
        on: The time that was asked for, by which facts are judged.
    """
    bounds = bounds_of(facts, known_to)
    ends = ("subject", "relation", "object")
    columns: dict[str, Any] = {name: facts[f"{name}_label"] for name in ends}
    columns |= {f"{name}_id": facts[name] for name in ends}
    columns |= {side: pa.array(_texts(facts, side), pa.string()) for side in ("start", "end")}
    columns |= {f"{side}_precision": facts[f"{side}_precision"].cast(pa.string()) for side in ("start", "end")}
    judged, possibly = _judged(facts, bounds, known_to, on)
    columns |= judged
    columns["known_to"] = pa.array([written(known_to)] * facts.num_rows, pa.string())
    columns["rank"] = facts["rank"].cast(pa.string())
    columns["source"] = pa.array([source or None for source in facts["source"].to_pylist()], pa.string())
    columns["statement"] = facts["statement"].cast(pa.string())
    columns["possibly"] = possibly
    for name, days, limit in zip(BoundColumns._fields, bounds, _OPEN_DAYS, strict=True):
        columns[name] = pa.array(days, mask=days == limit)
    columns |= {name: _days_in_words(facts, name) for name in KNOWN_COLUMNS}
    return pa.table(columns)


def with_dates(table: pa.Table) -> pa.Table:
    """Add start_date and end_date: the first and the last day as dates, where there is one and a calendar has it."""
    for end, day in (("start", "earliest_start"), ("end", "latest_end")):
        days = table[day]
        known = pc.and_(
            pc.is_valid(table[end]), pc.and_(pc.less_equal(_FIRST_DAY, days), pc.less_equal(days, _LAST_DAY))
        )
        dates = pc.if_else(known, days, None).cast(pa.int32()).cast(pa.date32())
        table = table.append_column(f"{end}_date", dates)
    return table


def _days_in_words(facts: pa.Table, name: str) -> pa.Array:
    """Write day numbers as dates, each once."""
    if name not in facts.column_names:
        return pa.nulls(facts.num_rows, pa.string())
    days = facts[name].combine_chunks().dictionary_encode()
    texts = [str(Date.from_day(day)) for day in days.dictionary.to_pylist()]
    return pa.array(texts, pa.string()).take(days.indices)


def _texts(facts: pa.Table, side: str) -> list[str | None]:
    """Return the starts or ends of facts as texts; each date is written once."""
    names = [f"{side}_{part}" for part in ("first", "last", "precision")]
    keys = list(zip(*(facts[name].to_pylist() for name in names), strict=True))
    known = {key: written(end_of_row(dict(zip(names, key, strict=True)), side)) for key in set(keys)}
    return [known[key] for key in keys]


def _judged(
    facts: pa.Table, bounds: BoundColumns, known_to: Date | None, on: Span | None
) -> tuple[dict[str, pa.Array], pa.Array]:
    """Return what facts are worth at the time asked for, why, and whether they may hold on no day of it."""
    if on is None:
        nothing = pa.nulls(facts.num_rows, pa.string())
        return {"holds": nothing, "why": nothing}, pa.nulls(facts.num_rows, pa.bool_())
    found: npt.NDArray[Any] = verdicts(np.array(on.first), np.array(on.last), *bounds)
    surely_meets = (bounds.latest_start <= on.last) & (on.first <= bounds.earliest_end)
    odd = facts.filter(pa.array(found != Verdict.CORRECT))
    reasons = iter([why(fact, on, known_to) or None for fact in facts_of_table(odd)])
    whys = [None if one == Verdict.CORRECT else next(reasons) for one in found.tolist()]
    words = pa.array([str(Verdict(one)) for one in found.tolist()], pa.string())
    return {"holds": words, "why": pa.array(whys, pa.string())}, pa.array(
        (found == Verdict.TRANSITIONAL) & ~surely_meets
    )
