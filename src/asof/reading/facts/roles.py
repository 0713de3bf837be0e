"""Who is who in a covering: which name is the subject and which the object of the relation that is said.

"The president of France", "France's president" and "the French president" name the subject of head of state; in "was
Mitterrand the president" the name before the noun is its holder. For a verb, left and right decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from asof.reading.facts.items import Item, Mark, Name, PhraseMatch, SmallWord
from asof.reading.facts.phrases import BOTH_WAYS, Phrase, Use
from asof.reading.facts.sense import RelationQuery
from asof.reading.facts.unsaid import HAVE, unsaid

BE = frozenset(("is", "are", "was", "were", "be", "been", "being"))
DO = frozenset(("do", "does", "did"))
_PREPOSITIONS = frozenset(("of", "for", "in", "at", "from", "to", "on", "with", "by"))
_WHEREABOUTS = frozenset(("at", "in", "on", "with"))
_ASKING = frozenset(("which", "what", "whose", "many"))

Ends = Literal["head", "other"]


def roles(
    items: Sequence[Item], said: Sequence[PhraseMatch], has_neighbour: bool
) -> Iterator[tuple[tuple[RelationQuery, ...], ...]]:
    """Walk over the ways to give the names of a covering to the ends of its relation."""
    names = [item for item in items if isinstance(item, Name)]
    if len(names) > 2:
        return
    if not said:
        yield from unsaid(items, names, has_neighbour)
        return
    if among := _among(items, names):
        yield among
        return
    uses = _shared([one.phrase for one in said])
    if not uses:
        return
    verbs = [one for one in said if one.phrase.is_verb]
    if len(verbs) > 1:
        return
    if not verbs and not _owner(items, items.index(said[-1])):
        uses = _posts_only(uses)
    ways = _verb_ends(items, verbs[0]) if verbs else _noun_ends(items, said)
    for ends in ways:
        if len(ends) == len(names) and (names or has_neighbour):
            yield tuple(tuple(_asked(use, ends) for use in group) for group in uses)


def _asked(use: Use, ends: dict[Ends, Name]) -> RelationQuery:
    head, other = ends.get("head"), ends.get("other")
    return (
        RelationQuery(use.relation, head, other) if use.head == "subject" else RelationQuery(use.relation, other, head)
    )


def _among(items: Sequence[Item], names: Sequence[Name]) -> tuple[tuple[RelationQuery, ...], ...] | None:
    """Read "which position did Houston hold as senator": which of the seats that are called so."""
    several = [name for name in names if name.together]
    if len(names) == 2 and len(several) == 1 and names[1] is several[0] and _follows_as(items, items.index(names[1])):
        asks = any(isinstance(item, PhraseMatch) and item.phrase.text == "position" for item in items)
        return ((RelationQuery("P39", names[0], names[1], among=True),),) if asks else None
    return None


def _shared(phrases: Sequence[Phrase]) -> tuple[tuple[Use, ...], ...]:
    """Return the relations that all phrases can mean, in the order of the verb or of the last noun."""
    leading = next((phrase for phrase in phrases if phrase.is_verb), phrases[-1])
    shared = set.intersection(*({use.relation for group in one.groups for use in group} for one in phrases))
    alone = len(phrases) == 1
    groups = (
        tuple(use for use in group if use.relation in shared and not (alone and use.beside)) for group in leading.groups
    )
    return tuple(group for group in groups if group)


def _posts_only(uses: tuple[tuple[Use, ...], ...]) -> tuple[tuple[Use, ...], ...]:
    """Leave spouses out where a post can be meant: "Henry's queen" was his wife, "was Ann queen" is something else."""
    posts = tuple(group for group in uses if all(use.relation not in BOTH_WAYS for use in group))
    return posts or uses


def _verb_ends(items: Sequence[Item], verb: PhraseMatch) -> Iterator[dict[Ends, Name]]:
    index = items.index(verb)
    left = [item for item in items[:index] if isinstance(item, Name)]
    right = [item for item in items[index:] if isinstance(item, Name)]
    ends: dict[Ends, Name] = {}
    if len(left) == 2 and not right:  # "were A and B married": the same both ways
        mutual = all(use.relation in BOTH_WAYS for group in verb.phrase.groups for use in group)
        if mutual and any(isinstance(item, SmallWord) and item.text == "and" for item in items):
            yield {"head": left[0], "other": left[1]}
        between = items[items.index(left[0]) : items.index(left[1])]
        if any(
            isinstance(item, SmallWord) and item.text in DO | HAVE for item in between
        ):  # "how many Oscars has he won"
            yield {"head": left[1], "other": left[0]}
    elif len(left) <= 1 and len(right) <= 1:
        ends |= {"head": left[0]} if left else {}
        ends |= {"other": right[0]} if right else {}
        yield ends
        before = items[items.index(left[0]) - 1] if left else None
        if (
            not right and isinstance(before, SmallWord) and before.text in _ASKING
        ):  # "which Roman emperor reigned longest"
            yield {"other": left[0]}


def _noun_ends(items: Sequence[Item], said: Sequence[PhraseMatch]) -> Iterator[dict[Ends, Name]]:
    """Tell the holder of a noun (head) from what it belongs to (other)."""
    noun = said[-1]
    index = items.index(noun)
    names = [item for item in items if isinstance(item, Name)]
    if not names:
        yield {}
        return
    if len(names) == 1 and _asks_whose(items, index):
        yield {"head": names[0]}
        return
    owner = _owner(items, index)
    if owner:
        holders = [name for name in names if name is not owner]
        if len(holders) <= 1:
            yield {"other": owner, "head": holders[0]} if holders else {"other": owner}
        if len(holders) == 1 and not owner.words[-1].possessive:  # "did he have American citizenship"
            yield {"other": holders[0], "head": owner}
        return
    if len(names) == 1:
        last = items[-1]
        left_over = last.text if isinstance(last, SmallWord) and last.text in _PREPOSITIONS else ""
        whereabouts = left_over in _WHEREABOUTS and items.index(names[0]) > index  # "which club was he at"
        ends: list[dict[Ends, Name]] = [{"head": names[0]}]
        if not left_over or whereabouts:  # else "which country was he president of"
            ends.insert(1 if _follows_as(items, index) else 0, {"other": names[0]})
        yield from ends
    elif len(names) == 2 and items.index(names[0]) == index - 1:
        yield {"other": names[0], "head": names[1]}
        yield {"other": names[1], "head": names[0]}
    elif len(names) == 2 and _follows_as(items, index) and _has(items, *names):
        yield {"other": names[0], "head": names[1]}
    elif len(names) == 2:  # "was Paris, in France, the capital": either way, the facts decide
        yield {"other": names[1], "head": names[0]}


def _owner(items: Sequence[Item], index: int) -> Name | None:
    """Return the name that a noun belongs to: "of France" behind it, "France's" before it."""
    behind = list(items[index + 1 :])
    link = ""
    for item in behind:
        if isinstance(item, SmallWord):
            link = item.text if item.text in _PREPOSITIONS else link
        elif isinstance(item, Name) and link:
            return item
        elif not isinstance(item, Mark):
            break
    for item in reversed(items[:index]):
        if isinstance(item, Name):
            return item if item.possessive else None
        if isinstance(item, PhraseMatch) or (isinstance(item, SmallWord) and item.text not in ("the",)):
            return None
    return None


def _asks_whose(items: Sequence[Item], index: int) -> bool:
    """Tell "the capital of which country", whose owner is asked for."""
    behind = [item.text for item in items[index + 1 : index + 3] if isinstance(item, SmallWord)]
    return len(behind) == 2 and behind[0] in _PREPOSITIONS and behind[1] in ("which", "what")


def _has(items: Sequence[Item], owner: Name, thing: Name) -> bool:
    """Tell "Germany has had Berlin as its capital" from "Bonn was replaced by Berlin as the capital"."""
    between = items[items.index(owner) : items.index(thing)]
    return any(isinstance(item, SmallWord) and item.text in HAVE for item in between)


def _follows_as(items: Sequence[Item], index: int) -> bool:
    return any(isinstance(item, SmallWord) and item.text == "as" for item in items[max(0, index - 2) : index])
