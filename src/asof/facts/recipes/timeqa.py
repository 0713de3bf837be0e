"""TimeQA: histories of any relation, none of which dominates.

Chen et al. 2021 (arXiv:2108.06314), section 2: facts with a start, an end or a point in time and no number as object;
of subjects and relations that evolve; frequent relations sampled down to 5,500 histories in all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from asof.facts.definitions.selections import balanced_pairs, dated, that_evolve, without_numbers
from asof.facts.definitions.tables import Tables
from asof.facts.recipes import Rule
from asof.registry import recipes


@recipes.register("timeqa")
@dataclass(frozen=True, kw_only=True)
class TimeQaRecipe:
    """Histories of subjects with several objects over time, no numbers, sampled down so that no relation rules."""

    name: ClassVar[str] = "timeqa"
    paper: ClassVar[str] = "arXiv:2108.06314"

    per_relation: int = 500  # P39 has "over 500" in training; the number itself is not published
    histories: int = 5500  # subjects and relations in all
    seed: int = 42

    def rules(self, tables: Tables) -> Iterator[Rule]:
        """Give the selections in the order of the paper."""
        facts = dated(tables.facts)
        yield Rule("have a date", facts, "without any date")
        facts = without_numbers(facts)
        yield Rule("have no number as object", facts, "with a number as object")
        facts = that_evolve(facts)
        yield Rule("are of subjects with several objects over time", facts, "whose subject has one object all the time")
        facts = balanced_pairs(facts, per_relation=self.per_relation, in_all=self.histories, seed=self.seed)
        yield Rule(
            f"are of {self.histories:,} histories at most, {self.per_relation:,} of a relation",
            facts,
            "not drawn",
        )
