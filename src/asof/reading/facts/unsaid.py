"""What a question without a relation may ask: "who was Pope", "where was the Mona Lisa", "did Spain have the euro"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from asof.reading.facts.items import Item, Mark, Name, SmallWord
from asof.reading.facts.sense import POSTS, RelationQuery

HAVE = frozenset(("has", "have", "had"))
_ASKING = frozenset(("which", "what", "whose", "many"))
_PLACES = ("P276", "P159", "P551", "P131", "P17")
_POSTS_BY_RANK = (("P35", "P6"), ("P1308",), ("P3975", "P488", "P169", "P1037", "P286", "P98", "P371"))
_REPLACED = ("P38", "P36", "P115", "P85")
_HAD = ("P38", "P37", "P85", "P36")


def unsaid(
    items: Sequence[Item], names: Sequence[Name], has_neighbour: bool
) -> Iterator[tuple[tuple[RelationQuery, ...], ...]]:
    """Walk over the relations that a covering may mean without saying one."""
    asks_where = any(isinstance(item, SmallWord) and item.text == "where" for item in items)
    if any(isinstance(item, SmallWord) and item.text == "whose" for item in items) and len(names) == 1:
        yield (RelationQuery("P127", names[0], None),), (RelationQuery("P749", names[0], None),)
    yield from _place(names) if asks_where else _office(names)
    yield from _having(items, names)
    if has_neighbour and len(names) == 1:
        yield tuple((RelationQuery(relation, names[0], None),) for relation in (*POSTS, *_REPLACED))
        yield _posts_by_rank(names[0])  # "when did Brezhnev replace Khrushchev"
    elif has_neighbour and len(names) == 2:  # "when did the euro replace the lira in Italy"
        for holder, place in (names, names[::-1]):
            yield tuple((RelationQuery(relation, place, holder),) for relation in (*POSTS, *_REPLACED))
    elif has_neighbour and not names:  # "who succeeded Obama": as whatever he was
        yield _posts_by_rank(None)


def _place(names: Sequence[Name]) -> Iterator[tuple[tuple[RelationQuery, ...], ...]]:
    """Read "where was the Mona Lisa": the first of these relations that has facts about it."""
    if len(names) == 1:
        yield tuple((RelationQuery(relation, names[0], None),) for relation in _PLACES)


def _office(names: Sequence[Name]) -> Iterator[tuple[tuple[RelationQuery, ...], ...]]:
    """Read a question without a relation: "who was Pope", "who was Batman", "was France a monarchy"."""
    if len(names) == 1:
        office = (RelationQuery("P1308", names[0], None), RelationQuery("P39", None, names[0]))
        yield (
            office,
            (RelationQuery("P175", names[0], None),),
            (RelationQuery("P166", None, names[0]),),
            (RelationQuery("P122", None, names[0]),),
        )
    elif len(names) == 2:
        for one, other in (names, names[::-1]):
            yield (
                (RelationQuery("P1308", other, one), RelationQuery("P39", one, other)),
                (RelationQuery("P175", other, one),),
            )
        yield tuple((RelationQuery(relation, names[0], names[1]),) for relation in ("P122", "P106", "P166", "P102"))
        yield ((RelationQuery("P122", names[1], names[0]),),)  # "when did the monarchy end in Italy"
        for relation in ("P17", "P27"):  # "was Strasbourg German"
            yield ((RelationQuery(relation, names[0], names[1]),),)
        for one, other in (names, names[::-1]):  # "when did Constantinople become Istanbul"
            yield ((RelationQuery("P1448", one, other),),)


def _having(items: Sequence[Item], names: Sequence[Name]) -> Iterator[tuple[tuple[RelationQuery, ...], ...]]:
    """Read "did Estonia have the euro", "which countries had the euro", "when did Friends end"."""
    small = {item.text for item in items if isinstance(item, SmallWord)}
    if small & HAVE and len(names) == 2:
        yield tuple((RelationQuery(relation, names[0], names[1]),) for relation in _HAD)
    elif small & HAVE and small & _ASKING and len(names) == 1:
        yield tuple((RelationQuery(relation, None, names[0]),) for relation in _HAD)
    elif len(names) == 1 and any(isinstance(item, Mark) and item.kind in ("start", "end") for item in items):
        yield (RelationQuery("P449", names[0], None),), (RelationQuery("P38", None, names[0]),)


def _posts_by_rank(holder: Name | None) -> tuple[tuple[RelationQuery, ...], ...]:
    return tuple(tuple(RelationQuery(relation, None, holder) for relation in group) for group in _POSTS_BY_RANK)
