"""Facts that held once, for a time, and are over: which ones TimeStress takes, and why it takes no other.

Ammar Khodja et al. 2025 (arXiv:2502.01220), section 4.1.1 and appendix A.1. The selection of facts from a dump and the
benchmark made from a base are the same rules, so they stand here once.
"""

from __future__ import annotations

from dataclasses import dataclass

import ibis
import ibis.expr.types as ir

from asof.facts.definitions.tables import Tables, in_order
from asof.facts.schema import FACTS
from asof.timeline import Date

DAYS_PER_YEAR = 365.25
TRIPLE = ["subject", "relation", "object"]
_DATES = ["start_first", "start_last", "end_first", "end_last"]
# Why a fact is not taken; where several rules leave it out, the first of these counts.
SEVERAL, COPY, OPEN, LATE, SHORT, SAME_NAME = "spells", "copy", "open", "late", "short", "same"


@dataclass(frozen=True, kw_only=True)
class LastingRules:
    """What makes a fact lasting and over.

    Args:
        longer_than: Days that its length must exceed.
        last_year: The year in which it must be over.
        whole_ends: Measure from the first day to the last, not from the middle of the start to the middle of the end.
    """

    longer_than: float
    last_year: int
    whole_ends: bool = False


def judged(facts: ir.Table, rules: LastingRules) -> ir.Table:
    """Add to each fact the reason for which it is not taken (null where it is), and its popularity.

    The popularity is the geometric mean of those of both ends; ``copy`` numbers what is stated several times.
    """
    rated = _rated(_counted(facts))
    late = rated.end_last > Date.of(rules.last_year).last
    reason = ibis.cases(
        (rated.intervals > 1, SEVERAL),
        (rated.copy > 0, COPY),
        (rated.start_first.isnull() | rated.end_first.isnull(), OPEN),
        (late, LATE),
        (~(_length(rated, whole_ends=rules.whole_ends) > rules.longer_than), SHORT),
        (rated.subject_name == rated.object_name, SAME_NAME),
    )
    return rated.mutate(reason=reason).select(*facts.columns, "copy", "popularity", "reason")


def _counted(facts: ir.Table) -> ir.Table:
    """Count the intervals of each subject, relation and object, and number the facts that are stated alike."""
    several = facts.select(*TRIPLE, *_DATES).distinct().group_by(TRIPLE).agg(intervals=lambda dates: dates.count())
    rest = (name for name in FACTS.names if name not in (*TRIPLE, *_DATES, "rank", "source", "statement"))
    order = [ibis.desc("rank"), *in_order("source", "statement", *rest)]
    alike = ibis.window(group_by=[*TRIPLE, *_DATES], order_by=order)
    numbered = facts.mutate(copy=ibis.row_number().over(alike))
    return numbered.left_join(several, TRIPLE).select(numbered, several.intervals)


def _rated(facts: ir.Table) -> ir.Table:
    """Add the names of both ends, and how well known both are."""
    entities = Tables().entities
    subjects = entities.select(subject="id", subject_name="label", subject_popularity="popularity")
    objects = entities.select(object="id", object_name="label", object_popularity="popularity")
    one = facts.left_join(subjects, "subject").select(facts, subjects.subject_name, subjects.subject_popularity)
    both = one.left_join(objects, "object").select(one, objects.object_name, objects.object_popularity)
    product = ibis.coalesce(both.subject_popularity, 0.0) * ibis.coalesce(both.object_popularity, 0.0)
    return both.mutate(popularity=product.sqrt())


def _length(facts: ir.Table, *, whole_ends: bool) -> ir.NumericValue:
    first, last = facts.start_first.cast("int64"), facts.end_last.cast("int64")
    if whole_ends:
        return last - first
    return (facts.end_first + last - first - facts.start_last) / 2.0
