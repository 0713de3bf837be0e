"""Who is who in a covering: which name is the subject and which the object of the relation that is said.

"The president of France", "France's president" and "the French president" name the subject of head of state; in "was
Mitterrand the president" the name before the noun is its holder. For a verb, left and right decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from asof.reading.ask.lexicon import End, LexiconLayer, Saying, Use
from asof.reading.ask.meanings import Meanings
from asof.reading.ask.presence import Presence
from asof.reading.ask.tags import Mark, Name, RelationTag, Small, Tag, Timed

BE = frozenset(("is", "are", "was", "were", "be", "been", "being", "am"))
DO = frozenset(("do", "does", "did"))
HAVE = frozenset(("has", "have", "had"))
_PREPOSITIONS = frozenset(("of", "for", "in", "at", "from", "to", "on", "with", "by"))
_BECOME = frozenset(("become", "becomes", "became", "becoming"))
_WHEREABOUTS = frozenset(("at", "in", "on", "with"))
_ASKING = frozenset(("which", "what", "whose", "many"))

Side = Literal["head", "other"]
Sides = dict[Side, Name]


@dataclass(frozen=True, slots=True)
class Ends:
    """A relation with the names that the question gives to its ends."""

    relation: str
    subject: Name | None
    object: Name | None
    among: bool = False  # the object names several: which of them is asked for

    @property
    def wanted(self) -> End | None:
        """The end that is asked for, None when both are named."""
        if self.subject and self.object:
            return "object" if self.among else None
        return "object" if self.subject else "subject"


Groups = tuple[tuple[Ends, ...], ...]


def ends_of(
    tags: Sequence[Tag], said: Sequence[RelationTag], meanings: Meanings, presence: Presence, *, beside: bool
) -> Iterator[Groups]:
    """Walk over the ways to give the names of a covering to the ends of the relation that is said."""
    names = [tag for tag in tags if isinstance(tag, Name)]
    if len(names) > 2 or not said:
        return
    if among := _among(tags, names, meanings):
        yield among
        return
    uses = _shared([one.saying for one in said])
    verbs = [one for one in said if one.saying.is_verb]
    if not uses or len(verbs) > 1:
        return
    if not verbs and not _owner(tags, tags.index(said[-1])):
        uses = _posts_only(uses, meanings)
    for sides in _verb_sides(tags, verbs[0], meanings) if verbs else _noun_sides(tags, said):
        if len(sides) == len(names) and (names or beside):
            yield tuple(row for group in uses if (row := _known_ends(group, sides, presence, alone=len(said) == 1)))
    if not names and not beside and all(one.saying.after_be or _says_all(one.saying) for one in verbs):
        groups = (_of_the_only_one(use, said[-1], presence) for group in uses[:1] for use in group)
        yield tuple(group for group in groups if group)


def _known_ends(group: Sequence[Use], sides: Sides, presence: Presence, *, alone: bool) -> tuple[Ends, ...]:
    """Give the names to the ends; what counts only where facts join the two is left out elsewhere."""
    said = [use for use in group if not (use.alone and "other" in sides)]
    row = [(use.joining and alone, _ends(use, sides)) for use in said]
    return tuple(one for joins, one in row if not joins or presence.joins(one.relation, one.subject, one.object))


def _of_the_only_one(use: Use, said: RelationTag, presence: Presence) -> tuple[Ends, ...]:
    """Read "who was chief astronaut in 2018" of the only one that has any, where a base speaks of one agency alone."""
    id = presence.only(use.relation, "subject" if use.head == "object" else "object")
    return (_ends(use, {"other": Name(said.words, {id: True}, narrowed=(id,))}),) if id else ()


def _says_all(saying: Saying) -> bool:
    """Tell whether a verb says what is done, too: "supplied milk" of "milk supplied by"."""
    return len(saying.words) > 1 and saying.layers[0] is LexiconLayer.DERIVED and not saying.event


def _ends(use: Use, sides: Sides) -> Ends:
    head, other = sides.get("head"), sides.get("other")
    return Ends(use.relation, head, other) if use.head == "subject" else Ends(use.relation, other, head)


def _among(tags: Sequence[Tag], names: Sequence[Name], meanings: Meanings) -> Groups | None:
    """Read "which position did Houston hold as senator": which of the seats that are called so."""
    several = [name for name in names if name.together]
    if len(names) == 2 and len(several) == 1 and names[1] is several[0] and _follows_as(tags, tags.index(names[1])):
        asks = any(isinstance(tag, RelationTag) and tag.saying.text == "position" for tag in tags)
        careers = meanings.flat("careers")
        return (tuple(Ends(one, names[0], names[1], among=True) for one in careers),) if asks and careers else None
    return None


def _shared(sayings: Sequence[Saying]) -> tuple[tuple[Use, ...], ...]:
    """Return the relations that all sayings can mean, in the order of the verb or of the last noun."""
    own_labels = [_related(one, LexiconLayer.LABEL) for one in sayings if not one.is_verb]
    if any(one and other and not one & other for one, other in combinations(own_labels, 2)):
        return ()  # "director and general manager", of a base that has both
    leading = next((saying for saying in sayings if saying.is_verb), sayings[-1])
    shared = set.intersection(*(_related(one, one.layers[-1]) for one in sayings))
    own = set.intersection(*(_related(one, one.layers[-1 if one is leading else 0]) for one in sayings))
    shared = own or shared  # "when did the head office move": that of the base's own name
    alone = len(sayings) == 1
    groups = (
        tuple(use for use in group if use.relation in shared and not (alone and use.beside)) for group in leading.groups
    )
    return tuple(group for group in groups if group)


def _related(saying: Saying, lowest: LexiconLayer) -> set[str]:
    """Return the relations that a saying may mean, down to some layer."""
    rows = zip(saying.groups, saying.layers, strict=True)
    return {use.relation for group, layer in rows if layer <= lowest for use in group}


def _posts_only(uses: tuple[tuple[Use, ...], ...], meanings: Meanings) -> tuple[tuple[Use, ...], ...]:
    """Leave spouses out where a post can be meant: "Henry's queen" was his wife, "was Ann queen" is something else."""
    posts = tuple(group for group in uses if all(not meanings.symmetric(use.relation) for use in group))
    return posts or uses


def _verb_sides(tags: Sequence[Tag], verb: RelationTag, meanings: Meanings) -> Iterator[Sides]:
    position = tags.index(verb)
    left = [tag for tag in tags[:position] if isinstance(tag, Name)]
    right = [tag for tag in tags[position:] if isinstance(tag, Name)]
    made_of_a_noun = verb.saying.layers[0] in (LexiconLayer.DERIVED, LexiconLayer.SHORT) and verb.saying.in_base_form
    if made_of_a_noun and left and left[-1] is tags[position - 1] and left[-1].words[-1].possessive:
        return  # "Ann's sister" is that noun
    if len(left) == 2 and not right:  # "were A and B married": the same both ways
        mutual = all(meanings.symmetric(use.relation) for group in verb.saying.groups for use in group)
        if mutual and any(isinstance(tag, Small) and tag.text == "and" for tag in tags):
            yield {"head": left[0], "other": left[1]}
        between = tags[tags.index(left[0]) : tags.index(left[1])]
        if any(isinstance(tag, Small) and tag.text in DO | HAVE for tag in between):  # "how many Oscars has he won"
            yield {"head": left[1], "other": left[0]}
    elif len(left) <= 1 and len(right) <= 1:
        sides: Sides = {}
        sides |= {"head": left[0]} if left else {}
        sides |= {"other": right[0]} if right else {}
        yield sides
        before = tags[tags.index(left[0]) - 1] if left else None
        if not right and isinstance(before, Small) and before.text in _ASKING:  # "which Roman emperor reigned longest"
            yield {"other": left[0]}


def _noun_sides(tags: Sequence[Tag], said: Sequence[RelationTag]) -> Iterator[Sides]:
    """Tell the holder of a noun (head) from what it belongs to (other)."""
    noun = said[-1]
    position = tags.index(noun)
    names = [tag for tag in tags if isinstance(tag, Name)]
    if not names:
        yield {}
        return
    if len(names) == 1 and _asks_whose(tags, position):
        yield {"head": names[0]}
        return
    owner = _owner(tags, position)
    if owner:
        holders = [name for name in names if name is not owner]
        if len(holders) <= 1:
            yield {"other": owner, "head": holders[0]} if holders else {"other": owner}
        if len(holders) == 1 and not owner.words[-1].possessive:  # "did he have American citizenship"
            yield {"other": holders[0], "head": owner}
        return
    if len(names) == 1:
        last = tags[-1]
        left_over = last.text if isinstance(last, Small) and last.text in _PREPOSITIONS else ""
        whereabouts = left_over in _WHEREABOUTS and tags.index(names[0]) > position  # "which club was he at"
        ways: list[Sides] = [{"head": names[0]}]
        if _becomes(tags[tags.index(names[0]) : position]):  # "when did Alaska become a state"
            yield from ways
            return
        if not left_over or whereabouts:  # else "which country was he president of"
            ways.insert(1 if _follows_as(tags, position) else 0, {"other": names[0]})
        yield from ways
    elif tags.index(names[0]) == position - 1:
        yield {"other": names[0], "head": names[1]}
        yield {"other": names[1], "head": names[0]}
    elif _follows_as(tags, position) and _has(tags, *names):
        yield {"other": names[0], "head": names[1]}
    else:  # "was Paris, in France, the capital": either way, the facts decide
        yield {"other": names[1], "head": names[0]}


def _owner(tags: Sequence[Tag], position: int) -> Name | None:
    """Return the name that a noun belongs to: "of France" behind it, "France's" before it."""
    link = ""
    for tag in tags[position + 1 :]:
        if isinstance(tag, Small):
            link = tag.text if tag.text in _PREPOSITIONS else link
        elif isinstance(tag, Name) and link:
            return tag
        elif not isinstance(tag, Mark | Timed):
            break
    for tag in reversed(tags[:position]):
        if isinstance(tag, Name):
            return tag if tag.possessive else None
        if isinstance(tag, RelationTag) or (isinstance(tag, Small) and tag.text != "the"):
            return None
    return None


def _becomes(between: Sequence[Tag]) -> bool:
    return any(isinstance(tag, Mark) and tag.kind == "start" and tag.word.text in _BECOME for tag in between)


def _asks_whose(tags: Sequence[Tag], position: int) -> bool:
    """Tell "the capital of which country", whose owner is asked for."""
    behind = [tag.text for tag in tags[position + 1 : position + 3] if isinstance(tag, Small)]
    return len(behind) == 2 and behind[0] in _PREPOSITIONS and behind[1] in ("which", "what")


def _has(tags: Sequence[Tag], owner: Name, thing: Name) -> bool:
    """Tell "Germany has had Berlin as its capital" from "Bonn was replaced by Berlin as the capital"."""
    between = tags[tags.index(owner) : tags.index(thing)]
    return any(isinstance(tag, Small) and tag.text in HAVE for tag in between)


def _follows_as(tags: Sequence[Tag], position: int) -> bool:
    return any(isinstance(tag, Small) and tag.text == "as" for tag in tags[max(0, position - 2) : position])
