"""What a question without a relation may ask: "who was Pope", "where was the Mona Lisa", "who succeeded Obama"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from asof.reading.ask.ends import HAVE, Ends, Groups
from asof.reading.ask.meanings import Meanings, Meant
from asof.reading.ask.presence import Presence
from asof.reading.ask.tags import Mark, Name, Small, Tag

_ASKING = frozenset(("which", "what", "whose", "many"))


def unsaid(tags: Sequence[Tag], beside: Name | None, meanings: Meanings, presence: Presence) -> Iterator[Groups]:
    """Walk over the relations that a covering may mean without saying one.

    Args:
        beside: The name that the answer stands beside: "who succeeded Obama".
    """
    names = [tag for tag in tags if isinstance(tag, Name)]
    small = {tag.text for tag in tags if isinstance(tag, Small)}
    if beside:
        yield from _beside(names, beside, meanings, presence)
        return
    if "whose" in small and len(names) == 1:
        yield _all(meanings.groups("whose"), names[0], None)
    if "where" in small:
        if len(names) == 1:
            yield _one_by_one(meanings.groups("where"), names[0], None)
    elif len(names) == 1:
        yield from _of_one(tags, names[0], small, meanings)
    elif len(names) == 2:
        yield from _of_two(names, small, meanings)
        yield from _of_a_state(names, small, meanings, presence)


def _of_one(tags: Sequence[Tag], name: Name, small: set[str], meanings: Meanings) -> Iterator[Groups]:
    yield _all(meanings.groups("office"), name, None)
    if small & HAVE and small & _ASKING:
        yield _all(meanings.groups("had"), None, name)
    if any(isinstance(tag, Mark) and tag.kind in ("start", "end") for tag in tags):
        yield _one_by_one(meanings.groups("ended"), name, None)


def _of_two(names: Sequence[Name], small: set[str], meanings: Meanings) -> Iterator[Groups]:
    one, other = names
    if small & HAVE:
        yield _all(meanings.groups("had"), one, other)
    for first, second in ((one, other), (other, one)):
        yield _all(meanings.groups("held"), second, first)
    yield _all(meanings.groups("was"), one, other)
    for first, second in ((one, other), (other, one)):  # "when did Constantinople become Istanbul"
        yield _all(meanings.groups("renamed"), first, second)


def _of_a_state(names: Sequence[Name], small: set[str], meanings: Meanings, presence: Presence) -> Iterator[Groups]:
    """Read "when did she become a lieutenant", "was the case solved": what the one is said to be, by any relation."""
    for one, other in (names, names[::-1]):
        if other.words[0].written[:1].islower() and not small & HAVE:
            both = presence.relations(one, "subject") & presence.relations(other, "object")
            joined = [id for id in sorted(both) if presence.joins(id, one, other) and not meanings.symmetric(id)]
            yield _one_by_one([tuple((id, False) for id in joined)], one, other)


def _beside(names: Sequence[Name], beside: Name, meanings: Meanings, presence: Presence) -> Iterator[Groups]:
    """Read "who replaced Ferguson at Manchester United": as whatever the facts say that he was there."""
    held = presence.relations(beside, "object")
    succession = meanings.groups("succession")
    listed = [tuple((id, False) for id, turned in row if not turned) for row in succession]
    if not names:
        if beside.entities:  # only of those among which it stands itself
            listed = [row for row in (tuple(one for one in row if one[0] in held) for row in listed) if row]
        yield _all(listed, None, None) or _all([tuple((id, False) for id in sorted(held))], None, None)
    elif len(names) == 1:
        here = presence.relations(names[0], "subject")
        posts = meanings.flat("posts") | meanings.flat("succession") | meanings.flat("replaced")
        rows: list[Meant] = [tuple((id, False) for id in sorted(here & posts))]
        yield _all(rows, names[0], None) or _all([tuple((id, False) for id in sorted(here & held))], names[0], None)
        yield _all(meanings.groups("office")[:1], names[0], None)
        for relation, subjects in presence.subjects_of_both(names[0], beside).items():
            if relation in posts:  # "when did Brezhnev replace Khrushchev"
                yield ((Ends(relation, replace(names[0], entities=subjects, narrowed=tuple(subjects)), names[0]),),)
        yield _all(listed, None, names[0])  # "when did Brezhnev replace Khrushchev"
        yield _all([tuple((id, False) for id in sorted(held))], None, names[0])
    elif len(names) == 2:  # "when did the euro replace the lira in Italy"
        for holder, position in (names, names[::-1]):
            here = presence.relations(position, "subject")
            yield _all([tuple((id, False) for id in sorted(here & (held or here)))], position, holder)


def _all(groups: Iterable[Meant], subject: Name | None, object: Name | None) -> Groups:
    """Give names to the ends of each relation; those of a group are asked together."""
    rows = (tuple(_turned(id, turned, subject, object) for id, turned in group) for group in groups)
    return tuple(row for row in rows if row)


def _one_by_one(groups: Iterable[Meant], subject: Name | None, object: Name | None) -> Groups:
    return tuple((_turned(id, turned, subject, object),) for group in groups for id, turned in group)


def _turned(id: str, turned: bool, subject: Name | None, object: Name | None) -> Ends:
    return Ends(id, object, subject) if turned else Ends(id, subject, object)
