"""Kinds of answers: what a question wants (a person, a place, a team), and what a candidate looks like.

Told by words that name a kind, by the given names of people and the places of the almanac. A guess, not a verdict: the
scorer learns how much to trust it.
"""

from __future__ import annotations

import re
from functools import cache

from asof.facts import FactStore
from asof.sources.almanac import almanac_base

OTHER = "other"
_OF_QUESTIONS = {
    "person": """who whom person man woman spouse wife husband coach manager president chairman leader commander
        owner editor ceo director professor mayor governor king emir player actor""",
    "team": "team club side squad",
    "school": """university school college institution education study studied educated academic enrolled attend
        attended""",
    "party": "party",
    "role": """rank position title role job office profession occupation capacity employed grade duty post work
        title nobility military citizenship nationality""",
    "place": """where city town country place region nation location located state county capital territory reside
        resided lived live residence district province kingdom""",
    "venue": """stadium venue ground arena field museum headquarter headquarters hospital prison building station
        stations terminus""",
    "league": "league division conference competition championship event",
    "award": "award prize honor honour medal awards",
    "company": """company manufacturer firm publisher label employer organization organisation railway operator
        corporation network channel agency group airline association""",
    "name": "name named called surname designation known renamed",
    "thing": "ship vessel aircraft plane locomotive train car route sport show program series",
}
_OF_ANSWERS = {
    "school": "university college school institute academy conservatory universität",
    "team": "fc f.c. united rovers athletic wanderers town cf sc ac a.c. f.c club c.f. calcio team eagles tigers",
    "party": "party movement alliance democrats union front coalition",
    "league": "league bundesliga serie division liga championship cup conference premier",
    "venue": """stadium arena park field hall palace house airport museum hospital prison center centre building
        palacio estadio ground penitentiary camp castle station facility street""",
    "award": "award prize medal order honor cross laureate fellow",
    "military": "army navy force corps regiment division squadron guard marine luftwaffe wing battalion reserve fleet",
    "company": """company corporation inc inc. ltd records group publishing comics bank railway railways works
        industries press studios entertainment airlines motors network television channel radio bbc media co
        productions brothers""",
    "place": """county district province republic kingdom empire oblast state island governorate region city duchy
        islands""",
    "role": """president minister governor mayor secretary member director professor editor captain lieutenant
        colonel general major duke count prince chief commander ambassador chairman manager leutnant king
        earl baron marshal admiral""",
}
_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*\.?")
_TITLES = frozenset(_OF_ANSWERS["role"].split())
WANTED = (*_OF_QUESTIONS, OTHER)
LOOKS = (OTHER, "person", *_OF_ANSWERS, "small letters")


def wanted_type(question: str) -> str:
    """Return the kind of answer that a question wants: by the words after "which" or "what", else by any.

    >>> wanted_type("Which football team did Sarri coach?"), wanted_type("Who was the coach?"), wanted_type("Is it?")
    ('team', 'person', 'other')
    """
    words = [word.lower().rstrip(".") for word in _WORD.findall(question)]
    if "who" in words or "whom" in words:
        return "person"
    for index, word in enumerate(words):
        if word in ("which", "what"):
            found = _first_kind(words[index + 1 : index + 6])
            if found != OTHER:
                return found
    return _first_kind(words)


def looks_like(text: str) -> str:
    """Return the kind that a candidate looks like.

    >>> [looks_like(text) for text in ("Alicante CF", "Barack Obama", "France", "colonel", "Prime Minister")]
    ['team', 'person', 'place', 'small letters', 'role']
    """
    words = [word.lower() for word in _WORD.findall(text)]
    if text.islower():
        return "small letters"
    if " ".join(words) in _places():
        return "place"
    for kind, known in _answer_words().items():
        if words and (words[-1] in known or (words[0] in known and kind in ("role", "school", "place"))):
            return (
                "person"
                if kind == "role" and words[-1] not in known and len(words) > 1 and " of " not in text
                else kind
            )
    if given_names(text) and 2 <= len(words) <= 4:
        return "person"
    return OTHER


def given_names(text: str) -> int:
    """Count the words of a text that are people's given names, the last word aside."""
    words = [word.lower() for word in _WORD.findall(text)]
    return sum(word in _given() for word in words[:-1])


def _first_kind(words: list[str]) -> str:
    for word in words:
        for kind, known in _question_words().items():
            if word in known:
                return kind
    return OTHER


@cache
def _question_words() -> dict[str, frozenset[str]]:
    return {kind: frozenset(words.split()) for kind, words in _OF_QUESTIONS.items()}


@cache
def _answer_words() -> dict[str, frozenset[str]]:
    return {kind: frozenset(words.split()) for kind, words in _OF_ANSWERS.items()}


@cache
def _almanac() -> list[dict[str, str]]:
    store = FactStore(almanac_base())
    found: list[dict[str, str]] = store.sql(
        "SELECT label, kind FROM entities WHERE kind IN ('human', 'city', 'country', 'place')"
    ).to_pylist()
    return found


@cache
def _given() -> frozenset[str]:
    labels = [row["label"] for row in _almanac() if row["kind"] == "human" and " " in row["label"]]
    return frozenset(label.split()[0].lower() for label in labels) - _TITLES


@cache
def _places() -> frozenset[str]:
    return frozenset(row["label"].lower() for row in _almanac() if row["kind"] != "human")
