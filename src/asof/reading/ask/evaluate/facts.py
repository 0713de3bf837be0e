"""Facts for the names of a query: which entity is meant, and what the base says of it, whenever it held."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from asof.errors import UserError
from asof.facts import Fact, FactStore, FactTable
from asof.facts.store import POSSIBLY_MEETS
from asof.reading.ask.evaluate.names import Mention, Named, NameLookup, UnclearNameError
from asof.reading.ask.evaluate.relations import AskedRelation, inverse, other, with_the_same
from asof.reading.ask.lexicon.by_name import is_symmetric
from asof.reading.ask.query import End
from asof.reading.ask.spoken import SPOKEN
from asof.timeline import MAX_DAY, MIN_DAY, Days

_FEW_SUBJECTS = 60  # so many are read by key, more of them by one query
_MOST = 5_000  # facts of relations of which neither end is named
_COLUMNS = "* EXCLUDE (earliest_start, latest_start, earliest_end, latest_end)"


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact with the end that answers the query; None when both ends were named."""

    fact: Fact
    wanted: End | None

    @property
    def answer(self) -> str:
        """The id of the answer."""
        return self.fact.subject if self.wanted == "subject" else self.fact.object

    @property
    def given(self) -> str:
        """The id of the other end."""
        return self.fact.object if self.wanted == "subject" else self.fact.subject

    @property
    def answer_label(self) -> str:
        """The label of the answer, where the fact has labels."""
        label = self.fact.subject_label if self.wanted == "subject" else self.fact.object_label
        return label or self.answer


@dataclass(frozen=True)
class NamedEnds:
    """What a query names at each end, and which end is wanted."""

    subject: Named
    object: Named
    wanted: End | None

    def named(self, end: End) -> Named:
        """Return what is named at an end."""
        return self.subject if end == "subject" else self.object

    def turned(self, relation: AskedRelation) -> NamedEnds:
        """Return the same as ends of the facts of a relation."""
        if not relation.turned:
            return self
        return NamedEnds(self.object, self.subject, self.wanted and other(self.wanted))

    def without(self, end: End) -> NamedEnds:
        """Return the same with nothing named at an end."""
        return replace(self, wanted=end, **{end: ()})


