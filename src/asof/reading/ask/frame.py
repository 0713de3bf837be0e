"""What a covering says: a relation with its ends named, which facts are picked, times, and what happened then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from asof.reading.ask.ends import BE, DO, HAVE, Ends, Groups, ends_of
from asof.reading.ask.kinds import Pick
from asof.reading.ask.lexicon import Event, Lexicon, LexiconLayer, Saying
from asof.reading.ask.lexicon.by_name import is_somebody
from asof.reading.ask.meanings import Meanings
from asof.reading.ask.named_offices import Offices
from asof.reading.ask.presence import Presence
from asof.reading.ask.query import During
from asof.reading.ask.tags import Mark, Name, RelationTag, Small, Tag, Timed
from asof.reading.ask.unsaid import unsaid
from asof.reading.ask.words import Word
from asof.timeline.specifier import Specifier

_DONE = frozenset(("have", "hold", "serve", "occupy", "come", "sit", "spend", "be", "name", "use", "pay", "charge"))
_ASKING = frozenset(("which", "what", "whose"))
_NEXT_TO = frozenset(("right", "just", "immediately", "directly"))  # before or after
_SAME_IN_PLURAL = frozenset(("series", "sports"))
_WORK = frozenset(("job", "post", "office", "position", "role"))
_THERE = frozenset((("at",), ("in",), ("on",), ("with",)))
_BEGIN = frozenset(("start", "starts", "started", "begin", "begins", "began"))


@dataclass(frozen=True)
class QuestionGrammar:
    """What frames are made with."""

    lexicon: Lexicon
    meanings: Meanings
    presence: Presence
    offices: Offices
    relation_names: Mapping[str, str]  # by id: a name that means no other

    def is_alone(self, group: Sequence[Ends], name: Name) -> bool:
        """Tell whether a name is the only one at its ends, so that no other can tell whose last name it is."""
        return not any(one.subject and one.object for one in group) and bool(name.entities)


@dataclass(frozen=True, kw_only=True)
class QuestionFrame:
    """What a covering says, for the kinds of question to make queries of.

    Args:
        asks: The kind that its opening words are of.
        opened: These words.
        opening: What they say of the ends of facts: "since when".
        groups: Relations with the names at their ends; those of a group are asked together.
        pick: Which of the facts count.
        clause: A time that other facts tell.
    """

    asks: str
    opened: tuple[str, ...]
    opening: Event | None
    present: bool
    tags: tuple[Tag, ...]
    groups: Groups
    pick: Pick
    clause: During | None
    times: tuple[Specifier, ...]
    event: Event | None
    grammar: QuestionGrammar

    @property
    def said(self) -> list[RelationTag]:
        """The sayings of relations."""
        return [tag for tag in self.tags if isinstance(tag, RelationTag)]

    @property
    def small(self) -> frozenset[str]:
        """The small words."""
        return frozenset(tag.text for tag in self.tags if isinstance(tag, Small))

    @property
    def names(self) -> list[Name]:
        """The names."""
        return [tag for tag in self.tags if isinstance(tag, Name)]

    def has(self, *kinds: str) -> bool:
        """Tell whether a mark of some kinds is there."""
        return any(isinstance(tag, Mark) and tag.kind in kinds for tag in self.tags)

    @property
    def in_present(self) -> bool:
        """Tell "who heads" and "which countries use" from "which countries did use"."""
        helped = bool(self.small & (DO | BE))
        return any(
            one.saying.is_verb and (one.saying.in_present or (one.saying.in_base_form and not helped))
            for one in self.said
        )

    @property
    def lasts(self) -> bool:
        """Tell "who has been a member since 2014", and is, from "which members has it had since 2014"."""
        have = next((at for at, tag in enumerate(self.tags) if isinstance(tag, Small) and tag.text in HAVE), None)
        since = len(self.times) == 1 and self.times[0].text.casefold().startswith(("since", "ever since"))
        if have is None or not since or self.pick.which or self.clause or self.small & {"had", "ever"}:
            return False
        behind = next((tag for tag in self.tags[have + 1 :] if isinstance(tag, RelationTag | Name)), None)
        return self.asks == "lookup" and isinstance(behind, RelationTag)

    @property
    def begins(self) -> bool:
        """Whether it says "started" or "began", not "became"."""
        return any(isinstance(tag, Mark) and tag.kind == "start" and tag.word.text in _BEGIN for tag in self.tags)

    @property
    def several(self) -> bool:
        """Tell whether several are asked for: "which actors", "the presidents", but not those right before."""
        if self.small & _NEXT_TO:
            return False
        kinds = self.grammar.lexicon.words("kinds") & {text for text in self.small if text.endswith("s")}
        nouns = any(
            (isinstance(tag, RelationTag) and tag.saying.plural)
            or (isinstance(tag, Name) and tag.plural)
            or (isinstance(tag, Mark) and tag.kind.endswith(" noun") and tag.word.text.endswith("s"))
            for tag in self.tags
        )
        return nouns or bool(kinds - _SAME_IN_PLURAL)

    @property
    def lacks_a_verb(self) -> bool:
        """Tell "which band did he" from a whole question: after "did" comes what was done."""
        if not self.small & DO or any(one.saying.is_verb for one in self.said):
            return False
        return not (self.small & _DONE or self.has("start", "end", "change") or self.pick.which)

    @property
    def is_loose(self) -> bool:
        """Tell "how many students are at Tarn", where nothing says that those who are there are students."""
        nouns = any(isinstance(tag, Small) and tag.is_class for tag in self.tags)
        return nouns and (not self.names or all(one.saying.words in _THERE for one in self.said))

    @property
    def changes(self) -> bool:
        """Whether it asks of a change, before which something else was there."""
        return self.has("change") or any(one.saying.changes for one in self.said)

    @property
    def returns(self) -> bool:
        """Whether it says that something was so before: "returned to"."""
        return any(one.saying.returns for one in self.said)

    @property
    def kind_words(self) -> list[str]:
        """The nouns right behind "which" or "what" that tell what kind of thing is asked for."""
        lexicon = self.grammar.lexicon
        nouns = lexicon.words("kinds") | {"national"}
        row = [(word.text, tag) for tag in self.tags for word in words_in(tag)]
        asked = [position for position, (text, _) in enumerate(row) if text in _ASKING]
        start = asked[0] + 1 if asked else 0 if self.asks == "count" else len(row)
        found = []
        for text, tag in row[start:]:
            origin = isinstance(tag, Mark) and tag.kind == "origin"
            class_noun = isinstance(tag, Small) and tag.is_class
            if not (origin or class_noun or text in nouns) or isinstance(tag, Name):
                break
            found.append(text)
        if found or asked:
            return [text for text in found if text not in lexicon.words("vague")]
        said = [one.saying.words for one in self.said if not one.saying.is_verb]
        return [*said[-1]] if said and all(word in nouns for word in said[-1]) else []

    def layer(self, group: Sequence[Ends]) -> LexiconLayer:
        """Return the layer that a group of relations comes from."""
        ids = {one.relation for one in group}
        found = [_layer(one.saying, ids) for one in self.said]
        return max(found, default=LexiconLayer.ENGLISH)


def words_in(tag: Tag) -> tuple[Word, ...]:
    """Return the words of a tag."""
    return (tag.word,) if isinstance(tag, Small) else () if isinstance(tag, Timed) else tag.words


def _layer(saying: Saying, ids: set[str]) -> LexiconLayer:
    rows = zip(saying.groups, saying.layers, strict=True)
    return next((layer for group, layer in rows if ids & {use.relation for use in group}), LexiconLayer.ENGLISH)


def frames(
    tags: Sequence[Tag], pick: Pick, *, asks: str, opened: tuple[str, ...], opening: Event | None, present: bool,
    clause: During | None, times: tuple[Specifier, ...], grammar: QuestionGrammar,
) -> Iterator[QuestionFrame]:  # fmt: skip
    """Walk over what a covering can mean; nothing when it makes no sense."""
    rest = list(pick.rest)
    said = [tag for tag in rest if isinstance(tag, RelationTag)]
    marks = [tag.kind for tag in rest if isinstance(tag, Mark)]
    if not _can_be_said(tags, pick, said, marks, grammar):
        return
    beside = pick.beside is not None
    ways = (
        ends_of(rest, said, grammar.meanings, grammar.presence, beside=beside)
        if said
        else unsaid(rest, pick.beside, grammar.meanings, grammar.presence)
    )
    for groups in ways:
        if groups and _makes_sense(groups, rest, marks, grammar.meanings):
            groups = (*groups, *grammar.offices.groups(groups, [one.saying.text for one in said]))
            yield QuestionFrame(
                asks=asks, opened=opened, opening=opening, present=present, tags=tuple(rest), groups=groups, pick=pick,
                clause=clause,
                times=times, event=_event(said, marks), grammar=grammar,
            )  # fmt: skip


def _can_be_said(
    tags: Sequence[Tag], pick: Pick, said: Sequence[RelationTag], marks: Sequence[str], grammar: QuestionGrammar
) -> bool:
    """Tell whether such words stand together in one question, whatever they are asked about."""
    of_two_things = any(isinstance(tag, Small) and tag.text == "when" for tag in pick.rest)  # "when Edward abdicated"
    without_relation = not (said or pick.beside) and any(isinstance(tag, Small) and tag.is_class for tag in pick.rest)
    only_changed = "change" in marks and all(one.saying.is_verb for one in said)  # "what changed in Germany"
    return (
        not (of_two_things or without_relation or only_changed)  # without a relation: "which house was Hamlet"
        and _verbs_fit(tags, said)
        and _former_has_a_noun(tags, pick, said, grammar.meanings)
        and _is_in_an_office(tags, said, grammar)
    )


def _verbs_fit(tags: Sequence[Tag], said: Sequence[RelationTag]) -> bool:
    """Tell whether each relation is said once, with the helper that its verb wants."""
    return len({one.saying.text for one in said}) == len(said) and all(
        _has_its_helper(one.saying, tags) for one in said
    )


def _former_has_a_noun(tags: Sequence[Tag], pick: Pick, said: Sequence[RelationTag], meanings: Meanings) -> bool:
    """Tell whether "former" stands beside something that was: a fact, or a name, what a thing was called before."""
    former = any(isinstance(tag, Mark) and tag.kind == "former" for tag in tags)
    return not former or bool(pick.beside) or _is_of_names(said, meanings)


def _is_in_an_office(tags: Sequence[Tag], said: Sequence[RelationTag], grammar: QuestionGrammar) -> bool:
    """Tell whether words of what one does in a post stand beside a noun for one: countries are occupied otherwise."""
    small = {tag.text for tag in tags if isinstance(tag, Small)}
    if small & grammar.lexicon.words("beside_a_noun") and not any(not one.saying.is_verb for one in said):
        return False
    if not small & grammar.lexicon.words("in_an_office"):
        return True
    posts = grammar.meanings.flat("posts") | grammar.meanings.flat("offices") | grammar.meanings.flat("succession")
    if any(not one.saying.is_verb and is_somebody(one.saying.words[-1]) for one in said):
        return True  # "does she still work as bartender"
    nouns = (use for one in said if not one.saying.is_verb for group in one.saying.groups for use in group)
    return bool(small & grammar.lexicon.words("after_an_office")) or any(use.relation in posts for use in nouns)


def _makes_sense(groups: Groups, rest: Sequence[Tag], marks: Sequence[str], meanings: Meanings) -> bool:
    ids = {one.relation for group in groups for one in group}
    prizes = ids <= meanings.flat("prizes")
    if prizes and any(isinstance(tag, Small) and tag.text in _WORK for tag in rest):
        return False  # "when did she get her first job"
    return "most of" not in marks or prizes


def _is_of_names(said: Sequence[RelationTag], meanings: Meanings) -> bool:
    uses = [use.relation for one in said for group in one.saying.groups for use in group]
    return bool(uses) and set(uses) <= meanings.flat("names")


def _has_its_helper(saying: Saying, tags: Sequence[Tag]) -> bool:
    """Tell whether a verb stands with the helper that it wants: "was married", but "did marry"."""
    if not saying.is_verb:
        return True
    small = {tag.text for tag in tags if isinstance(tag, Small)}
    if saying.words == ("at",):  # "was at Harvard", but not "replaced him at Harvard"
        return bool(small & BE)
    if (
        saying.after_be and len(saying.words) == 1 and saying.words[0].endswith("ed")
    ):  # "who owned it" is not "was owned"
        return bool(small & BE) and not _is_relative(saying, tags)
    if saying.after_be:
        begun = any(isinstance(tag, Mark) and tag.kind == "start" for tag in tags)  # "did it become part of"
        return begun or bool(small & BE) or not small & DO
    passive = saying.words[0].endswith("ed") and small & BE and not small & DO and not _is_relative(saying, tags)
    return not (passive and (saying.event or len(saying.words) == 1))


def _is_relative(saying: Saying, tags: Sequence[Tag]) -> bool:
    """Tell "is the one that coached" from "was coached"."""
    position = next(
        position for position, tag in enumerate(tags) if isinstance(tag, RelationTag) and tag.saying is saying
    )
    texts = [tag.text if isinstance(tag, Small) else "" for tag in tags[:position]]
    be = max((number for number, text in enumerate(texts) if text in BE), default=0)
    return any(text in ("who", "that", "which") for text in texts[be:])


def _event(said: Sequence[RelationTag], marks: Sequence[str]) -> Event | None:
    events: list[Event] = [one.saying.event for one in said if one.saying.event]
    if "end" in marks or "end" in events:  # "left office", "stopped being", "got divorced"
        return "end"
    if "start" in marks or "change" in marks:
        return "start"
    return events[0] if events else None
