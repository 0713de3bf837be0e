"""From a frame to the parts of a query: relations by name, the ends, the time, and how good that reading is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from asof.reading.ask.ends import Ends
from asof.reading.ask.evaluate.kinds import singular, tables
from asof.reading.ask.evaluate.relations import ENDS
from asof.reading.ask.frame import QuestionFrame, words_in
from asof.reading.ask.lexicon import LexiconLayer
from asof.reading.ask.lexicon.by_name import heads
from asof.reading.ask.lexicon.labels import LINKS, PLACES, plain_label
from asof.reading.ask.query import During, Extreme, Neighbour, Ordered, Pattern, Query, Texts
from asof.reading.ask.tags import Name
from asof.reading.ask.words import ARTICLES

_HEADING = frozenset(("lead", "leads", "led", "leading", "leader", "run", "runs", "ran", "running", "head", "heads"))
_HEADING |= frozenset(("headed", "heading", "boss", "chief", "charge", "helm"))
_WHERE = LINKS - {"by", "with"}
_PRESENT = ("lookup", "yes-no", "count")  # kinds that ask of today where a verb is in the present
_NO_EVENT = ("duration",)
_COST = {
    LexiconLayer.LABEL: 0.0,
    LexiconLayer.BASE: 0.05,
    LexiconLayer.DERIVED: 0.1,
    LexiconLayer.ENGLISH: 0.2,
    LexiconLayer.ALIAS: 0.25,
    LexiconLayer.SHORT: 0.3,
    LexiconLayer.CLASS: 0.3,
}
_OFFICE = 0.1
_UNSAID, _LATER, _IN_PART, _UNKNOWN, _TAG, _MENDED = 0.5, 0.1, 0.5, 0.8, 0.05, 0.1


@dataclass(frozen=True)
class Reading:
    """One way to understand a question: the query, how good it is, and the words that it rests on."""

    query: Query
    score: float
    words: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Given:
    """The parts of a query that one group of relations gives."""

    frame: QuestionFrame
    group: tuple[Ends, ...]
    rank: int  # of the group among others

    @property
    def both(self) -> bool:
        """Whether both ends are named."""
        return all(one.subject and one.object for one in self.group)

    @property
    def among(self) -> bool:
        """Whether one of the names stands for several, of which one is asked for."""
        return any(one.among for one in self.group)

    @property
    def ordered(self) -> bool:
        """Whether the question picks facts by their place or length."""
        return isinstance(self.frame.pick.which, Ordered | Extreme)

    @property
    def of_prizes(self) -> bool:
        """Whether it speaks of prizes, which one can have many of."""
        return {one.relation for one in self.group} <= self.frame.grammar.meanings.flat("prizes")

    @property
    def of_places(self) -> bool:
        """Whether it tells where something is or to which state it belongs."""
        relations = self.frame.grammar.lexicon.relations
        return all(relations[one.relation].kind == "place" for one in self.group)

    @property
    def names_a_holder(self) -> bool:
        """Whether it tells of somebody under a title, but not where: "was Thatcher prime minister"."""
        frame, meanings = self.frame, self.frame.grammar.meanings
        posts = meanings.flat("posts") | meanings.flat("offices")
        of_label = frame.layer(self.group) is LexiconLayer.LABEL
        some = of_label and bool(frame.small & ARTICLES - {"the"})  # "was she ever an understudy"
        return bool(frame.said) and all(
            (some or one.relation in posts) and one.object and not one.subject for one in self.group
        )

    @property
    def tells_an_hour(self) -> bool:
        """Whether what it asks when may be the very object of the facts: "closes at", "open on"."""
        relations = self.frame.grammar.lexicon.relations
        return not self.both and any(
            one.subject and _ends_in_an_hour(plain_label(relations[one.relation].label)) for one in self.group
        )

    @property
    def tells_numbers(self) -> bool:
        """Whether what it asks for is a number in the facts themselves."""
        wanted = {one.wanted for one in self.group} == {"object"}
        return wanted and self.frame.grammar.presence.tells_numbers({one.relation for one in self.group})

    @property
    def is_of_some(self) -> bool:
        """Whether a noun is only the last word of a label: a chief pilot is not all pilots that are counted."""
        frame, relations = self.frame, self.frame.grammar.lexicon.relations
        nouns = all(not one.saying.is_verb for one in frame.said) and len(frame.said) == 1
        short = nouns and frame.layer(self.group) is LexiconLayer.SHORT
        return short and not any(heads(relations[one.relation]) for one in self.group)

    @property
    def is_a_deed(self) -> bool:
        """Whether a verb says what is done to something, which is no answer to "where": "flies", "plays class"."""
        relations = self.frame.grammar.lexicon.relations
        verbs = bool(self.frame.said) and all(one.saying.is_verb for one in self.frame.said)
        own = self.frame.layer(self.group) in (LexiconLayer.LABEL, LexiconLayer.DERIVED)
        row = [relations[one.relation] for one in self.group]
        said = {word for one in self.frame.said for word in one.saying.words}
        where = self.frame.grammar.meanings.flat("where")
        place = any(one.kind or one.id in where or {*said, *plain_label(one.label)} & (_WHERE | PLACES) for one in row)
        return verbs and own and not place

    @property
    def is_of_a_part(self) -> bool:
        """Whether "who led it" may mean somebody else, too, in a base that has a guild master and a raid leader."""
        frame, grammar = self.frame, self.frame.grammar
        known, relations = grammar.lexicon.known, grammar.lexicon.relations
        if len(frame.said) != 1 or not set(frame.said[0].saying.words) & _HEADING:
            return False
        ids = {one.relation for one in self.group}
        if any(known.is_plain(relations[id]) for id in ids) or LexiconLayer.LABEL is frame.layer(self.group):
            return False
        names = filter(None, (self.group[0].subject, self.group[0].object))
        there = {id for name in names for end in ENDS for id in grammar.presence.relations(name, end)}
        if frame.pick.beside:  # of those, only what the other stands in as well: "who led it before Mog"
            there &= grammar.presence.relations(frame.pick.beside, "object")
        return any(heads(relations[id]) for id in there - ids)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the query."""
        frame, first = self.frame, self.group[0]
        said: dict[str, Any] = {"relation": self._relations, "subject": self._text(first.subject)}
        said |= {"object": self._text(first.object), "wanted": first.wanted if first.among else None}
        said |= {"which": self._which, "when": self._when, "kind": self._kind, "title": self._title}
        event = frame.event if not frame.pick.beside else None
        past = frame.has("past") and said["when"] is None  # "who used to own it": not who still does
        said["event"] = None if frame.asks in _NO_EVENT else "end" if past else event
        said["throughout"] = True if frame.lasts and not event else None
        if frame.pick.beside and self.both:  # when did one come in the place of another
            said |= {"event": "start" if frame.asks == "when" else None}
        return {key: value for key, value in said.items() if value is not None}

    def scored(self, query: Query, *, cost: float = 0) -> Reading:
        """Rate a query that was made of these parts."""
        frame = self.frame
        cost += _COST[frame.layer(self.group)] if frame.said else self._unsaid
        cost += _LATER * self.rank + _TAG * len(frame.tags)
        for name in [*frame.names, *filter(None, (frame.pick.beside, frame.pick.until))]:
            cost += (_IN_PART if name.entities else _UNKNOWN) if name.in_part else 0
            cost += _MENDED if name.mended else 0
        words = tuple(one.saying.text for one in frame.said)
        return Reading(query, -cost, words, self._notes())

    @property
    def _unsaid(self) -> float:
        """What it costs that no relation is said: little where the one name is that of an office."""
        names = self.frame.names
        is_office = len(names) == 1 and self.frame.grammar.presence.is_office(names[0])
        return _OFFICE if is_office and len(names[0].words) > 1 else _UNSAID

    def _notes(self) -> tuple[str, ...]:
        frame, words = self.frame, self.frame.grammar.lexicon.words
        names = (*frame.names, frame.pick.beside)
        notes = [f"Read as: {name.text}'s" for name in names if name and name.mended]
        said = {word.text for tag in frame.tags if not isinstance(tag, Name) for word in words_in(tag)}
        if frame.event == "end" and said & words("how_it_ended"):
            notes.append("The facts tell when something ended, not how.")
        musicians = self.frame.grammar.meanings.flat("musicians")
        if said & words("music") and not {one.relation for one in self.group} <= musicians:
            notes.append("The facts tell who was in a band, not what they did there.")
        return tuple(notes)

    @property
    def _relations(self) -> Texts:
        first = self.group[0]
        names = self.frame.grammar.relation_names
        row = []
        for one in self.group:
            turned = (
                one.subject is not first.subject or one.object is not first.object
            ) and first.subject != first.object
            row.append(("^" if turned else "") + names[one.relation])
        return row[0] if len(row) == 1 else tuple(row)

    def _text(self, name: Name | None) -> Texts | None:
        """Return a name as a query says it: as it is meant, in full where only one such thing has these facts."""
        if name is None:
            return None
        if name.together:
            other = first_other(self.group[0], name)
            return self.frame.grammar.presence.together(name, other)
        if name.narrowed:
            return name.narrowed[0] if len(name.narrowed) == 1 else name.narrowed[:50]
        if name.in_part and name.entities:
            presence = self.frame.grammar.presence
            ids = {one.relation for one in self.group}
            having = {id for end in ("subject", "object") for id in presence.having(name, end, ids)}
            if len(having) == 1 and self.frame.grammar.is_alone(self.group, name):
                return presence.label(next(iter(having)))
        return name.said

    @property
    def _which(self) -> Neighbour | Ordered | Extreme | None:
        which = self.frame.pick.which
        if isinstance(which, Neighbour) and which.of:
            several = self.frame.several and which.count == 1
            return Neighbour(side=which.side, of=which.of, until=which.until, count=which.count, all=several)
        return which

    @property
    def _when(self) -> Texts | During | None:
        frame = self.frame
        times = tuple(time.text for time in frame.times)
        if frame.clause:
            facts = frame.clause.facts
            stated = times[0] if len(times) == 1 else times or None
            if stated and facts.when is None:
                return During(facts=replaced(facts, when=stated), moment=frame.clause.moment)
            return frame.clause
        if times:
            return times[0] if len(times) == 1 else times
        special = frame.pick.which is not None
        present = (frame.present or frame.in_present) and frame.asks in _PRESENT and not frame.has("past")
        return "today" if (frame.has("now") or present) and not special else None

    @property
    def _kind(self) -> str | None:
        """The kind of thing that is asked for: the nouns behind "which" and "how many"."""
        if any(one.saying.text in _POSITIONS for one in self.frame.said):
            return "position"
        return " ".join(self.frame.kind_words) or None

    @property
    def _title(self) -> str | None:
        titles = tables()["titles"]
        for one in self.frame.said:
            text = one.saying.text
            if not one.saying.is_verb and (text in titles or singular(text) in titles):
                return text
        return None


