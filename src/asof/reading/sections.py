"""Sentences, list entries and headings of text that is one long line, as the published TimeQA files have it.

Every sign stands alone between spaces there, list entries are parted by " - ", and the headings of subsections stand
between sentences as if they were some ("Early life ."). A heading often tells what its sentences are about, and when.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Tokenised text parts "D . C ." and "Maj . George": a full stop after these ends no sentence.
_ABBREVIATIONS_TEXT = """
    mr mrs ms dr st maj gen col lt capt sgt prof rev hon gov sen rep jr sr vs no vol fig op cf ca c approx inc ltd co
    corp bros dept univ est ft mt adm cmdr messrs mme mlle e.g i.e etc jan feb mar apr jun jul aug sep sept oct nov dec
"""
_ABBREVIATIONS = frozenset(_ABBREVIATIONS_TEXT.split())
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]|\d{1,2}")  # also "the 3 . Liga", "1 . Ann Lee"
_OPENERS_TEXT = """
    He She It They His Her Their Its In On At The After From During This These By As When While Since Until Upon
    Following Before However Although Both There
"""
_OPENERS = frozenset(_OPENERS_TEXT.split())  # words that follow no title or initial, so the full stop before is one
_STOP = re.compile(r"(?P<before>\S{0,40}?)\s?[.!?]+[\"'”’)]*\s+(?=[\"'“‘(]?(?P<next>[A-Z0-9À-ÖØ-Þ]\w*))")

_DASH = re.compile(r"(?:^|(?<=\s))[-*•] (?=(?P<next>\S+))")
_NUMBER = re.compile(r"(?:^|(?<=\s))(?P<number>\d{1,2}) ?[.)] (?=[A-ZÀ-ÖØ-Þ\"“])")
_YEAR_BEFORE = re.compile(r"(?:^|\s)(?:\d{3,4}|present)\s$")
_DATE_NEXT = re.compile(r"\d{3,4}$|\d{1,2}(?:st|nd|rd|th)?$|present$|Present$")
_ONLY_TIME = re.compile(r"[\s\d?()–—./:,-]*(?:present)?[\s\d?()–—./:,-]*$")
_PARENTHESIS = 150  # letters: one that is open for longer was never closed

LONGEST_HEADING = 8  # words
_IN_PARENTHESES = re.compile(r"\([^()]*\)")
_PRONOUNS_TEXT = "he she it they his her their its this these that those we i you there who which"
_PRONOUNS = frozenset(_PRONOUNS_TEXT.split())
_VERBS_TEXT = """
    is are was were be been has have had does did do can could will would may might must should
    became become becomes began begins bought brought built came chose fell felt found fought gave gives got grew held
    holds kept knew lay led left lies lost made makes met moves ran runs rose said sang sat saw sent set sings sold
    spent stands stood stars swam taught takes took told won went wore wrote writes
    plays works lives serves features includes contains consists remains forms uses offers operates covers produces
    belongs shows says appears depicts focuses ends
"""
_VERBS = frozenset(_VERBS_TEXT.split())
_PAST = re.compile(r"[a-z]{2,}ed")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph or a list entry, with the heading above it."""

    section: str
    text: str
    entry: bool = False


def paragraphs_of(heading: str, text: str) -> Iterator[Paragraph]:
    """Part a section's text into prose, list entries and what stands below headings inside it.

    A heading is a paragraph, too: it may name an answer. What follows the first sentence of an entry is prose.

    >>> text = "It grew . Night School ( 1894–1932 ) . It was rich ( May - June 1894 ) . - Ann Lee - Bo Ek . He left ."
    >>> for one in paragraphs_of("History", text):
    ...     print(one.section, "|", one.text, "|", one.entry)
    History | It grew . | False
    Night School ( 1894–1932 ) | Night School ( 1894–1932 ) . | False
    Night School ( 1894–1932 ) | It was rich ( May - June 1894 ) . | False
    Night School ( 1894–1932 ) | Ann Lee | True
    Night School ( 1894–1932 ) | Bo Ek . | True
    Night School ( 1894–1932 ) | He left . | False
    """
    for part, entry in _entries(text):
        begin = last = 0
        for start, end in split_sentences(part):
            first = entry and not start
            said = "" if first else heading_of(part[start:end])
            if said or first:
                yield from _prose(heading, part[begin:last])
                heading = said or heading
                yield Paragraph(heading, part[start:end], entry=first)
                begin = end
            last = end
        yield from _prose(heading, part[begin:last])


