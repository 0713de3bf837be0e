"""TimeStress: well-known facts that held once, for years, and are over.

Ammar Khodja et al. 2025 (arXiv:2502.01220), section 4.1.1 and appendix A.1: one period for a subject, relation and
object, both ends known, longer than three years, over by 2020, the most popular by the geometric mean of both ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import ibis
import ibis.expr.types as ir

from asof.facts.definitions.selections import both_ends, without_numbers, without_relations
from asof.facts.definitions.tables import Tables, in_order
from asof.facts.recipes import Rule
from asof.facts.schema import FACTS
from asof.registry import recipes
from asof.timeline import Date

_DAYS_PER_YEAR = 365.25
_TRIPLE = ["subject", "relation", "object"]


@recipes.register("timestress")
@dataclass(frozen=True, kw_only=True)
class TimeStressRecipe:
    """The most popular facts that held for one period of more than three years and are over."""

    name: ClassVar[str] = "timestress"
    paper: ClassVar[str] = "arXiv:2502.01220"

    facts: int = 2000  # the most popular first; the paper has 2,003
    longer_than: float = 3.0  # years, from the middle of the start to the middle of the end
    last_year: int = 2020  # the facts of the paper are over by then

    def rules(self, tables: Tables) -> Iterator[Rule]:
        """Give the selections in the order of the paper."""
        facts = without_relations(without_numbers(tables.facts), ["P47"])  # "shares border with", as the program
        facts = _once(facts)
        yield Rule("hold for one period only", facts)
        facts = both_ends(facts)
        yield Rule("have both ends", facts)
        facts = _longer(facts, self.longer_than).filter(facts.end_last <= Date.of(self.last_year).last)
        yield Rule(f"hold longer than {self.longer_than:g} years and end by {self.last_year}", facts)
        facts = _most_popular(facts, tables, self.facts)
        yield Rule(f"are the {self.facts:,} most popular", facts)


def _once(facts: ir.Table) -> ir.Table:
    """Keep facts whose subject, relation and object have one interval; of copies the first."""
    ends = ("start_first", "start_last", "end_first", "end_last")
    same = facts.select(*_TRIPLE, *ends).distinct().group_by(_TRIPLE)
    once = same.agg(spells=lambda spells: spells.count())
    rest = tuple(name for name in FACTS.names if name not in (*_TRIPLE, "rank"))
    order = ibis.window(group_by=_TRIPLE, order_by=[ibis.desc("rank"), *in_order(*rest)])
    copies = facts.semi_join(once.filter(once.spells == 1), _TRIPLE).mutate(copy=ibis.row_number().over(order))
    return copies.filter(copies.copy == 0).drop("copy")


def _longer(facts: ir.Table, years: float) -> ir.Table:
    twice = facts.end_first.cast("int64") + facts.end_last - facts.start_first - facts.start_last
    return facts.filter(twice > 2 * years * _DAYS_PER_YEAR)


def _most_popular(facts: ir.Table, tables: Tables, count: int) -> ir.Table:
    """Keep the facts with the largest product of popularities, which is the order of their geometric mean."""
    subjects = tables.entities.select(subject="id", subject_popularity="popularity")
    objects = tables.entities.select(object="id", object_popularity="popularity")
    rated = facts.left_join(subjects, "subject").select(facts, subjects.subject_popularity)
    both = rated.left_join(objects, "object").select(rated, objects.object_popularity)
    known = both.mutate(
        product=ibis.coalesce(both.subject_popularity, 0.0) * ibis.coalesce(both.object_popularity, 0.0)
    )
    return known.order_by([ibis.desc("product"), *in_order(*_TRIPLE)]).limit(count).select(facts.columns)
