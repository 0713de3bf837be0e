"""LAMA-TK: facts with both ends, of the relations that have most of them.

Zhao et al. 2022 (aclanthology.org/2022.findings-emnlp.147), section 2.1: facts that have a start and an end, of
subjects with more than one object at different times; the relations with the most such objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from asof.facts.definitions.selections import both_ends, that_evolve, top_relations, without_numbers
from asof.facts.definitions.tables import Tables
from asof.facts.recipes import Rule
from asof.registry import recipes


@recipes.register("lama-tk")
@dataclass(frozen=True, kw_only=True)
class LamaTkRecipe:
    """Facts with both ends known, of subjects with several objects over time; the seven relations with most of them."""

    name: ClassVar[str] = "lama-tk"
    paper: ClassVar[str] = "aclanthology.org/2022.findings-emnlp.147"

    relations: int = 7  # the paper takes six from Wikidata and five from CronQuestions, which make seven

    def rules(self, tables: Tables) -> Iterator[Rule]:
        """Give the selections in the order of the paper."""
        facts = both_ends(without_numbers(tables.facts))
        yield Rule("have both ends and an entity as object", facts)
        facts = that_evolve(facts)
        yield Rule("are of subjects with several objects over time", facts)
        facts = top_relations(facts, self.relations)
        yield Rule(f"are of the {self.relations} relations with most of them", facts)
