"""Spans of a document that can be an answer: names and their parts, places with their country, roles in small letters.

Every part of a run of capitalised words is a candidate ("Vice Admiral Alan Kirk", "Alan Kirk"): which of them answers a
question is for the scorer to learn, what a person would mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product

from asof.reading.documents import Document, Sentence

_WORD = re.compile(r"[^\W_]+(?:[-'’./&][^\W_]+)*\.?|[^\w\s]")
_YEAR = re.compile(r"(?:1\d{3}|20\d{2})(?:[-–/]\d{2,4})?")
_MONTHS_TEXT = "january february march april may june july august september october november december"
_MONTHS = frozenset(_MONTHS_TEXT.split())
_INSIDE_TEXT = """
    of the de la del di da do dos du von van der den zur zum and & for at on bin ibn al el y e af et des le les
    ' - / ! . ’ s to within
"""
_INSIDE_NAMES = frozenset(_INSIDE_TEXT.split())  # not "in": people mark the school, not "the school in Cincinnati"
_OPENING_TEXT = """
    he she it they his her its their a an in on at by as from to and but this that these under after during since until
    when while although however following before between for with despite upon there then later both also some most all
    through throughout according once because if not one two three many several other another each we i you
"""
_NEVER_NAMES = frozenset(_OPENING_TEXT.split())  # with a capital letter only because a sentence begins
_PLAIN_TEXT = """
    the a an of in on at to and or was were is are be been being he she it they his her its their who which that with by
    from as for into after before until when where while had has have but not also this these those than then over
    under during between through about against him them there here all both each more most other some such only own
    same so very can will would could should may might must one two three first second new several many later since
"""
_PLAIN = frozenset(_PLAIN_TEXT.split())  # words in small letters that no answer begins or ends with
_LEADS_TEXT = "as a an the to became rank position of his her was appointed promoted elected named professional current"
_LEADS = frozenset(_LEADS_TEXT.split())  # words before a role
_PLACED = frozenset(("in", "at", "to", "of", "and"))
_QUOTES = frozenset("\"“”„‘’'")
_LONGEST_NAME = 9  # words
_LONGEST_ROLE = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span of a paragraph that may be an answer.

    Args:
        sentence: Its place among the sentences of the document.
        whole: It is as long as the run of names it stands in.
        before: The word before it, in small letters; empty at the beginning of a sentence.
        after: The word or sign after it.
        name_before: The word before it has a capital letter.
    """

    sentence: int
    start: int
    end: int
    text: str
    words: int
    whole: bool
    named: bool
    before: str
    after: str
    name_before: bool = False


def find_candidates(document: Document) -> list[Candidate]:
    """Return the candidates of all sentences in their order.

    >>> page = Document.from_text("In 1945 Vice Admiral Kirk became director of Acme .")
    >>> [candidate.text for candidate in find_candidates(page) if candidate.whole]
    ['Vice Admiral Kirk', 'Acme', 'director']
    """
    return [
        candidate
        for index, sentence in enumerate(document.sentences)
        for candidate in _of_sentence(document, index, sentence)
    ]


_Word = tuple[str, int, int]
_Span = tuple[int, int]  # the first and the last word


def _of_sentence(document: Document, index: int, sentence: Sentence) -> Iterator[Candidate]:
    text = document.paragraphs[sentence.paragraph].text
    words = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text, sentence.start, sentence.end)]
    for (first, last), (whole, is_name) in _spans(words).items():
        start, end = words[first][1], words[last][2]
        if text[end - 1] == "." and last + 1 == len(words) and not re.search(r"\w\.\w", text[start:end]):
            end -= 1  # the full stop of the sentence
        yield Candidate(
            sentence=index,
            start=start,
            end=end,
            text=text[start:end],
            words=last - first + 1,
            whole=whole,
            named=is_name,
            before=words[first - 1][0].lower() if first else "",
            after=words[last + 1][0].lower() if last + 1 < len(words) else "",
            name_before=bool(first) and words[first - 1][0][0].isupper(),
        )


def _spans(words: list[_Word]) -> dict[_Span, tuple[bool, bool]]:
    """Find all spans of a sentence, in the order in which they are found: whether each is whole, and a name."""
    runs = list(_runs(words))
    spans: dict[_Span, tuple[bool, bool]] = {}
    for run in runs:
        moved = any(word.lower() == "from" for word, _, _ in words[max(0, run[0] - 2) : run[0]])
        for first, last in _parts(words, *run):
            if moved and any(word == "to" for word, _, _ in words[first:last]):
                continue  # "from the Old Hall to the New Arena" are two
            spans.setdefault((first, last), ((first, last) == run, True))
    for span in _with_their_country(words, runs):
        spans.setdefault(span, (False, True))
    for span in _with_a_nickname(words, runs):
        spans.setdefault(span, (True, True))
    for span in (*_with_parentheses(words, runs), *_longer(words, runs)):
        spans.setdefault(span, (False, True))
    named = {number for first, last in runs for number in range(first, last + 1)}
    for first, last in _roles(words, named):
        spans.setdefault((first, last), (last + 1 == len(words) or not _role_word(words[last + 1][0]), False))
    return spans


