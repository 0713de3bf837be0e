"""TempLAMA: what changed since 2010, for the best-known subjects of a few relations.

Dhingra et al. 2022 (arXiv:2106.15110), section 2.2. The published program orders subjects by their number of Wikidata
facts, here it is the popularity of the base.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from asof.facts.definitions import selections as rule
from asof.facts.definitions.tables import Tables
from asof.facts.recipes import Rule
from asof.registry import recipes
from asof.timeline import Date


@recipes.register("templama")
@dataclass(frozen=True, kw_only=True)
class TempLamaRecipe:
    """Subjects with several objects over time since 2010, both with a page; the best known of nine relations."""

    name: ClassVar[str] = "templama"
    paper: ClassVar[str] = "arXiv:2106.15110"

    since_year: int = 2010  # a start or an end in this year or later
    relations: int = 9  # those with most such subjects; the paper has templates for nine
    subjects: int = 1000  # of each relation, the most popular first

    def rules(self, tables: Tables) -> Iterator[Rule]:
        """Give the selections in the order of the paper."""
        facts = rule.dated(
            rule.without_numbers(rule.without_relations(tables.facts, ["P31"]))
        )  # what a thing is does not change
        yield Rule("have a date and an entity as object", facts, "without a date, or with a number as object")
        facts = rule.since(facts, Date.of(self.since_year).first)
        yield Rule(
            f"start or end in {self.since_year} or later", facts, f"without a date in {self.since_year} or later"
        )
        facts = rule.with_pages(facts, tables)
        yield Rule("have a page for subject and object", facts, "without a page for subject and object")
        facts = rule.that_evolve(facts)
        yield Rule("are of subjects with several objects over time", facts, "whose subject has one object all the time")
        facts = rule.top_relations(facts, self.relations, by="subjects")
        yield Rule(
            f"are of the {self.relations} relations with most such subjects",
            facts,
            "of relations with fewer such subjects",
        )
        facts = rule.popular_subjects(facts, tables, self.subjects)
        yield Rule(
            f"are of the {self.subjects:,} most popular subjects of their relation", facts, "of less popular subjects"
        )