def first_other(ends: Ends, name: Name) -> Name | None:
    """Return the name at the other end."""
    return ends.object if ends.subject is name else ends.subject


_POSITIONS = frozenset(("position", "office", "post", "role", "job", "positions", "offices", "posts", "roles", "jobs"))


def _ends_in_an_hour(label: tuple[str, ...]) -> bool:
    return label[-1:] in (("at",), ("on",)) or (label[-1:] == ("from",) and not label[0].endswith(("ed", "s")))


def patterns(frame: QuestionFrame) -> Iterator[Given]:
    """Walk over the groups of relations of a frame; nothing where facts do not tell as much as it says."""
    if frame.changes and frame.asks not in ("when", "count") and not frame.times:
        return  # "who changed the currency"
    for given in _groups(frame):
        verbs = {one.saying.words[0] for one in frame.said if one.saying.is_verb}
        words = frame.grammar.lexicon.words
        if verbs & words("dismissal") and not (given.both and frame.asks == "when"):
            continue  # that somebody left does not tell that he was sacked
        if given.is_of_a_part or ("where" in frame.small and given.is_a_deed):
            continue
        if frame.clause and not frame.names and any(one.wanted == "subject" for one in given.group):
            continue  # "Ann's godmother" is none that somebody else had under Ann
        turned = {id for id, is_turned in frame.grammar.lexicon.known.named("member of") if is_turned}
        asks_who = any(one.wanted != ("subject" if one.relation in turned else "object") for one in given.group)
        asks_who = asks_who and not {one.relation for one in given.group} <= frame.grammar.meanings.flat("musicians")
        its_own = frame.layer(given.group) in (LexiconLayer.LABEL, LexiconLayer.DERIVED)  # "sings in"
        if (
            not verbs & words("music") or its_own or (frame.asks == "lookup" and not asks_who)
        ):  # who was in a band need not have sung
            yield given


def _groups(frame: QuestionFrame) -> Iterator[Given]:
    for rank, group in enumerate(frame.groups):
        if len({one.wanted for one in group}) == 1 or all(one.subject or one.object for one in group):
            yield Given(frame, group, rank)


def replaced(query: Pattern, **fields: Any) -> Any:
    """Return a query with other fields."""
    values = {name: getattr(query, name) for name in query.__struct_fields__}
    return type(query)(**(values | fields))
