"""Forms of English words: verbs, plurals, and nouns for who does something."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

Forms = Mapping[str, str]  # of irregular verbs
_VOWELS = frozenset("aeiou")
_DOUBLES = re.compile(r"[^aeiou][aeiou][bdglmnprt]$")
DOERS = frozenset(("captain", "coach", "guard", "guide", "head", "host", "judge", "nurse", "pilot", "umpire", "usher"))


def verb_forms(verb: str, irregular: Forms) -> set[str]:
    """Return the forms of a verb.

    >>> sorted(verb_forms("coach", {})), sorted(verb_forms("carry", {}))
    (['coach', 'coached', 'coaches', 'coaching'], ['carried', 'carries', 'carry', 'carrying'])
    >>> sorted(verb_forms("patrol", {}))  # both spellings, as "edit" does not double its last letter
    ['patrol', 'patroled', 'patroling', 'patrolled', 'patrolling', 'patrols']
    """
    present = third_person(verb)
    if verb in irregular:
        return {verb, present, (verb[:-1] if verb.endswith("e") else verb) + "ing", *irregular[verb].split()}
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return {verb, present, verb + "ing", verb[:-1] + "ied"}
    doubled = {verb + verb[-1] + ending for ending in ("ed", "ing")} if _DOUBLES.search(verb) else set()
    return {
        verb,
        present,
        (verb[:-1] if verb.endswith("e") else verb) + "ing",
        verb + ("d" if verb[-1:] == "e" else "ed"),
        *doubled,
    }


def third_person(verb: str) -> str:
    """Return the present of a verb: "coaches", "carries"."""
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "go")) else "s")


def plural(word: str) -> str:
    """Return the plural of a noun.

    >>> [plural(word) for word in ("country", "chairman", "wife", "boss", "key")]
    ['countries', 'chairmen', 'wives', 'bosses', 'keys']
    """
    if word.endswith("man"):
        return word[:-3] + "men"
    return "wives" if word == "wife" else third_person(word)


def singular(word: str) -> str:
    """Return the singular of a plural, nothing where it is none.

    >>> singular("secretaries"), singular("chairmen"), singular("popes"), singular("boss")
    ('secretary', 'chairman', 'pope', '')
    """
    for ending, one in (("ies", "y"), ("men", "man"), ("ches", "ch"), ("sses", "ss"), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss") and len(word) > len(ending) + 1:
            return word.removesuffix(ending) + one
    return ""


def doers(verb: str) -> Iterator[str]:
    """Walk over the nouns for who does something: "maintainer", "curator"."""
    stem = verb[:-1] if verb.endswith("e") else verb
    if verb in DOERS or verb.endswith("or"):
        yield verb
    yield stem + "er"
    yield stem + "or"


def deeds(doer: str) -> Iterator[str]:
    """Walk over the verbs that a noun for somebody may come from: "manage" from "manager"; some are no words at all.

    >>> list(deeds("manager")), list(deeds("owner")), list(deeds("captain"))
    (['manager', 'manage', 'manag'], ['owner', 'owne', 'own'], ['captain'])
    """
    yield doer  # to captain a team, to sponsor it
    if doer.endswith(("er", "or")) and len(doer) > 4:
        yield doer[:-2] + "e"
        yield doer[:-2]
    if doer.endswith(("ant", "ent")) and len(doer) > 7:  # "assist", "preside"
        yield doer[:-3]
        yield doer[:-3] + "e"


def verbs_of(form: str, irregular: Forms) -> list[str]:
    """Return the verbs of which a word may be a form, some of them no words at all; none where it is surely no form.

    >>> verbs_of("maintained", {}), verbs_of("planned", {}), verbs_of("led", {"lead": "led"}), verbs_of("member", {})
    (['maintain', 'maintaine'], ['plann', 'planne', 'plan'], ['lead'], [])
    """
    for verb, forms in irregular.items():
        if form in forms.split() or form in (verb, third_person(verb)):
            return [verb]
    for ending in ("ed", "ing"):
        if form.endswith(ending) and len(form) > len(ending) + (1 if ending == "ed" else 2):  # "sued"
            return _stems(form.removesuffix(ending))
    if form.endswith("s") and not form.endswith(("ss", "us", "is")) and len(form) > 3:
        return [form[:-3] + "y" if form.endswith("ies") else form[:-2] if form.endswith("ches") else form[:-1]]
    return []


def _stems(cut: str) -> list[str]:
    stems = [cut[:-1] + "y"] if cut.endswith("i") else [cut, cut + "e"]
    return [*stems, cut[:-1]] if len(cut) > 3 and cut[-1] == cut[-2] else stems
