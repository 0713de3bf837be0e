"""The history of a subject and relation: its objects in the order of time."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir


def histories(facts: ir.Table) -> ir.Table:
    """Return one row for each subject and relation: its objects as they came, how many, and over how many periods.

    An object that comes back, or has two facts, is listed again; ``different`` counts different objects and
    ``periods`` different intervals.
    """
    # Sorted as whole rows and not by an ordered aggregate, which not every engine has.
    row = ibis.struct({"start": facts.earliest_start, "end": facts.latest_end, "object": facts.object})
    interval = facts.earliest_start.cast("string").concat(" ", facts.latest_end.cast("string"))
    grouped = facts.group_by("subject", "relation").agg(
        rows=row.collect(), different=facts.object.nunique(), periods=interval.nunique()
    )
    in_time = grouped.mutate(rows=grouped.rows.sort())
    return in_time.select(
        "subject",
        "relation",
        "different",
        "periods",
        objects=in_time.rows.map(lambda fact: fact.object),
        starts=in_time.rows.map(lambda fact: fact.start),
        ends=in_time.rows.map(lambda fact: fact.end),
    )


def evolving(facts: ir.Table) -> ir.Table:
    """Return the subjects and relations that have several objects, not all of them at the same time."""
    found = facts.group_by("subject", "relation").agg(
        different=facts.object.nunique(),
        first_start=facts.earliest_start.min(),
        last_start=facts.earliest_start.max(),
        first_end=facts.latest_end.min(),
        last_end=facts.latest_end.max(),
    )
    moves = (found.first_start < found.last_start) | (found.first_end < found.last_end)
    return found.filter(found.different > 1, moves).select("subject", "relation")
