"""The world in a period, what changed to the next one, and the questions that a row of periods gives.

A snapshot has one row for each subject and relation, with all objects that hold at any time in the period: where the
object changes inside the period, both are right (Margatina et al. 2023, section 3.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import ibis
import ibis.expr.types as ir

from asof.errors import UserError
from asof.facts.definitions.tables import Tables, holding, in_order, rank_in
from asof.timeline import Granularity, Period, Span

STATUSES = ("updated", "new", "deleted", "unchanged")


def snapshot(facts: ir.Table, span: Span, *, surely: bool = False) -> ir.Table:
    """Return subject, relation and the sorted list of the objects that hold at any time in a span."""
    held = holding(facts, span, surely=surely)
    return held.group_by("subject", "relation").agg(objects=_sorted_set(held.object))


def difference(earlier: ir.Table, later: ir.Table, *, statuses: Sequence[str] = STATUSES) -> ir.Table:
    """Compare two snapshots: subject, relation, status, objects before, objects after; in the order of status.

    Unchanged: the same objects. Updated: other objects. New: nothing held before. Deleted: nothing holds any more.
    """
    judged = _judged(earlier, later, ["subject", "relation"])
    wanted = judged.filter(judged.status.isin(statuses))
    return wanted.order_by(rank_in(wanted.status, STATUSES), *in_order("subject", "relation"))


def snapshots(facts: ir.Table, first: Period, last: Period, *, surely: bool = False) -> ir.Table:
    """Return a snapshot of each period from the first to the last: subject, relation, period (its index), objects."""
    if first.granularity is not last.granularity:
        raise UserError(
            f"{first} is a {first.granularity}, {last} is a {last.granularity}: give two periods of the same length."
        )
    if first > last:
        raise UserError(f"{first} comes after {last}: give the earlier period first.")
    keys = ("subject", "relation", "period")
    each = _periods(first, last)
    held = holding(facts, _Days(first.first, last.last), surely=surely)
    begin, end = (held.latest_start, held.earliest_end) if surely else (held.earliest_start, held.latest_end)
    met = held.inner_join(each, (begin <= each.last) & (end >= each.first)).select(*keys, "object")
    return met.group_by(*keys).agg(objects=_sorted_set(met.object))


def steps(
    facts: ir.Table, first: Period, last: Period, *, surely: bool = False, statuses: Sequence[str] = STATUSES
) -> ir.Table:
    """Compare each period with the one before it: period, subject, relation, status, objects before, objects after.

    The first period has none before it and gives no row. ``index`` counts periods as ``Period`` does.
    """
    judged = _steps(snapshots(facts, first, last, surely=surely), first, last)
    wanted = judged.filter(judged.status.isin(statuses))
    ordered = wanted.order_by("period", rank_in(wanted.status, STATUSES), *in_order("subject", "relation"))
    return ordered.select(
        "subject",
        "relation",
        "status",
        "before",
        "after",
        period=written_period(ordered.period, first.granularity),
        index=ordered.period,
    )


def items(tables: Tables, first: Period, last: Period, *, surely: bool = False) -> ir.Table:
    """Make one item for each subject, relation and period, with all right answers and what changed in the period.

    Answers are labels, sorted; ``objects`` has their ids in the same order. The status of the first period is missing:
    nothing is known of the period before it.
    """
    worlds = snapshots(tables.facts, first, last, surely=surely)
    changes = _steps(worlds, first, last).select("subject", "relation", "period", "status")
    each = worlds.unnest("objects")
    labels = tables.entities.select("id", "label")
    named = each.left_join(labels, each.objects == labels.id)
    named = named.mutate(answer=ibis.coalesce(named.label, named.objects))
    right = named.group_by("subject", "relation", "period").agg(
        right=ibis.struct({"answer": named.answer, "object": named.objects}).collect()
    )
    right = right.mutate(right=right.right.sort())
    keys = ["subject", "relation", "period"]
    with_status = right.left_join(changes, keys).select(*(right[key] for key in keys), right.right, changes.status)
    subject = labels.rename(subject="id", subject_label="label")
    full = with_status.left_join(subject, "subject").select(with_status, subject.subject_label)
    written = written_period(full.period, first.granularity)
    return full.select(
        id=full.subject.concat(" ", full.relation, " @ ", written),
        subject=full.subject,
        subject_label=ibis.coalesce(full.subject_label, full.subject),
        relation=full.relation,
        period=written,
        answers=full.right.map(lambda pair: pair.answer),
        objects=full.right.map(lambda pair: pair.object),
        status=full.status,
        index=full.period,
    ).order_by(in_order("index", "subject", "relation"))


def written_period(index: ir.IntegerValue, granularity: Granularity) -> ir.StringValue:
    """Write the index of a period as ``str(Period)`` does: 2021, 2021-Q3, 2021-03, -0044."""
    months = index * int(granularity)
    year = months // 12
    after = year.cast("string").lpad(4, "0")
    before = ibis.literal("-").concat((1 - year).cast("string").lpad(4, "0"))
    text = ibis.ifelse(year > 0, after, before)
    month = months - year * 12
    if granularity is Granularity.YEAR:
        return text
    if granularity is Granularity.QUARTER:
        return text.concat("-Q", (month // 3 + 1).cast("string"))
    return text.concat("-", (month + 1).cast("string").lpad(2, "0"))


@dataclass(frozen=True)
class _Days:
    first: int
    last: int


def _periods(first: Period, last: Period) -> ir.Table:
    """Return a table of periods: index, first day, last day.

    Written as one text that the engine cuts up: as thousands of literals it takes Spark longer to plan than to run,
    and the calendar as an expression of columns grows beyond what Spark can compile.
    """
    text = ",".join(f"{period.index}:{period.first}:{period.last}" for period in first.to(last))
    words = ibis.literal(text).split(",").unnest().name("words").as_table()
    parts = words.select(part=words.words.split(":"))
    numbers = (parts.part[index].cast("int64").name(name) for index, name in enumerate(("period", "first", "last")))
    return parts.select(*numbers)


def _steps(worlds: ir.Table, first: Period, last: Period) -> ir.Table:
    moved = worlds.mutate(period=worlds.period + 1)
    before = moved.filter(moved.period <= last.index)
    return _judged(before, worlds.filter(worlds.period > first.index), ["subject", "relation", "period"])


def _judged(earlier: ir.Table, later: ir.Table, keys: list[str]) -> ir.Table:
    joined = earlier.outer_join(later, keys)
    there = {key: ibis.coalesce(earlier[key], later[key]) for key in keys}
    both = joined.select(**there, before=earlier.objects, after=later.objects)
    nothing = ibis.literal([], type="array<string>")
    status = ibis.cases(
        (both.before.isnull(), "new"),
        (both.after.isnull(), "deleted"),
        (both.before == both.after, "unchanged"),
        else_="updated",
    )
    return both.select(
        *keys,
        status=status,
        before=ibis.coalesce(both.before, nothing),
        after=ibis.coalesce(both.after, nothing),
    )


def _sorted_set(column: ir.StringColumn) -> ir.ArrayValue:
    return column.collect(distinct=True).sort()