def _with_their_country(words: list[_Word], runs: list[_Span]) -> Iterator[_Span]:
    """Find "Dakar , Senegal", also at the end of "at Acme F.C . in Dakar , Senegal", and before "to Ann Lee"."""
    for (first, last), (following, end) in pairwise(runs):
        if following != last + 2 or words[last + 1][0] != ",":
            continue
        begins = [number for number in range(first, last + 1) if number == first or words[number - 1][0] in _PLACED]
        small = [number for number in range(following, end) if words[number + 1][0].lower() in _INSIDE_NAMES]
        yield from (span for span in product(begins, {end, *small[:1]}) if span[1] - span[0] < _LONGEST_NAME)


def _with_a_nickname(words: list[_Word], runs: list[_Span]) -> Iterator[_Span]:
    """Find names such as Friedrich "Fritz" Hollmann."""
    for (first, last), (nick, nick_end), (begin, end) in zip(runs, runs[1:], runs[2:], strict=False):
        quoted = nick == last + 2 and begin == nick_end + 2
        if quoted and {words[last + 1][0], words[nick_end + 1][0]} <= _QUOTES and end - first < _LONGEST_NAME:
            yield first, end


def _with_parentheses(words: list[_Word], runs: list[_Span]) -> Iterator[_Span]:
    """Find names with what stands behind them in parentheses."""
    for first, last in runs:
        if (close := _closed(words, last + 1)) and close - first < _LONGEST_NAME:
            yield first, close


def _is_name(word: str) -> bool:
    return word[0].isupper() and word.lower() not in _MONTHS


def _can_continue(word: str) -> bool:
    return _is_name(word) or (word[0].isdigit() and not _YEAR.fullmatch(word) and len(word) < 5)


def _runs(words: list[_Word]) -> Iterator[tuple[int, int]]:
    """Find runs of capitalised words; small words between two of them belong to the run."""
    index = 0
    while index < len(words):
        word = words[index][0]
        begins = _is_name(word) or (word[0].isdigit() and any(sign.isalpha() for sign in word))
        if not begins or (word.lower() in _NEVER_NAMES and (index == 0 or not words[index - 1][0].isalnum())):
            index += 1
            continue
        last, look = index, index + 1
        while look < len(words):
            if _can_continue(words[look][0]):
                last = look
            elif words[look][0].lower() not in _INSIDE_NAMES or look - last > 2:
                break
            look += 1
        yield index, last
        index = last + 1


def _parts(words: list[_Word], first: int, last: int) -> Iterator[tuple[int, int]]:
    for one in range(first, last + 1):
        if words[one][0].lower() in _INSIDE_NAMES and words[one][0] != "The":
            continue
        for two in range(one, min(last + 1, one + _LONGEST_NAME)):
            if words[two][0].lower() not in _INSIDE_NAMES or (words[two][0] == "." and len(words[two - 1][0]) == 1):
                yield one, two


def _longer(words: list[_Word], runs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Add the small words that belong to a name: "Westerbork transit camp", "commander of the Jämtland Regiment"."""
    for first, last in runs:
        for two in range(last + 1, min(len(words), last + 3)):
            if not _role_word(words[two][0]):
                break
            yield first, two
        link = first - 1
        while link >= 0 and words[link][0] in ("the", "of", "at", "for", "to", "in"):
            link -= 1
        if link < first - 1 and link >= 0 and words[link + 1][0] != "the":
            for one in range(link, max(-1, link - 2), -1):
                if not _role_word(words[one][0]):
                    break
                yield one, last


def _closed(words: list[_Word], index: int) -> int | None:
    """Return where a short name or party in parentheses closes: "Torpedo Squadron 4 ( VT-4 )", "Ann Lee ( Ap )"."""
    inside = [word for word, _, _ in words[index : index + 4]]
    close = inside.index(")") if ")" in inside else 0
    return index + close if inside[:1] == ["("] and close > 1 and all(map(_is_name, inside[1:close])) else None


def _role_word(word: str) -> bool:
    return word[0].isalpha() and word[0].islower() and word not in _PLAIN and len(word) > 2


def _roles(words: list[_Word], named: set[int]) -> Iterator[tuple[int, int]]:
    """Find a few words in small letters after a word that leads to a role: "as director", "the rank of colonel"."""
    for one in range(len(words)):
        if one in named or not _role_word(words[one][0]):
            continue
        if one and words[one - 1][0].lower() not in _LEADS and _role_word(words[one - 1][0]):
            continue
        if words[one][0] in _LEADS:
            continue
        for two in range(one, min(len(words), one + _LONGEST_ROLE)):
            if not _role_word(words[two][0]):
                break
            yield one, two
