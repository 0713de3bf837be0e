"""The fact selections of the papers, by name, over any base: one file per recipe.

A recipe is a frozen dataclass of settings with a method ``rules``: the selections that it makes one after the other,
each with the words that say what it keeps. The last one gives the facts. Everything is an expression of
``facts.definitions``, so a recipe runs on any engine and gives the same base to the byte.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import ibis
import ibis.expr.types as ir
import pyarrow as pa

from asof.errors import UserError
from asof.facts.definitions.tables import Tables
from asof.facts.engines import Engine
from asof.facts.intake import Intake
from asof.facts.manifest import Manifest
from asof.facts.mirror import writable_base
from asof.facts.schema import ENTITIES, FACTS, LABELS, RELATIONS
from asof.facts.store import FactStore
from asof.facts.write import write_base
from asof.timeline import Date


@dataclass(frozen=True)
class Rule:
    """One selection of a recipe: the words for what it keeps, the facts that are left after it.

    Args:
        drops: The words for the facts that it leaves out, where a benchmark tells of them.
    """

    keeps: str
    facts: ir.Table
    drops: str = ""


class Recipe(Protocol):
    """A named selection of facts."""

    name: ClassVar[str]
    paper: ClassVar[str]

    def rules(self, tables: Tables) -> Iterable[Rule]:
        """Give the selections in their order; each starts from what the one before has left."""


@dataclass(frozen=True)
class RecipeSelection:
    """What a recipe selected: the base that was written, and how many facts each rule left."""

    manifest: Manifest | None
    left: dict[str, int]


def select(
    recipe: Recipe,
    store: FactStore,
    engine: Engine,
    folder: Path,
    *,
    on_progress: Callable[[int], None] = lambda rows: None,
    dry_run: bool = False,
) -> RecipeSelection:
    """Write the facts that a recipe selects from a base as a base of their own, all or nothing.

    Args:
        dry_run: Count what each rule leaves, and write nothing.
    """
    rules = list(recipe.rules(Tables()))
    left = count_left(rules, store, engine)
    if not rules or not left[rules[-1].keeps]:
        told = "\n".join(f"  {count:>12,} {words}" for words, count in left.items())
        raise UserError(
            f"{store.manifest.name} has no facts that {recipe.name} selects. What each rule leaves:\n{told}"
        )
    if dry_run:
        return RecipeSelection(None, left)
    if folder.resolve() == store.folder.resolve():
        raise UserError(f"{folder} is the base to select from. Give another folder, so that it is not overwritten.")
    folder = writable_base(folder)
    source = _Selection(recipe, rules[-1].facts, store, engine, folder)
    manifest, _ = write_base(folder, [source], on_progress=on_progress, selection=describe(recipe, store))
    return RecipeSelection(manifest, left)


def describe(recipe: Recipe, store: FactStore) -> dict[str, Any]:
    """Say which recipe with which settings selects from which base, for the manifest."""
    settings = dataclasses.asdict(recipe)  # type: ignore[call-overload]
    base = {"name": store.manifest.name, "hash": store.manifest.hash}
    return {"recipe": recipe.name, "paper": recipe.paper, "settings": settings, "base": base}


@dataclass
class _Selection:
    """The selected facts as a source for the writer of bases; they have been through the intake before."""

    recipe: Recipe
    selected: ir.Table
    store: FactStore
    engine: Engine
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.recipe.name} of {self.store.manifest.name}"

    @property
    def known_by(self) -> Date | None:
        return self.store.known_by

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        for batch in self.engine.batches(self.selected.select(*FACTS.names), self.store, near=self.folder):
            intake.taken += batch.num_rows
            yield _as(FACTS, batch)

    def entities(self) -> Iterator[pa.RecordBatch]:
        """Give the entities that the facts mention, with all that the base knows of them."""
        facts, entities = self.selected, Tables().entities
        mentioned = facts.select(id=facts.subject).union(facts.select(id=facts.object), distinct=True)
        for batch in self.engine.batches(entities.semi_join(mentioned, "id"), self.store, near=self.folder):
            yield _as(ENTITIES, batch)

    def relations(self) -> Iterator[pa.RecordBatch]:
        """Give the relations, with all that the base knows of them."""
        yield from self.store.sql("SELECT * FROM relations").cast(RELATIONS).to_batches()

    @property
    def language(self) -> str | None:
        return self.store.manifest.language

    def labels(self) -> Iterator[pa.RecordBatch]:
        """Give the names that the base has in other languages."""
        yield from self.store.sql("SELECT * FROM labels").cast(LABELS).to_batches()


def count_left(rules: list[Rule], store: FactStore, engine: Engine) -> dict[str, int]:
    """Count the facts that each rule leaves."""
    counts = count_facts([rule.facts for rule in rules], store, engine)
    return {rule.keeps: count for rule, count in zip(rules, counts, strict=True)}


def count_facts(selections: list[ir.Table], store: FactStore, engine: Engine) -> list[int]:
    """Count the facts of several selections, all in one query."""
    counted = [
        facts.agg(facts=facts.count()).mutate(index=ibis.literal(index, type="int64"))
        for index, facts in enumerate(selections)
    ]
    found = engine.table(ibis.union(*counted) if len(counted) > 1 else counted[0], store).to_pylist()
    by_index = {row["index"]: row["facts"] for row in found}
    return [by_index[index] for index in range(len(selections))]


def _as(schema: pa.Schema, batch: pa.RecordBatch) -> pa.RecordBatch:
    columns = [
        column.dictionary_encode() if pa.types.is_dictionary(field.type) else column.cast(field.type)
        for column, field in ((batch.column(field.name), field) for field in schema)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
