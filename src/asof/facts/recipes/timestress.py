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

from asof.facts.definitions.lasting import (
    COPY,
    DAYS_PER_YEAR,
    LATE,
    OPEN,
    SEVERAL,
    SHORT,
    TRIPLE,
    LastingRules,
    judged,
)
from asof.facts.definitions.selections import without_numbers, without_relations
from asof.facts.definitions.tables import Tables, in_order
from asof.facts.recipes import Rule
from asof.registry import recipes


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
        rules = LastingRules(longer_than=self.longer_than * DAYS_PER_YEAR, last_year=self.last_year)
        all_facts = judged(facts, rules)

        def without(*reasons: str) -> ir.Table:
            return all_facts.filter(all_facts.reason.isnull() | all_facts.reason.notin(reasons))

        once = (SEVERAL, COPY)
        yield Rule("hold for one period only", without(*once).select(facts.columns))
        yield Rule("have both ends", without(*once, OPEN).select(facts.columns))
        lasting = without(*once, OPEN, LATE, SHORT)
        yield Rule(
            f"hold longer than {self.longer_than:g} years and end by {self.last_year}", lasting.select(facts.columns)
        )
        best = lasting.order_by([ibis.desc("popularity"), *in_order(*TRIPLE)]).limit(self.facts)
        yield Rule(f"are the {self.facts:,} most popular", best.select(facts.columns))