@dataclass
class FactLookup:
    """Reads facts of one base by names."""

    store: FactStore
    names: NameLookup
    _read: dict[tuple[str, ...], pa.Table] = field(default_factory=dict)

    def facts(self, relations: Sequence[AskedRelation], ends: NamedEnds) -> list[FoundFact]:
        """Return the facts of relations with the ends that are named, whenever they hold."""
        ways = dict.fromkeys(way for one in relations for way in with_the_same(one, self.store))
        found = self._all_ways(list(ways), ends)
        if found:
            return found
        inverses = dict.fromkeys(turned for one in relations if (turned := inverse(one, self.store)))
        found = self._all_ways(list(inverses), ends)
        return found or [one for relation in relations for one in self._of_pair(relation.id, ends)]

    def _all_ways(self, ways: Sequence[AskedRelation], ends: NamedEnds) -> list[FoundFact]:
        found: dict[Fact, FoundFact] = {}
        for turned in (False, True):
            ids = [way.id for way in ways if way.turned == turned]
            if ids:
                its = ends.turned(AskedRelation("", turned))
                for fact in self._one_way(ids, its):
                    found.setdefault(fact, FoundFact(fact, its.wanted))
        return list(found.values())

    def timelines_with(self, relations: Sequence[AskedRelation], named: Named, wanted: End) -> list[FoundFact]:
        """Return all facts of those who had a thing of this name at the wanted end: its timelines."""
        found = []
        for relation in relations:
            end = relation.end(wanted)
            there = self._of_named(end, named, [relation.id])
            holders = there[other(end)].unique().to_pylist()
            rows = self._of_ids(other(end), holders, [relation.id])
            found += [FoundFact(fact, end) for fact in FactTable(rows)]
        return found

    def anywhere(
        self, relations: Sequence[AskedRelation], wanted: End, times: Sequence[Days] | None
    ) -> list[FoundFact]:
        """Return all facts of relations, whoever has them, that may hold in some days.

        Raises:
            UserError: They are too many to be an answer.
        """
        found: list[FoundFact] = []
        first, last = (MIN_DAY, MAX_DAY) if times is None else (times[0].first, times[-1].last)
        for relation in relations:
            query = f"SELECT {_COLUMNS} FROM facts WHERE relation = $relation AND {POSSIBLY_MEETS} LIMIT {_MOST + 1}"
            rows = self.store.sql(query, {"relation": relation.id, "first": first, "last": last})
            found += [FoundFact(fact, relation.end(wanted)) for fact in FactTable(rows)]
        if len(found) > _MOST:
            label = self.store.relations[relations[0].id].label
            raise UserError(
                f"More than {_MOST:,} facts of {label!r} fit. Name a subject or an object, or a shorter time."
            )
        return found

    def labelled(self, found: Iterable[FoundFact]) -> list[FoundFact]:
        """Return facts with the labels of their ends."""
        row = list(found)
        things = self.names.index.things({id for one in row for id in (one.fact.subject, one.fact.object)})
        relations = self.store.relations

        def label(id: str) -> str:
            return things[id].label if id in things else id

        return [
            FoundFact(
                replace(
                    one.fact,
                    subject_label=label(one.fact.subject),
                    relation_label=relations[one.fact.relation].label,
                    object_label=label(one.fact.object),
                ),
                one.wanted,
            )
            for one in row
        ]

    def _one_way(self, relations: Sequence[str], ends: NamedEnds) -> Iterable[Fact]:
        given: list[End] = [end for end in ("subject", "object") if any(one.entities for one in ends.named(end))]
        for end in sorted(given, key=lambda end: any(one.in_part for one in ends.named(end))):
            named, there = ends.named(end), ends.named(other(end))
            rows = self._of_ids(end, [id for one in named for id in self.names.meant(one)], relations)
            if rows.num_rows and there:  # of a last name, the other end says whose it is
                rows = self._with_other(rows, other(end), there)
            if rows.num_rows:
                return FactTable(self._of_each(rows, end, named))
            if not any(one.is_one_word for one in named):  # but "Jordan" is a country, and with a club a player
                return ()
        return ()

    def _of_named(self, end: End, named: Named, relations: Sequence[str]) -> pa.Table:
        rows = self._of_ids(end, [id for one in named for id in self.names.meant(one)], relations)
        return self._of_each(rows, end, named) if rows.num_rows else rows

    def _of_ids(self, end: End, ids: list[str], relations: Sequence[str]) -> pa.Table:
        if end == "subject":
            return _where(self._facts_of(ids), "relation", relations)
        pairs = self.names.index.pairs
        subjects = {subject for id in ids for relation, subject in pairs(id) if relation in relations}
        if len(subjects) <= _FEW_SUBJECTS:
            rows = _where(self._facts_of(sorted(subjects)), "relation", relations)
            return _where(rows, "object", ids)
        query = (
            f"SELECT {_COLUMNS} FROM facts WHERE list_contains($relations, relation) AND list_contains($ids, object)"
        )
        return self.store.sql(query, {"relations": list(relations), "ids": ids})

    def _facts_of(self, subjects: list[str]) -> pa.Table:
        """Return the facts of subjects; several queries of one question ask for the same."""
        key = tuple(subjects)
        if key not in self._read:
            self._read[key] = self.store.rows("facts", *subjects)
        return self._read[key]

    def _with_other(self, rows: pa.Table, end: End, named: Named) -> pa.Table:
        """Keep the facts whose other end bears a name: by the index, or by a part of its name ("Draghi")."""
        kept: set[str] = set()
        for mention in named:
            known = _where(rows, end, self.names.meant(mention))
            if known.num_rows and not mention.in_part:
                kept |= set(self.names.one_of(known[end].unique().to_pylist(), mention))
            else:
                kept |= set(self.names.named_in_part(rows[end].unique().to_pylist(), mention))
        return _where(rows, end, kept)

    def _of_each(self, rows: pa.Table, end: End, named: Named) -> pa.Table:
        """Keep the facts of the one entity that each name means."""
        there = rows[end].unique().to_pylist()
        kept: set[str] = set()
        for mention in named:
            kept |= set(self.names.one_of([id for id in there if id in mention.entities], mention))
        return _where(rows, end, kept) if len(kept) < len(there) else rows

    def _of_pair(self, relation: str, ends: NamedEnds) -> list[FoundFact]:
        """Return the facts of the only two whose names have these words in them: "Charles and Diana"."""
        both = (*ends.subject, *ends.object)
        if not (len(both) == 2 and ends.subject and ends.object and all(one.in_part for one in both)):
            return []
        if not is_symmetric(self.store.relations[relation]):
            return []
        query = f"""
            WITH said AS (SELECT concat(' ', {SPOKEN.format("name")}, ' ') AS name, entity FROM names),
            one AS (SELECT entity FROM said WHERE contains(name, $one)),
            other AS (SELECT entity FROM said WHERE contains(name, $other))
            SELECT {_COLUMNS} FROM facts
            WHERE relation = $relation AND (
                subject IN (FROM one) AND object IN (FROM other) OR subject IN (FROM other) AND object IN (FROM one)
            )
        """
        said = {end: f" {one.spoken} " for end, one in zip(("one", "other"), both, strict=True)}
        facts = list(FactTable(self.store.sql(query, {"relation": relation, **said})))
        self._one_pair({frozenset((fact.subject, fact.object)) for fact in facts}, both)
        return [FoundFact(fact, ends.wanted) for fact in facts]

    def _one_pair(self, pairs: Collection[frozenset[str]], both: tuple[Mention, ...]) -> None:
        if len(pairs) > 1:
            people = self.names.entities(sorted(frozenset.union(*pairs) - frozenset.intersection(*pairs)))
            raise UnclearNameError(" and ".join(one.text for one in both), list(people.values()))


def _where(table: pa.Table, column: str, values: Iterable[str]) -> pa.Table:
    return table.filter(pc.is_in(table[column], value_set=pa.array(list(values), pa.string())))
