"""The facts that decide about a claim: those of the two that it names, and those that stand in their place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from asof.facts import Fact, FactStore, FactTable
from asof.reading.ask.evaluate import FactLookup, fact_lookup
from asof.reading.ask.evaluate.facts import FoundFact
from asof.reading.ask.evaluate.titles import Title
from asof.reading.ask.lexicon import Group
from asof.reading.ask.lexicon.by_name import is_symmetric
from asof.reading.ask.lexicon.labels import names_of
from asof.reading.ask.tags import Name
from asof.reading.verify.claim import Claim

_MOST = 60  # entities of one name that are looked at
_REMEMBERED = 5_000  # subjects whose facts are kept

_LOOKUPS: WeakKeyDictionary[FactStore, EvidenceLookup] = WeakKeyDictionary()


@dataclass(frozen=True)
class ClaimEvidence:
    """What the base has for one claim.

    Args:
        pair: The facts of the two that are named.
        others: The facts in which another has the place of the object.
        relations: The relations in which the subject has facts at all.
        subjects: The subjects that the name may mean.
        strict: The words mean this one relation and no other.
    """

    pair: tuple[Fact, ...] = ()
    others: tuple[Fact, ...] = ()
    relations: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    strict: bool = False


def evidence_lookup(store: FactStore) -> EvidenceLookup:
    """Return what reads the facts of a base, one for each that is open."""
    if store not in _LOOKUPS:
        _LOOKUPS[store] = EvidenceLookup(store)
    return _LOOKUPS[store]


@dataclass
class EvidenceLookup:
    """Reads the facts about claims from a base."""

    store: FactStore
    _read: dict[str, list[Fact]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lookup: FactLookup = fact_lookup(self.store)
        self.index = self.lookup.names.index

    def of(self, claim: Claim) -> ClaimEvidence:
        """Return the facts about a claim: of the first group of relations that has any."""
        first: ClaimEvidence | None = None
        for number, group in enumerate(claim.groups):
            found = self._of_group(claim, group)
            found = replace(found, strict=len(group) == 1 and (number == 0 or self._is_called_so(claim, group)))
            near = first is None and (number == 0 or claim.title is None)
            if found.pair and (near or claim.loose or self._surely_borne(claim, found)):
                return found
            first = first or (replace(found, pair=()) if found.relations else None)
        return first or ClaimEvidence()

    def _is_called_so(self, claim: Claim, group: Group) -> bool:
        """Tell whether a noun that has other meanings, too, is a name of the relation: a "manager" is a head coach."""
        said = tuple((claim.noun or "").split())
        return claim.title is None and any(said in names_of(self.store.relations[use.relation]) for use in group)

    def _surely_borne(self, claim: Claim, evidence: ClaimEvidence) -> bool:
        """Tell whether each holder bears the title that is said, where a title is said."""
        title = Title(claim.title, self.lookup.names)
        return bool(claim.title) and title.surely_borne([FoundFact(fact, None) for fact in evidence.pair])

    def _of_group(self, claim: Claim, group: Group) -> ClaimEvidence:
        pair: dict[Fact, None] = {}
        others: dict[Fact, None] = {}
        relations: set[str] = set()
        subjects: set[str] = set()
        title = Title(claim.title, self.lookup.names)
        for use in group:
            subject, object = claim.at("subject", use.head), claim.at("object", use.head)
            for relation, first, second in self._ways(use.relation, subject, object):
                its_pair, its_others, its_subjects = self._facts(relation, first, second)
                borne = [one.fact for one in title.borne([FoundFact(fact, None) for fact in its_pair])]
                pair |= dict.fromkeys(borne)
                subjects |= its_subjects
                if its_subjects:
                    relations.add(relation)
                surely = (fact for fact in its_others if title.surely_borne([FoundFact(fact, None)]) or not claim.title)
                others |= dict.fromkeys(surely)
        return ClaimEvidence(tuple(pair), tuple(others), frozenset(relations), frozenset(subjects))

    def _ways(
        self, relation: str, subject: Name | None, object: Name | None
    ) -> Iterable[tuple[str, Name | None, Name | None]]:
        """Walk over the ways in which the base may say it: also turned round, or by the inverse relation."""
        yield relation, subject, object
        known = self.store.relations[relation]
        if is_symmetric(known):
            yield relation, object, subject
        elif known.inverse and known.inverse in self.store.relations:
            yield known.inverse, object, subject

    def _facts(
        self, relation: str, subject: Name | None, object: Name | None
    ) -> tuple[list[Fact], list[Fact], set[str]]:
        """Return the facts of both, those of the subject with others, and the subjects that have any."""
        objects = set(list(object.entities)[: _MOST * 4]) if object else set()
        if subject is None:
            ids = {id for one in list(objects)[:_MOST] for known, id in self.index.pairs(one) if known == relation}
            rows = [fact for id in sorted(ids)[:_MOST] for fact in self._of(id) if fact.relation == relation]
            return [fact for fact in rows if fact.object in objects], [], ids
        given = list(subject.entities)
        if len(given) > _MOST:
            near = {id for one in objects for known, id in self.index.pairs(one) if known == relation}
            given = [id for id in given if id in near]
        rows = [fact for id in given for fact in self._of(id) if fact.relation == relation]
        subjects = {fact.subject for fact in rows}
        if object is None:
            return rows, [], subjects
        return (
            [one for one in rows if one.object in objects],
            [one for one in rows if one.object not in objects],
            subjects,
        )

    def _of(self, id: str) -> list[Fact]:
        if id not in self._read:
            if len(self._read) >= _REMEMBERED:
                self._read.clear()
            self._read[id] = list(FactTable(self.store.rows("facts", id)))
        return self._read[id]

    def labelled(self, facts: Sequence[Fact]) -> tuple[Fact, ...]:
        """Return facts with the labels of their ends."""
        return tuple(one.fact for one in self.lookup.labelled(FoundFact(fact, None) for fact in facts))

    def is_complete(self, relations: Iterable[str], subjects: Iterable[str]) -> bool:
        """Tell whether the base promises all facts of some subjects."""
        promised = [
            self.store.completeness.get((relation, "subject", subject))
            for relation in relations
            for subject in subjects
        ]
        return bool(promised) and all(
            mark is not None and mark.first and mark.last and mark.between for mark in promised
        )
