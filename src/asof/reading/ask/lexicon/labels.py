"""What a base's own names of its relations let people say: "maintained by" also "maintains", "maintainer of".

Labels come as people write them: "head coach", "works_at", "directorOf", "CEO". A label that ends in a small word
("plays for", "loaned to", "member of") tells of the subject, any other is a noun for the object.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import chain

from asof.facts import Relation
from asof.facts.schema import WIKIDATA_ID
from asof.reading.ask.lexicon.inflection import Forms, deeds, doers, plural, singular, verb_forms, verbs_of
from asof.reading.ask.lexicon.saying import End, Event, Group, LexiconLayer, Saying, Use
from asof.reading.ask.spoken import spoken
from asof.reading.ask.words import ARTICLES

LINKS = frozenset(("of", "at", "by", "in", "for", "to", "from", "with", "on", "under", "as", "after", "into"))
LINKS |= frozenset(("over", "through", "against", "near", "via", "around", "onto", "within", "across", "alongside"))
_HEADS = LINKS | {"per"}  # before these stands what a label is about: "tuition per semester"
_BEGIN = frozenset(("join", "enter"))
_BE = frozenset(("is", "was", "are", "were", "be", "been"))
_HAVE = frozenset(("has", "had", "have"))
_OF_THE_OBJECT = frozenset(("by", "to"))  # "maintained by", "loaned to": what the subject does is something else
# What one does with work, and its forms: the laundry is done, courses are given.
_DOING = {"done": "do does did doing", "given": "give gives gave giving", "provided": "provide provides provided"}
PLACES = frozenset(("site", "place", "location", "point", "port", "base", "venue", "pad"))
_AT_THE_HEAD = frozenset((("head", "of"), ("director", "of"), ("chief", "of")))
_MEMBER = frozenset(("member", "members"))
# Behind a verb these are a part of it: to look after somebody, to take over something.
_PARTICLES = frozenset(("after", "over", "up", "out", "off", "down", "away"))
# "member of ensemble": what the subject is of such a thing, unlike "head of state".
_BELONGS = frozenset(("member", "part", "resident", "inhabitant", "citizen", "native", "student", "pupil", "graduate"))
_BELONGS |= frozenset(("employee", "player", "subsidiary", "branch", "tenant", "supporter"))
# Words that may be meant where first letters would be.
_WORDS = frozenset(("am", "an", "as", "at", "be", "by", "do", "go", "he", "hi", "if", "in", "is", "it", "me", "my"))
_WORDS |= frozenset(("no", "of", "oh", "ok", "on", "or", "pm", "so", "to", "up", "us", "we"))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def plain_label(label: str) -> tuple[str, ...]:
    """Bring the name of a relation into words: without articles, and without the "is" or "has" before them.

    >>> plain_label("directorOf"), plain_label("is_member_of"), plain_label("Chair of the board")
    (('director', 'of'), ('member', 'of'), ('chair', 'of', 'board'))
    """
    parts = _CAMEL.sub(" ", label).split()
    whole = len(label.split()) > 1 or any(len(part) == 1 for part in parts)  # "HoD", "PhD supervisor"
    words = [word for word in spoken(label if whole else " ".join(parts)).split() if word not in ARTICLES]
    while len(words) > 1 and words[0] in _BE | _HAVE:
        words = words[1:]
    return tuple(words)


def names_of(relation: Relation) -> dict[tuple[str, ...], bool]:
    """Return the names of a relation in words, and whether each is the base's own word for it.

    The further names that Wikidata has for a property are not: there are many, and they are loose.
    """
    loose = re.fullmatch(WIKIDATA_ID, relation.id) is not None
    own = {words: True for name in (relation.label, "" if loose else relation.id) for words in _spellings(name)}
    more = {words: not loose for name in relation.aliases for words in _spellings(name)}
    return more | own


def _spellings(label: str) -> Iterator[tuple[str, ...]]:
    """Walk over the ways to write a label: as it stands, without what is short, in one word, "chief editor".

    >>> list(_spellings("Store Mgr")), list(_spellings("editor in chief"))
    ([('store', 'mgr'), ('storemgr',), ('store', 'manager')], [('editor', 'in', 'chief'), ('chief', 'editor')])
    >>> list(_spellings("No. of students")), list(_spellings("HoD"))
    ([('no', 'of', 'students'), ('number', 'of', 'students')], [('hod',), ('head', 'of', 'department')])
    """
    words = plain_label(label)
    if not words:
        return
    yield words
    if len(words) == 2 and not LINKS & set(words) and min(map(len, words)) > 2:
        yield ("".join(words),)  # "guildmaster"
    if len(words) == 3 and words[1:] == ("in", "chief"):
        yield ("chief", words[0])
    long = tuple(part for word in words for part in _written_out().get(word, word).split())
    if len(long) > 1 and long[-1] == "co":  # "parent co.", but not "co-owner"
        long = (*long[:-1], "company")
    if long != words:
        yield long


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    table: Mapping[str, Mapping[str, str]] = tomllib.loads(
        (files(__package__) / "en" / "labels.toml").read_text(encoding="utf-8")
    )
    return table


def _written_out() -> Mapping[str, str]:
    return _table()["abbreviations"]


def is_lesser(words: tuple[str, ...]) -> bool:
    """Tell whether a label speaks of somebody below the holder of its last noun: a vice president is no president.

    >>> is_lesser(("vice", "president")), is_lesser(("chief", "pilot"))
    (True, False)
    """
    return words[0] in _table()["labels"]["lesser"].split()


def sayings_of(relation: Relation, irregular: Forms) -> Iterator[Saying]:
    """Walk over the ways of saying a relation that follow from its names."""
    for words, own in names_of(relation).items():
        of_subject = words[-1] in LINKS and len(words) > 1
        if not own and not of_subject and len(words) > 1:
            yield from (
                _noun(form, relation.id, "object", LexiconLayer.ALIAS, plural=form != words)
                for form in noun_forms(words)
            )
            continue
        belongs = own and belongs_to_a_class(relation.id, words)
        sayings = (
            _of_a_class(relation.id, words, irregular)
            if belongs
            else (_of_subject if of_subject else _of_object)(relation.id, words, irregular)
        )
        if own and not of_subject and not belongs:
            sayings = chain(sayings, _as_member(relation.id, words, irregular), _in_short(relation.id, relation.label))
        if not own and len(words) == 1 and words[0].endswith("ed"):
            continue  # "married" is no noun
        yield from (
            sayings
            if own
            else (replace(one, layers=(LexiconLayer.ALIAS,)) for one in sayings if one.layers[0] is LexiconLayer.LABEL)
        )


def _of_object(id: str, words: tuple[str, ...], irregular: Forms) -> Iterator[Saying]:
    """Say a noun for the object, "captain", in the plural, in short, and what its holder does."""
    for form in noun_forms(words):
        yield _noun(form, id, "object", LexiconLayer.LABEL, plural=form != words)
    if done := _verb_ahead(words, irregular):
        yield from _of_a_deed(id, words, done, irregular)
        return
    if words[0] in LINKS and len(words) > 1:  # "in region"
        yield Saying(words[:1], True, ((Use(id, "subject"),),), (LexiconLayer.DERIVED,), after_be=True)
        yield from _class_nouns(id, words[1:])
        return
    if words[:2] in _AT_THE_HEAD and len(words) > 2:
        yield from _of_a_head(id, words, irregular)
    link = next((place for place, word in enumerate(words) if place and word in _HEADS), len(words))
    if link < len(words) and words[link] != "of":  # "vice rector", of "vice rector for research"
        for form in noun_forms(words[:link]):
            yield _noun(form, id, "object", LexiconLayer.SHORT, plural=form != words[:link])
    if is_lesser(words) and len(words) > 1:
        return
    last = words[link - 1]  # "importer", of "importer in Japan"
    if len(words) == 2 and last in PLACES:  # "launched from", of "launch site"
        for past in verb_forms(words[0], irregular):
            if past.endswith(("ed", "t")):
                for behind in ((), ("at",), ("in",), ("from",)):
                    group: Group = (Use(id, "subject"),)
                    yield Saying((past, *behind), True, (group,), (LexiconLayer.DERIVED,), after_be=True)
    if len(words) == 1 and last.endswith("ed"):  # "grade", of "graded"
        for verb in verbs_of(last, irregular):
            for form in noun_forms((verb,)) if verb not in _BEGIN else ():
                yield _noun(form, id, "object", LexiconLayer.DERIVED, plural=form != (verb,))
    if len(words) > 1:
        for form in noun_forms((last,)):
            yield _noun(form, id, "object", LexiconLayer.SHORT, plural=form != (last,))
    layer = LexiconLayer.DERIVED if len(words) == 1 else LexiconLayer.SHORT
    body = words[:-1] if link == len(words) else ()
    for verb in deeds(singular(last) or last):
        yield from _verb(verb, (), id, "object", layer, irregular)
        for its in noun_forms(body) if body else ():  # "chair the works council", "lead the raids"
            yield from _deed(verb, its, id, irregular)
    for its in noun_forms(body) if body else ():
        for form in noun_forms((last,)):
            yield _noun((*form, "of", *its), id, "object", LexiconLayer.DERIVED, plural=form != (last,))
    yield from _beside(id, body)
    if len(words) == 1 and (last.endswith(("s", "ed")) or _is_irregular(last, irregular)):  # "owns", "directed", "led"
        yield from (
            one for verb in verbs_of(last, irregular) for one in _verb(verb, (), id, "subject", layer, irregular)
        )


def _of_a_head(id: str, words: tuple[str, ...], irregular: Forms) -> Iterator[Saying]:
    """Say "head of marketing": the marketing head, who is in charge of marketing, who heads it."""
    body, group = words[2:], (Use(id, "object"),)
    for form in noun_forms((*body, words[0])):
        yield _noun(form, id, "object", LexiconLayer.DERIVED, plural=form[-1] != words[0])
    yield Saying(("in", "charge", "of", *body), True, (group,), (LexiconLayer.DERIVED,), after_be=True)
    for verb in ("head", "lead", "run"):
        yield from _deed(verb, body, id, irregular)


def _verb_ahead(words: tuple[str, ...], irregular: Forms) -> str | None:
    """Return the verb with which a label begins that says what is done: "plays class", "joined guild"."""
    if len(words) < 2 or words[-1] in LINKS or words[0].endswith("ing"):
        return None
    if words[-1].endswith(("er", "or")) and words[1] not in LINKS:
        return None  # "works manager"
    known = {*_table()["labels"]["verbs"].split(), *irregular}
    return next((verb for verb in verbs_of(words[0], irregular) if verb in known and verb != words[0]), None)


def _of_a_deed(id: str, words: tuple[str, ...], verb: str, irregular: Forms) -> Iterator[Saying]:
    """Say "plays class", "plays on server": who plays it, and the class or the server of somebody."""
    link = words[1:2] if words[1] in LINKS else ()
    event: Event | None = "start" if verb in _BEGIN else None
    group: Group = (Use(id, "subject"),)
    for form in verb_forms(verb, irregular):
        yield Saying(
            (form, *link), True, (group,), (LexiconLayer.DERIVED,), event, in_present=form.endswith("s"),
            in_base_form=form == verb,
        )  # fmt: skip
    yield from _class_nouns(id, words[1 + len(link) :])


def _class_nouns(id: str, words: tuple[str, ...]) -> Iterator[Saying]:
    for form in noun_forms(words) if words else ():
        yield _noun(form, id, "object", LexiconLayer.CLASS, plural=form != words)


def _deed(verb: str, body: tuple[str, ...], id: str, irregular: Forms, *, beside: bool = False) -> Iterator[Saying]:
    """Say what the object of a fact does: "chair the works council", "supply milk"."""
    layer = LexiconLayer.SHORT if beside else LexiconLayer.DERIVED
    for form in verb_forms(verb, irregular):
        present, base = form.endswith("s") and form != verb, form == verb
        group: Group = (Use(id, "object", beside=beside),)
        yield Saying((form, *body), True, (group,), (layer,), in_present=present, in_base_form=base)


def _beside(id: str, body: tuple[str, ...]) -> Iterator[Saying]:
    """Say a word of a label that tells which relation is meant beside another: "PhD" of "PhD supervisor"."""
    for word in body:
        if word not in LINKS and not is_lesser((word,)):
            for form in noun_forms((word,)):
                group: Group = (Use(id, "object", beside=True),)
                yield Saying(form, False, (group,), (LexiconLayer.SHORT,), plural=form != (word,))


def _is_irregular(word: str, irregular: Forms) -> bool:
    """Tell whether a word is a form of an irregular verb."""
    return any(word in verb_forms(verb, irregular) for verb in irregular)


def belongs_to_a_class(id: str, words: tuple[str, ...]) -> bool:
    """Tell "member of ensemble", of a table, which tells of the subject, from "head of state".

    >>> [belongs_to_a_class("r", tuple(label.split())) for label in ("member of ensemble", "head of state")]
    [True, False]
    """
    named = re.fullmatch(WIKIDATA_ID, id) is None
    return named and len(words) > 2 and words[0] in _BELONGS and words[1] == "of"


def _of_a_class(id: str, words: tuple[str, ...], irregular: Forms) -> Iterator[Saying]:
    """Say "member of ensemble": member of it, its ensemble, in the ensemble."""
    yield from _of_subject(id, words[:2], irregular)
    for form in noun_forms(words):
        yield _noun(form, id, "subject", LexiconLayer.LABEL, plural=form != words)
    for form in noun_forms(words[2:]):
        yield _noun(form, id, "object", LexiconLayer.CLASS, plural=form != words[2:])


def _as_member(id: str, words: tuple[str, ...], irregular: Forms) -> Iterator[Saying]:
    """Say a label such as "board member" of somebody: who is on the board, joins it, leaves it."""
    if words[-1] not in _MEMBER or len(words) == 1:
        return
    body = words[:-1]
    group: Group = (Use(id, "object"),)
    for said in (("on", *body), ("in", *body), ("part", "of", *body), ("member", "of", *body)):
        yield Saying(said, True, (group,), (LexiconLayer.DERIVED,), after_be=True)
    said_of_it: tuple[tuple[str, Event], ...] = (("join", "start"), ("leave", "end"))
    for verb, event in said_of_it:
        for form in verb_forms(verb, irregular):
            base, present = form == verb, form == verb + "s"
            yield Saying(
                (form, *body), True, (group,), (LexiconLayer.DERIVED,), event, in_present=present, in_base_form=base
            )


def _in_short(id: str, label: str) -> Iterator[Saying]:
    """Say a label of several words by its first letters: MD for managing director."""
    words = plain_label(label)
    short = "".join(word[0] for word in words)
    if len(words) > 1 and short not in _WORDS and not LINKS & set(words):
        yield _noun((short,), id, "object", LexiconLayer.SHORT, plural=False)
        yield _noun((short + "s",), id, "object", LexiconLayer.SHORT, plural=True)


def _of_subject(id: str, words: tuple[str, ...], irregular: Forms) -> Iterator[Saying]:
    """Say what the subject is or does to the object: "maintained by", "works at", "member of", "on loan to"."""
    *rest, link = words
    if link == "by" and (work := _work_done(tuple(rest), irregular)):
        yield from _of_work_done(id, words, work, irregular)
        return
    if link == "by" and len(rest) > 1 and rest[-1] not in _PARTICLES and (held := verbs_of(rest[-1], irregular)):
        yield from _of_something_done(id, words, held, irregular)
        return
    verbs = verbs_of(rest[0], irregular) if rest[-1] not in ("loan", "charge") else []
    passive = bool(verbs) and not rest[0].endswith(("s", "ing")) and rest[0] not in irregular
    if passive or (not verbs and rest[0] in LINKS):  # "loaned to", "on loan to"
        for said, layer in ((words, LexiconLayer.LABEL), (tuple(rest), LexiconLayer.DERIVED)):
            yield Saying(said, True, ((Use(id, "subject"),),), (layer,), after_be=True)
        if rest[0] in LINKS and link == "with" and len(rest) == 2:  # "coalition partner", of "in coalition with"
            for said in ((rest[1],), (rest[1], "partner")):
                for form in noun_forms(said):
                    yield _noun(form, id, "object", LexiconLayer.DERIVED, plural=form != said)
            for verb in ("form", "have", "enter"):
                yield from _verb(verb, words[1:], id, "subject", LexiconLayer.DERIVED, irregular)
        if verbs and len(rest) > 2:  # "married to", of "married in church to"
            yield Saying((rest[0], link), True, ((Use(id, "subject"),),), (LexiconLayer.SHORT,), after_be=True)
        if verbs and link not in _OF_THE_OBJECT:  # "who did she train under", of "trained under"
            for verb in verbs:
                yield from _verb(verb, (*rest[1:], link), id, "subject", LexiconLayer.DERIVED, irregular)
                yield from _without_link(verb, rest, link, id, irregular)
    elif verbs:  # "works at"
        for verb in verbs:
            yield from _verb(verb, (*rest[1:], link), id, "subject", LexiconLayer.LABEL, irregular)
            yield from _without_link(verb, rest, link, id, irregular)
    else:  # "member of"
        for form in noun_forms(tuple(rest)):
            yield _noun(form, id, "subject", LexiconLayer.LABEL, plural=form != tuple(rest))
        if len(rest) == 1:
            for verb in deeds(rest[0]):
                yield from _verb(verb, (), id, "subject", LexiconLayer.DERIVED, irregular)
    if passive and link == "by":  # who maintained it, its maintainer; who looked after it
        for verb in verbs:
            yield from _verb(verb, tuple(rest[1:]), id, "object", LexiconLayer.DERIVED, irregular)
            for doer in doers(verb) if len(rest) == 1 else ():
                for form in noun_forms((doer,)):
                    yield _noun(form, id, "object", LexiconLayer.DERIVED, plural=form != (doer,))


def _work_done(rest: tuple[str, ...], irregular: Forms) -> tuple[str, ...]:
    """Return the work of "catering by", "first aid courses by", "laundry done by"; nothing of "maintained by"."""
    if rest[-1] in _DOING and len(rest) > 1:
        return rest[:-1]
    verb = rest[-1].endswith("ed") or rest[-1] in _PARTICLES or _is_irregular(rest[-1], irregular)
    return () if verb or rest[0].endswith("ed") or rest[-1] in _DOING else rest


def _of_work_done(id: str, words: tuple[str, ...], work: tuple[str, ...], irregular: Forms) -> Iterator[Saying]:
    """Say "catering by", "music by": who did the catering, who caters for it, its caterer."""
    group: Group = (Use(id, "object"),)
    yield Saying(words, True, ((Use(id, "subject"),),), (LexiconLayer.LABEL,), after_be=True)
    for noun in noun_forms(work):
        yield _noun(noun, id, "object", LexiconLayer.DERIVED, plural=False)
    for done in _DOING.values():
        for form in done.split():
            for link in ((), ("for",), ("of",), ("at",), ("on",)):
                yield Saying(
                    (form, *work, *link), True, (group,), (LexiconLayer.DERIVED,), in_present=form.endswith("s")
                )
            if len(work) == 1:  # "who does its laundry", wherever the two stand
                beside: Group = (Use(id, "object", beside=True),)
                yield Saying((form,), True, (beside,), (LexiconLayer.SHORT,), in_present=form.endswith("s"))
    for verb in verbs_of(work[0], irregular) if len(work) == 1 and work[0].endswith("ing") else ():
        for behind in ((), ("for",)):
            yield from _deed(verb, behind, id, irregular)
        for doer in doers(verb):
            for noun in noun_forms((doer,)):
                yield _noun(noun, id, "object", LexiconLayer.DERIVED, plural=noun != (doer,))


def _of_something_done(id: str, words: tuple[str, ...], verbs: list[str], irregular: Forms) -> Iterator[Saying]:
    """Say "speed record held by": who held the speed record of it, by whom was its speed record held."""
    body = words[:-2]
    yield Saying(words, True, ((Use(id, "subject"),),), (LexiconLayer.LABEL,), after_be=True)
    yield from _beside(id, body)
    for verb in verbs:
        yield from _deed(verb, body, id, irregular)
        yield from _deed(verb, (), id, irregular, beside=True)
        for doer in doers(verb):
            for called in noun_forms((*body, doer)):
                yield _noun(called, id, "object", LexiconLayer.DERIVED, plural=called[-1] != doer)


def _without_link(verb: str, rest: list[str], link: str, id: str, irregular: Forms) -> Iterator[Saying]:
    """Say "where did she work", of "works at"; to look after somebody is not to look."""
    for one in _verb(verb, tuple(rest[1:]), id, "subject", LexiconLayer.DERIVED, irregular):
        if link not in _PARTICLES and not one.after_be:
            yield replace(one, groups=((Use(id, "subject", alone=True),),))


def _noun(words: tuple[str, ...], id: str, head: End, layer: LexiconLayer, *, plural: bool) -> Saying:
    return Saying(words, False, ((Use(id, head),),), (layer,), plural=plural)


def _verb(
    verb: str, behind: tuple[str, ...], id: str, head: End, layer: LexiconLayer, irregular: Forms
) -> Iterator[Saying]:
    """Make the forms of a verb and, where nothing stands behind it, its passive."""
    other: End = "object" if head == "subject" else "subject"
    event: Event | None = "start" if verb in _BEGIN else None
    for form in verb_forms(verb, irregular):
        present, base = form.endswith("s") and form != verb, form == verb
        group: Group = (Use(id, head),)
        yield Saying((form, *behind), True, (group,), (layer,), event, in_present=present, in_base_form=base)
        particle = behind[-1:] if behind and behind[-1] in _PARTICLES else ()
        if (not behind or particle) and form.endswith(("ed", "t", "n", "ld", "run", "led", "ht")):
            yield Saying((form, *behind, "by"), True, ((Use(id, other),),), (layer,), after_be=True)
            yield Saying((form, *behind), True, ((Use(id, other),),), (layer,), after_be=True)


def noun_forms(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return a noun in the singular and with its plurals: "heads of state", "prime ministers"."""
    one = singular(words[-1])
    single = (*words[:-1], one) if one and words[-1] not in ("headquarters", "series") else words
    forms = [words, single, (plural(words[0]), *words[1:]), (*single[:-1], plural(single[-1]))]
    return list(dict.fromkeys(forms))