def entry_of(heading: str, text: str) -> Iterator[Paragraph]:
    """Part a list entry that has several sentences: the first is the entry, or a heading, and what follows is prose.

    >>> for one in entry_of("Minutes", "Elections. Ann Lee was elected chair. Bo Ek was elected treasurer."):
    ...     print(one.section, "|", one.text, "|", one.entry)
    Elections | Elections. | True
    Elections | Ann Lee was elected chair. Bo Ek was elected treasurer. | False
    """
    first = next((end for _, end in split_sentences(text)), len(text))
    rest = text[first:].strip()
    its = (heading_of(text[:first]) if rest else "") or heading
    yield Paragraph(its, text[:first], entry=True)
    yield from _prose(its, rest)


def _prose(heading: str, text: str) -> Iterator[Paragraph]:
    if text.strip():
        yield Paragraph(heading, text.strip())


def _entries(text: str) -> Iterator[tuple[str, bool]]:
    """Part a text at the marks of a list: prose first, then entries; one that is only a time belongs to the next."""
    borders = sorted([*_dashes(text), *_numbers(text)])
    starts, ends = [0, *(end for _, end in borders)], [*(start for start, _ in borders), len(text)]
    waiting = ""
    for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
        part = text[start:end].strip()
        if not part:
            continue
        if index and _ONLY_TIME.match(part):
            waiting = f"{waiting} - {part}" if waiting else part
            continue
        yield f"{waiting} - {part}" if waiting else part, bool(index)
        waiting = ""
    if waiting:
        yield waiting, True


def _dashes(text: str) -> Iterator[tuple[int, int]]:
    """Find the dashes and dots that begin an entry: not those between dates, in parentheses or inside a sentence."""
    for match in _DASH.finditer(text):
        near = text[max(0, match.start() - _PARENTHESIS) : match.start()]
        joins = _YEAR_BEFORE.search(near) and _DATE_NEXT.match(match["next"])
        if not joins and near.rfind("(") <= near.rfind(")") and not match["next"][0].islower():
            yield match.start(), match.end()


def _numbers(text: str) -> Iterator[tuple[int, int]]:
    """Find the numbers of a list that counts from one: "1 . Ann Lee 2 . Bo Ek"."""
    run: list[re.Match[str]] = []
    for match in _NUMBER.finditer(text):
        number = int(match["number"])
        if number == len(run) + 1:
            run.append(match)
        elif number == 1 and len(run) == 1:
            run = [match]
    if len(run) > 1:
        yield from ((one.start(), one.end()) for one in run)


def heading_of(sentence: str) -> str:
    """Return the heading that a sentence is, or nothing: a few words without a verb.

    >>> [heading_of(one) for one in ("Transit of Venus 1761/1769 .", "Career .", "He won twice .", "Ann Lee")]
    ['Transit of Venus 1761/1769', 'Career', '', '']
    """
    plain = sentence.removesuffix(".").rstrip()
    words = _IN_PARENTHESES.sub(" ", plain).split()
    if plain == sentence or not 0 < len(words) <= LONGEST_HEADING or not words[0][0].isupper():
        return ""
    if words[0].lower() in _PRONOUNS or plain[-1] in ",;:" or any(sign in plain for sign in ";:"):
        return ""
    verb = any(word in _VERBS or _PAST.fullmatch(word) for word in words)
    return "" if verb or not any(sign.isalpha() for sign in plain) else plain


def split_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Find the sentences of a paragraph, also where every sign stands alone between spaces.

    >>> text = "He led D . C . United until World War I . After it Maj . Lee led . In 1995 he left Acme Inc. . It grew."
    >>> for start, end in split_sentences(text):
    ...     print(text[start:end])
    He led D . C . United until World War I .
    After it Maj . Lee led .
    In 1995 he left Acme Inc. .
    It grew.
    """
    start = 0
    for match in _STOP.finditer(text):
        before = match["before"].lower()
        shortened = before.rstrip(".") in _ABBREVIATIONS or _INITIALS.fullmatch(before.rstrip("."))
        if shortened and match["next"] not in _OPENERS and not before.endswith("."):
            continue
        end = match.end()
        stripped = text[start:end].rstrip()
        if stripped:
            yield start, start + len(stripped)
        start = end
    if text[start:].strip():
        yield start, start + len(text[start:].rstrip())
