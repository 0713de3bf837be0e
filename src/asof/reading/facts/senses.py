"""What a covering can mean: its relation with the ends named, its marks, and whether they make sense together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from asof.reading.facts.items import Item, Mark, MarkKind, Name, PhraseMatch, SmallWord
from asof.reading.facts.leaning import leans_on
from asof.reading.facts.phrases import EXTREMES, Event, Order, Phrase, phrases
from asof.reading.facts.roles import BE, DO, roles
from asof.reading.facts.sense import RelationQuery, Sense

_DONE = frozenset(("have", "hold", "serve", "occupy", "come", "sit", "spend", "be", "name"))
_NEXT_TO = frozenset(("right", "just", "immediately", "directly"))  # before or after
_SAME_IN_PLURAL = frozenset(("series", "sports"))
_CAREER = "P39"
_WORK = frozenset(("job", "post", "office", "position", "role"))
_DEEDS = ("start", "end", "change", "follow", "precede", "longest", "shortest")
_BEGIN = frozenset(("start", "starts", "started", "begin", "begins", "began"))
_ORDERS = ("first", "last", "nth", "most of", *EXTREMES)
_ONCE: tuple[MarkKind, ...] = (
    "before", "after", "between", "follow", "precede", "first", "last", "nth", "previous", "number", *EXTREMES,
)  # fmt: skip


def senses(items: Sequence[Item]) -> Iterator[Sense]:
    """Walk over what a covering can mean; nothing when it makes no sense."""
    marks = [item for item in items if isinstance(item, Mark)]
    kinds = [mark.kind for mark in marks]
    if any(kinds.count(kind) > 1 for kind in _ONCE) or ("nth" in kinds and not _numbers_a_noun(items)):
        return
    if sum(kind in _ORDERS for kind in kinds) > 1 or ("now" in kinds and set(kinds) & set(EXTREMES)):
        return  # "the second longest", "the longest-serving present judge"
    if any(isinstance(item, SmallWord) and item.text == "when" for item in items):
        return  # "who became king when Edward abdicated" tells of two things
    said = [item for item in items if isinstance(item, PhraseMatch)]
    if any(not _has_its_helper(one, items) for one in said) or len({one.phrase.text for one in said}) < len(said):
        return
    if "change" in kinds and all(one.phrase.is_verb for one in said):
        return  # "what changed in Germany"
    event = _event(said, kinds)
    for leaning in leans_on(items):
        neighbour = leaning.name
        rest = [item for item in items if item is not neighbour and item is not leaning.other]
        for given in roles(rest, said, neighbour is not None):
            groups, landing = _landing(given, said) if leaning.side == "after" else (given, None)
            sense = Sense(
                groups=groups,
                landing=landing,
                changes="change" in kinds or any(one.phrase.changes for one in said),
                returns=any(one.phrase.returns for one in said),
                said=tuple(one.phrase.text for one in said),
                neighbour=neighbour,
                side=leaning.side,
                until=leaning.other,
                all_on_side=_of_several(rest),
                order=_order(marks),
                event="start" if landing else None if neighbour else event,
                now="now" in kinds,
                lacks_a_verb=not _does_something(items, said),
                in_present=any(_is_in_present(one.phrase, items) for one in said),
                many=next((mark.word.number for mark in marks if mark.kind == "number"), 0),
                begins=any(mark.kind == "start" and mark.word.text in _BEGIN for mark in marks),
                narrowed="narrowing" in kinds,
                at_first=_at_first(items),
                before_now=bool({"previous", "former"} & set(kinds)) and neighbour is None,
            )
            if sense.counts_prizes and any(isinstance(item, SmallWord) and item.text in _WORK for item in rest):
                continue  # "when did she get her first job"
            if ("most of" not in kinds or sense.counts_prizes) and ("former" not in kinds or sense.is_of_names):
                yield sense


def _landing(
    groups: tuple[tuple[RelationQuery, ...], ...], said: Sequence[PhraseMatch]
) -> tuple[tuple[tuple[RelationQuery, ...], ...], Name | None]:
    """Set apart what came after a neighbour, where it is named: "when did Merkel succeed Schröder as chancellor"."""
    asked = [one for group in groups for one in group]
    names = [one.subject if one.relation == _CAREER else one.object for one in asked]
    named = all(one.subject and one.object for one in asked) or not said
    if not names or not named or any(name is not names[0] for name in names):
        return groups, None

    def opened(query: RelationQuery) -> RelationQuery:
        return replace(query, subject=None) if query.relation == _CAREER else replace(query, object=None)

    return tuple(tuple(opened(one) for one in group) for group in groups), names[0]


def _of_several(items: Sequence[Item]) -> bool:
    """Tell whether several are asked for: "which actors", "the presidents", but not those right before."""
    small = {item.text for item in items if isinstance(item, SmallWord)}
    if small & _NEXT_TO:
        return False
    plural_kinds = phrases().words("kinds") & {text for text in small if text.endswith("s")}
    nouns = any(
        (isinstance(item, PhraseMatch) and item.phrase.plural)
        or (isinstance(item, Name) and item.plural)
        or (isinstance(item, Mark) and item.kind.endswith(" noun") and item.word.text.endswith("s"))
        for item in items
    )
    return nouns or bool(plural_kinds - _SAME_IN_PLURAL)


def _is_in_present(phrase: Phrase, items: Sequence[Item]) -> bool:
    """Tell "who heads" and "which countries use" from "which countries did use"."""
    helped = any(isinstance(item, SmallWord) and item.text in DO | BE for item in items)
    return phrase.is_verb and (phrase.in_present or (phrase.in_base_form and not helped))


def _at_first(items: Sequence[Item]) -> bool:
    """Tell "when did he first play" from "when was the first president"."""
    for before, item in zip((None, *items), items, strict=False):
        if isinstance(item, Mark) and item.kind == "first":
            owned = isinstance(before, Name) and before.possessive
            return not owned and not (isinstance(before, SmallWord) and before.text == "the")
    return False


def _order(marks: Sequence[Mark]) -> Order | None:
    for mark in marks:
        if mark.kind in ("first", "last", *EXTREMES):
            return cast(Order, mark.kind)
        if mark.kind == "most of":
            return "most"
        if mark.kind == "nth":
            return mark.word.order
    return None


def _numbers_a_noun(items: Sequence[Item]) -> bool:
    """Tell "the third wife" and "the 44th US president" from "Elizabeth the Second"."""
    index = next(index for index, item in enumerate(items) if isinstance(item, Mark) and item.kind == "nth")
    behind = [
        item
        for item, after in zip(items[index + 1 :], (*items[index + 2 :], None), strict=True)
        if not (isinstance(item, Name) and (item.possessive or isinstance(after, PhraseMatch)))
    ]
    if behind and isinstance(behind[0], Name) and not any(isinstance(item, PhraseMatch) for item in items):
        return True  # "the third caliph"
    return bool(behind) and isinstance(behind[0], PhraseMatch) and not behind[0].phrase.is_verb


def _has_its_helper(said: PhraseMatch, items: Sequence[Item]) -> bool:
    """Tell whether a verb stands with the helper that it wants: "was married", but "did marry"."""
    if not said.phrase.is_verb:
        return True
    small = {item.text for item in items if isinstance(item, SmallWord)}
    if said.phrase.words == ("at",):  # "was at Harvard", but not "replaced him at Harvard"
        return bool(small & BE)
    if said.phrase.after_be and any(isinstance(item, Mark) and item.kind == "start" for item in items):
        return True  # "did it become part of"
    if said.phrase.after_be:
        return bool(small & BE) or not small & DO
    return not (said.phrase.event and said.phrase.words[0].endswith("ed") and small & BE)


def _does_something(items: Sequence[Item], said: Sequence[PhraseMatch]) -> bool:
    """Tell "which band did he" from a whole question: after "did" comes what was done."""
    small = {item.text for item in items if isinstance(item, SmallWord)}
    if not small & DO or any(one.phrase.is_verb for one in said):
        return True
    return bool(small & _DONE) or any(isinstance(item, Mark) and item.kind in _DEEDS for item in items)


def _event(said: Sequence[PhraseMatch], kinds: Sequence[str]) -> Event | None:
    events: list[Event] = [one.phrase.event for one in said if one.phrase.event]
    if "end" in kinds or "end" in events:  # "left office", "stopped being", "got divorced"
        return "end"
    if "start" in kinds or "change" in kinds:
        return "start"
    return events[0] if events else None
