"""Facts for the names of a question: which entity is meant, and what the base says of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from asof.facts import Entity, Fact, FactStore, FactTable
from asof.reading.facts.index import Index
from asof.reading.facts.items import Name
from asof.reading.facts.phrases import BOTH_WAYS, Role
from asof.reading.facts.sense import RelationQuery
from asof.reading.facts.words import SPOKEN, spoken

_FEW_SUBJECTS = 60  # so many are read by key, more of them by one query
_NAME_KIND = "name"  # "Leningrad" means the city before it means that name of the city


@dataclass(frozen=True, slots=True)
class FactMatch:
    """A fact with the end that answers the question; None when both ends were named."""

    fact: Fact
    wanted: Role | None

    @property
    def answer(self) -> str:
        """The id of the answer."""
        return self.fact.subject if self.wanted == "subject" else self.fact.object

    @property
    def answer_label(self) -> str:
        """The label of the answer, where the fact has labels."""
        label = self.fact.subject_label if self.wanted == "subject" else self.fact.object_label
        return label or self.answer


class UnclearNameError(Exception):
    """A name that fits several entities, all of which have such facts."""

    def __init__(self, name: str, entities: list[Entity]) -> None:
        super().__init__(name)
        self.name = name
        self.entities = entities


class Lookup:
    """Asks a base by names."""

    def __init__(self, store: FactStore, index: Index, chosen: Collection[str] = ()) -> None:
        self.store = store
        self.index = index
        self.chosen = frozenset(chosen)
        self.notes: dict[str, None] = {}  # what was decided about names, for the answer to tell
        self.namesakes: dict[str, list[str]] = {}  # the others that such a name may mean
        self._read: dict[tuple[str, ...], pa.Table] = {}
        self._known: dict[tuple[str, ...], dict[str, Entity]] = {}

    def entities(self, ids: Iterable[str]) -> dict[str, Entity]:
        """Return entities by id; a reading and its answer ask for the same."""
        key = tuple(ids)
        if key not in self._known:
            rows = self.store.rows("entities", *key).to_pylist()
            self._known[key] = {row["id"]: Entity(**row | {"aliases": tuple(row["aliases"])}) for row in rows}
        return self._known[key]

    def facts(self, asked: RelationQuery) -> list[FactMatch]:
        """Return the facts of a relation with the ends that are named, whenever they hold."""
        if asked.relation not in self.store.relations:
            return []
        found = self._one_way(asked, asked.wanted)
        if asked.relation in BOTH_WAYS:
            turned = RelationQuery(asked.relation, asked.object, asked.subject)
            there = {one.fact for one in found}
            found += [one for one in self._one_way(turned, turned.wanted) if one.fact not in there]
            if not found and asked.subject and asked.object and asked.subject.in_part and asked.object.in_part:
                return self._of_pair(asked.relation, asked.subject, asked.object)
        return found

    def _of_pair(self, relation: str, first: Name, second: Name) -> list[FactMatch]:
        """Return the facts of the only two whose names have these words in them: "Charles and Diana"."""
        query = f"""
            WITH said AS (SELECT concat(' ', {SPOKEN.format("name")}, ' ') AS name, entity FROM names),
            one AS (SELECT entity FROM said WHERE contains(name, $one)),
            other AS (SELECT entity FROM said WHERE contains(name, $other))
            SELECT * EXCLUDE (earliest_start, latest_start, earliest_end, latest_end) FROM facts
            WHERE relation = $relation AND (
                subject IN (FROM one) AND object IN (FROM other) OR subject IN (FROM other) AND object IN (FROM one)
            )
        """
        table = self.store.sql(query, {"relation": relation, "one": f" {first.spoken} ", "other": f" {second.spoken} "})
        facts = list(FactTable(table))
        pairs = {frozenset((fact.subject, fact.object)) for fact in facts}
        if len(pairs) > 1:
            people = self.entities(sorted(frozenset.union(*pairs) - frozenset.intersection(*pairs)))
            raise UnclearNameError(f"{first.text} and {second.text}", list(people.values()))
        return [FactMatch(fact, None) for fact in facts]

    def timelines_with(self, relation: str, name: Name) -> list[FactMatch]:
        """Return all facts of the subjects that had a thing of this name as their object: its timelines."""
        if relation not in self.store.relations:
            return []
        there = self._rows("object", self._ids(name), relation)
        if not there.num_rows:
            return []
        subjects = self._of_one(there, "object", name)["subject"].unique().to_pylist()
        table = _where(self._facts_of(subjects), "relation", [relation])
        return [FactMatch(fact, "object") for fact in FactTable(table)]

    def labelled(self, matches: Iterable[FactMatch]) -> list[FactMatch]:
        """Return facts with the labels of their ends."""
        matches = list(matches)
        things = self.index.things({id for one in matches for id in (one.fact.subject, one.fact.object)})
        relations = self.store.relations
        return [
            FactMatch(
                replace(
                    one.fact,
                    subject_label=things[one.fact.subject].label if one.fact.subject in things else one.fact.subject,
                    relation_label=relations[one.fact.relation].label,
                    object_label=things[one.fact.object].label if one.fact.object in things else one.fact.object,
                ),
                one.wanted,
            )
            for one in matches
        ]

    def _one_way(self, asked: RelationQuery, wanted: Role | None) -> list[FactMatch]:
        known = [name for name in (asked.subject, asked.object) if name and name.entities]
        for given in sorted(known, key=lambda name: name.in_part):  # of a last name, the other end says whose it is
            role: Role = "subject" if given is asked.subject else "object"
            other = asked.object if role == "subject" else asked.subject
            table = self._rows(role, self._ids(given), asked.relation)
            if table.num_rows and other is not None:
                table = self._with_other(table, "object" if role == "subject" else "subject", other)
            if table.num_rows:
                return [FactMatch(fact, wanted) for fact in FactTable(self._of_one(table, role, given))]
            if len(given.words) > 1:  # but "Jordan" is a country, and with a club a player
                return []
        return []

    def _ids(self, name: Name) -> list[str]:
        return [id for id in name.entities if id in self.chosen] or list(name.entities)

    def _rows(self, role: Role, ids: list[str], relation: str) -> pa.Table:
        if role == "subject":
            return _where(self._facts_of(ids), "relation", [relation])
        subjects = {subject for id in ids for kind, subject in self.index.pairs(id) if kind == relation}
        if len(subjects) <= _FEW_SUBJECTS:
            rows = _where(self._facts_of(sorted(subjects)), "relation", [relation])
            return _where(rows, "object", ids)
        query = (
            "SELECT * EXCLUDE (earliest_start, latest_start, earliest_end, latest_end) FROM facts "
            "WHERE relation = $relation AND list_contains($ids, object)"
        )
        return self.store.sql(query, {"relation": relation, "ids": ids})

    def _facts_of(self, subjects: list[str]) -> pa.Table:
        """Return the facts of subjects; several readings of one question ask for the same."""
        key = tuple(subjects)
        if key not in self._read:
            self._read[key] = self.store.rows("facts", *subjects)
        return self._read[key]

    def _with_other(self, table: pa.Table, role: Role, name: Name) -> pa.Table:
        """Keep the facts whose other end bears a name: by the index, or by a part of its name ("Draghi")."""
        known = _where(table, role, self._ids(name))
        if known.num_rows and not name.in_part:
            return self._of_one(known, role, name)
        partly = self.named_in_part(table[role].unique().to_pylist(), name)
        return _where(table, role, partly)

    def called(self, ids: Collection[str], name: Name) -> set[str]:
        """Return those of some entities that a name means: by the index, or by a part of their name."""
        known = set() if name.in_part else set(ids) & set(name.entities)
        return known or set(self.named_in_part(ids, name))

    def named_in_part(self, ids: Collection[str], name: Name) -> list[str]:
        """Return the one of some entities whose name has these words in it; complain when several have."""
        said = f" {name.spoken} "
        found = [
            entity
            for entity in self.entities(ids).values()
            if entity.kind != _NAME_KIND and any(said in f" {spoken(known)} " for known in entity.names)
        ]
        found = [entity for entity in found if said in f" {spoken(entity.label)} "] or found
        chosen = [entity for entity in found if entity.id in self.chosen]
        if len(found) > 1 and len(chosen) != 1:
            raise UnclearNameError(name.text, found)
        return [entity.id for entity in chosen or found]

    def _of_one(self, table: pa.Table, role: Role, name: Name) -> pa.Table:
        """Keep the facts of the one entity that a name means; a label goes before an alias."""
        there = table[role].unique().to_pylist()
        if len(there) <= 1 or name.together:
            return table
        chosen = [id for id in there if id in self.chosen]
        if len(chosen) != 1:
            known = self.index.things(there)
            things = [id for id in there if id not in known or known[id].kind != _NAME_KIND] or there
            chosen = [id for id in things if name.entities[id]] or things
            if len(chosen) > 1:
                raise UnclearNameError(name.text, list(self.entities(chosen).values()))
            others = len(things) - 1
            if others:
                taken = known[chosen[0]]
                which = f"{taken.label} ({chosen[0]}, {taken.description or taken.kind})"
                also = f"{others} more {'is' if others == 1 else 'are'} also called so"
                self.notes[f"{name.text!r} is taken for {which}; {also}."] = None
                self.namesakes[name.text] = [id for id in things if id not in chosen]
        return _where(table, role, chosen)


def _where(table: pa.Table, column: str, values: list[str]) -> pa.Table:
    return table.filter(pc.is_in(table[column], value_set=pa.array(values, pa.string())))
