"""A relation as every door gives it: how many facts it has, what it is, and what of that is only proposed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from asof.facts.fact import Relation
from asof.facts.meanings import Kind
from asof.facts.proposed import ProposalEvidence, evidence_in
from asof.facts.row import said
from asof.facts.store import FactStore


@dataclass(frozen=True, kw_only=True)
class RelationRow:
    """One relation of a base. What nobody has said is null, which is not the same as no."""

    relation: str = field(metadata=said("The label of the relation."))
    facts: int = field(metadata=said("How many facts the base has of it."))
    meaning: str = field(metadata=said("What it is, in words; what is only proposed is marked so."))
    one_at_a_time: bool | None = field(metadata=said("A subject has at most one object at a time."))
    symmetric: bool | None = field(metadata=said("What holds of a and b holds of b and a."))
    inverse: str | None = field(metadata=said("The id of the relation that says the same from the object's side."))
    kind: Kind | None = field(metadata=said("What sort of relation it is."))
    for_life: bool | None = field(metadata=said("Once it holds, it holds until somebody dies."))
    complete: bool | None = field(metadata=said("No fact is missing between the first and the last of a subject."))
    proposed: list[str] = field(metadata=said("Which of these the facts suggest, and nobody has confirmed."))
    evidence: list[str] = field(metadata=said("What the facts say for that which is proposed."))
    aliases: list[str] = field(metadata=said("Other names of the relation."))
    relation_id: str = field(metadata=said("The id of the relation."))


def relation_rows(store: FactStore) -> list[RelationRow]:
    """Return the relations of a base, those with the most facts first."""
    counts = store.sql("SELECT relation AS id, count(*) AS facts FROM facts GROUP BY relation").to_pylist()
    facts = {row["id"]: row["facts"] for row in counts}
    proposed = [one.id for one in store.relations.values() if one.proposed]
    evidence = evidence_in(store, proposed) if proposed else []
    known = sorted(store.relations.values(), key=lambda one: (-facts.get(one.id, 0), one.id))
    return [_row(one, facts.get(one.id, 0), evidence, store.relations) for one in known]


def meaning_in_words(relation: Relation, relations: Mapping[str, Relation]) -> str:
    """Say what a relation is.

    >>> meaning_in_words(Relation(id="r", label="r", one_at_a_time=True, proposed=("one_at_a_time",)), {})
    'one at a time (proposed)'
    """
    return ", ".join(
        f"{words} (proposed)" if name in relation.proposed else words for name, words in _words(relation, relations)
    )


def _words(relation: Relation, relations: Mapping[str, Relation]) -> Iterator[tuple[str, str]]:
    if relation.one_at_a_time is not None:
        yield "one_at_a_time", "one at a time" if relation.one_at_a_time else "several at a time"
    if relation.symmetric:
        yield "symmetric", "symmetric"
    if relation.inverse is not None and relation.inverse in relations:  # else the base has no fact of it
        yield "inverse", f"inverse of {relations[relation.inverse].label}"
    if relation.kind:
        yield "kind", relation.kind
    if relation.for_life:
        yield "for_life", "for life"
    if relation.complete:
        yield "complete", "complete"


def _row(
    relation: Relation, facts: int, evidence: Sequence[ProposalEvidence], relations: Mapping[str, Relation]
) -> RelationRow:
    return RelationRow(
        relation=relation.label,
        facts=facts,
        meaning=meaning_in_words(relation, relations),
        one_at_a_time=relation.one_at_a_time,
        symmetric=relation.symmetric,
        inverse=relation.inverse,
        kind=relation.kind,
        for_life=relation.for_life,
        complete=relation.complete,
        proposed=list(relation.proposed),
        evidence=[
            found.in_words for found in evidence if found.relation == relation.id and found.meaning in relation.proposed
        ],
        aliases=list(relation.aliases),
        relation_id=relation.id,
    )
