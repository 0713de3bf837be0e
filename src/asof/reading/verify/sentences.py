r"""A text as sentences: where each begins and ends, whatever the text is made of: prose, a list, Markdown.

>>> [one.text for one in sentences("Dr. Lee led Acme Inc. in 2010. She left!\n* J. K. Roe leads it now")]
['Dr. Lee led Acme Inc. in 2010.', 'She left!', 'J. K. Roe leads it now']
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BREAK = re.compile(r"(?P<end>[.!?…]+[\"”’')\]]*)(?:\[[0-9]+\])*(?P<space>\s+|$)|(?P<line>\s*\n\s*)")
_MARK = re.compile(r"(?:[-*•>#]+|[0-9]{1,2}[.)])\s+")
_SHORT = re.compile(
    r"(?:^|[\s(\"“])(?:[A-Z]|Dr|Mr|Mrs|Ms|St|Sr|Jr|Prof|Gen|Col|Sen|Rep|Gov|Lt|Capt|Sgt|Rev|Hon|No|Nos|vs|ca|c|approx|e\.g|i\.e|etc|cf|Inc|Ltd|Co|Corp|Bros|"
    r"U\.S|U\.K|U\.N|U\.S\.A|D\.C|F\.C|A\.C|B\.C|A\.D|a\.m|p\.m|(?:[A-Z]\.)+[A-Z]|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)$"
)
# After these a capital may begin a sentence as well: only what follows can tell.
_MAY_END = re.compile(r"(?:Inc|Ltd|Co|Corp|Bros|etc|U\.S|U\.K|U\.N|U\.S\.A|D\.C|F\.C|A\.C|B\.C|A\.D|a\.m|p\.m|Jr|Sr)$")
_STARTS = re.compile(
    r"(?:The|A|An|In|On|At|He|She|It|They|His|Her|Its|This|That|These|Since|From|After|Before|As|But|However|By|When|While|Until|Although|Though|Later|Then)\b"
)


@dataclass(frozen=True, slots=True)
class TextSentence:
    """One sentence, and where it stands in its text."""

    text: str
    start: int
    end: int
    number: int = 0


def sentences(text: str) -> list[TextSentence]:
    """Split a text; line ends, bullets and headings end a sentence, too."""
    spans = (_trimmed(text, first, last) for first, last in _spans(text))
    return [
        TextSentence(text[first:last], first, last, number)
        for number, (first, last) in enumerate(span for span in spans if span[0] < span[1])
    ]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    first = 0
    for match in _BREAK.finditer(text):
        if match["line"] is None and _is_short(text, first, match):
            continue
        if match["line"] is not None and not _ends_a_line(text, first, match):
            continue
        last = match.start() if match["line"] is not None else match.end("end")
        yield first, last
        first = match.end()
    yield first, len(text)


def _is_short(text: str, first: int, match: re.Match[str]) -> bool:
    """Tell whether a full stop belongs to a short form, or to the number of an item."""
    if not match["end"].startswith(".") or len(match["end"]) > 1:
        return False
    before, behind = text[first : match.start()], text[match.end() :]
    if re.fullmatch(r"\s*[0-9]{1,2}", before):
        return True
    if behind[:1].islower():
        return True
    if not _SHORT.search(before):
        return False
    return bool(behind) and not (_MAY_END.search(before) and _STARTS.match(behind))


def _ends_a_line(text: str, first: int, match: re.Match[str]) -> bool:
    """Tell the end of a paragraph, a heading or an item from a line that was only wrapped."""
    if match["line"].count("\n") > 1 or _MARK.match(text, match.end()):
        return True
    before, behind = text[first : match.start()].rstrip(), text[match.end() :]
    return not (behind[:1].islower() or behind[:1].isdigit() or before.endswith((",", ";")) or len(before) > 60)


def _trimmed(text: str, first: int, last: int) -> tuple[int, int]:
    """Leave out space, bullets and the marks of headings."""
    while first < last and text[first].isspace():
        first += 1
    while first < last and (mark := _MARK.match(text, first, last)):
        first = mark.end()
    while last > first and text[last - 1].isspace():
        last -= 1
    return first, last
