"""The relations of a query: which of the base's each name means, and which way round it is asked."""

from __future__ import annotations

from dataclasses import dataclass

from asof.facts import FactStore, Relation, find_relation
from asof.reading.ask.lexicon.by_name import is_office, is_symmetric
from asof.reading.ask.query import End, Texts

ENDS: tuple[End, End] = ("subject", "object")


@dataclass(frozen=True, slots=True)
class AskedRelation:
    """A relation of the base; turned round, its subject is the object of the query."""

    id: str
    turned: bool = False

    def end(self, end: End) -> End:
        """Return the end of a fact that an end of the query is."""
        return other(end) if self.turned else end


def asked_relations(texts: Texts, store: FactStore) -> list[AskedRelation]:
    """Return the relations that are named, by name or id.

    Raises:
        UserError: The base has no such relation, or several.
    """
    row = (texts,) if isinstance(texts, str) else texts
    found = (AskedRelation(_relation(text, store).id, _is_turned(text, store)) for text in row)
    return list(dict.fromkeys(found))


def with_the_same(asked: AskedRelation, store: FactStore) -> list[AskedRelation]:
    """Return a relation and itself turned round, where what one is to the other, the other is to the one."""
    turned = AskedRelation(asked.id, not asked.turned)
    return [asked, turned] if is_symmetric(store.relations[asked.id]) else [asked]


def inverse(asked: AskedRelation, store: FactStore) -> AskedRelation | None:
    """Return the relation that says the same from the other side; None where the base has none."""
    said = store.relations[asked.id].inverse
    return AskedRelation(said, not asked.turned) if said and said in store.relations else None


def other(end: End) -> End:
    """Return the other end of a fact."""
    return "object" if end == "subject" else "subject"


def of_offices(id: str, store: FactStore) -> bool:
    """Tell whether it says who held an office: from the side of the office, or from that of the person."""
    return is_office(store.relations[id]) or in_careers(id, store)


def in_careers(id: str, store: FactStore) -> bool:
    """Tell whether its objects are offices: a person held a position, of which the base knows the holders, too."""
    relation = store.relations[id]
    other_side = store.relations.get(relation.inverse or "")
    return relation.kind == "career" and other_side is not None and other_side.kind == "office"


def is_filled(relation: Relation) -> bool:
    """Tell whether it is seldom empty for long, so that who is missing in the facts may have come between."""
    return is_office(relation) or (bool(relation.one_at_a_time) and not is_symmetric(relation))


def _is_turned(text: str, store: FactStore) -> bool:
    return text.startswith("^") and text not in store.relations


def _relation(text: str, store: FactStore) -> Relation:
    return find_relation(store, text[1:] if _is_turned(text, store) else text)
