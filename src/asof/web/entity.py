"""The page of an entity: its facts by relation, and the facts that name it, each on one line of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from asof.facts import Fact, FactStore, FactTable
from asof.facts.row import FactRow, written
from asof.facts.store import KNOWN_FACT_COLUMNS
from asof.facts.timelines import Timeline
from asof.timeline import Time
from asof.web.desks import Desk
from asof.web.paging import Shelf
from asof.web.rows import fact_rows, read_date

MOST_FACTS = 600  # on one page, for each of the two sides; the page of a relation has all of them
_MOST_ALIASES = 30
_FEW_SUBJECTS = 12  # each may lie in another row group of the file; beyond that one scan costs less

_NAMED_BY = f"""
    SELECT {KNOWN_FACT_COLUMNS} FROM facts WHERE object = $id
    ORDER BY relation, earliest_start, latest_end, subject LIMIT {MOST_FACTS}
"""


class NotThereError(Exception):
    """What a page is about does not exist."""


@dataclass(frozen=True)
class Group:
    """The facts of one relation, in the order of time.

    ``side`` says what the entity of the page is in them. Gaps and overlaps are told where a relation has one object at
    a time.
    """

    relation: str
    label: str
    side: str
    one_at_a_time: bool | None
    facts: list[FactRow]
    gaps: list[str]
    overlaps: list[str]


@dataclass(frozen=True)
class EntityPage:
    """An entity and its facts; ``on`` is the date of the page, ``counts`` how many facts are worth what on it.

    Where ``facts_count`` or ``named_by_count`` is larger than the facts listed, the rest is on the pages of the
    relations. ``live`` says where it is from and how old it is, if it was looked up at a live Wikibase.
    """

    id: str
    label: str
    aliases: list[str]
    description: str | None
    kind: str | None
    popularity: float | None
    on: str | None
    known_to: str | None
    facts_count: int
    named_by_count: int
    counts: dict[str, int]
    groups: list[Group]
    live: str | None = None

    @property
    def rows(self) -> list[FactRow]:
        """All facts of the page."""
        return [row for group in self.groups for row in group.facts]


@dataclass(frozen=True)
class _Told:
    """What a base tells of an entity, whatever the date."""

    entity: dict[str, Any]
    facts: list[Fact]
    named_by: list[Fact]
    facts_count: int
    named_by_count: int


def entity_page(desk: Desk, id: str, on: str | None, shelf: Shelf | None = None) -> EntityPage:
    """Collect the page of an entity.

    Args:
        shelf: Where facts of entities are kept, for those who look at one on many dates.
    """
    date, store = read_date(on), desk.store
    told = _told(desk, id) if shelf is None else shelf.get(id, lambda: _told(desk, id))
    entity = told.entity
    groups = [*_groups(store, told.facts, "subject", date), *_groups(store, told.named_by, "object", date)]
    verdicts = [row.holds for group in groups for row in group.facts if row.holds]
    return EntityPage(
        id=id,
        label=entity["label"],
        aliases=entity["aliases"][:_MOST_ALIASES],
        description=entity["description"],
        kind=entity["kind"],
        popularity=entity["popularity"],
        on=None if date is None else str(date),
        known_to=written(store.known_by),
        facts_count=told.facts_count,
        named_by_count=told.named_by_count,
        counts={verdict: verdicts.count(verdict) for verdict in ("correct", "transitional", "incorrect")},
        groups=groups,
    )


def _told(desk: Desk, id: str) -> _Told:
    store = desk.store
    rows = store.rows("entities", id).to_pylist()
    if not rows:
        raise NotThereError(f"{store.manifest.name} has no entity {id[:200]!r}.")
    facts, named_by = store.rows("facts", id), _named_by(desk, id)
    count = named_by.num_rows
    if count == MOST_FACTS:
        count = int(store.sql("SELECT count(*) AS n FROM facts WHERE object = $id", {"id": id})["n"][0].as_py())
    return _Told(rows[0], _labelled(desk, facts.slice(0, MOST_FACTS)), _labelled(desk, named_by), facts.num_rows, count)


def _named_by(desk: Desk, id: str) -> pa.Table:
    """Return facts that have an entity as their object; a few are read by the keys of their subjects."""
    subjects = {subject for _, subject in desk.index.pairs(id)}
    if len(subjects) > _FEW_SUBJECTS:
        return desk.store.sql(_NAMED_BY, {"id": id})
    facts = desk.store.rows("facts", *subjects)
    return facts.filter(pc.equal(facts["object"], id)).slice(0, MOST_FACTS)


def _labelled(desk: Desk, table: pa.Table) -> list[Fact]:
    """Return facts with their labels, looked up one by one: they are few."""
    facts = list(FactTable(table))
    things = desk.index.things({id for fact in facts for id in (fact.subject, fact.object)})
    labels = {id: thing.label for id, thing in things.items()}
    return [
        replace(
            fact,
            subject_label=labels.get(fact.subject),
            relation_label=desk.store.relations[fact.relation].label,
            object_label=labels.get(fact.object),
        )
        for fact in facts
    ]


def _groups(store: FactStore, facts: Sequence[Fact], side: str, on: Time | None) -> list[Group]:
    """Part facts by relation, the relation with the most facts first."""
    parts: dict[str, list[Fact]] = {}
    known_by = store.known_by
    for fact in facts:
        parts.setdefault(fact.relation, []).append(fact)
    found = []
    for relation, some in sorted(parts.items(), key=lambda part: (-len(part[1]), part[0])):
        alone = side == "subject" and bool(store.relations[relation].one_at_a_time)
        line = Timeline(some, known_by) if alone else None
        found.append(
            Group(
                relation=relation,
                label=store.relations[relation].label,
                side=side,
                one_at_a_time=store.relations[relation].one_at_a_time,
                facts=fact_rows(some, known_by, on),
                gaps=[str(gap) for gap in line.gaps] if line else [],
                overlaps=[str(overlap) for overlap in line.overlaps] if line else [],
            )
        )
    return found
