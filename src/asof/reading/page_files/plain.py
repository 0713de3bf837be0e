"""Plain text, also with lines that a program has broken at a width."""

from __future__ import annotations

import re
from itertools import pairwise

from asof.reading.documents import Document
from asof.reading.page_files.rows import with_rows

_ENTRY = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s")
_HEADING = re.compile(r"[=#]|[^.!?:;,]{1,60}$")
_SENTENCE_END = re.compile(r"[.!?:][\"'”’)\]]*$")
_SUBJECT = re.compile(
    r"\W*(?:The\s)?(?P<name>[A-ZÀ-ÖØ-Þ][\w.’'-]*(?:\s(?:of|the|and|de|van|von|[A-ZÀ-ÖØ-Þ0-9][\w.’'-]*)){0,7})"
    r"(?:\s\([^()]{0,80}\))?,?\s(?:is|was|are|were|has\sbeen|had\sbeen|stands|stood|lies)\s"
)
_MARKDOWN = re.compile(r"^#{1,6} \S|\]\(\S+\)|^\s*\|?[ :-]*-{3,}[ :-]*\|", re.MULTILINE)
_LINKED = re.compile(r"!\[[^\]\n]*\]\([^)\s]*\)|\[([^\]\n]+)\]\([^)\n]*\)")
_BOLD = re.compile(r"(\*\*|__|`)(\S(?:[^\n]*?\S)?)\1")
_BROKEN = 0.25  # of the breaks inside blocks go on in small letters where lines are broken at a width
_LEAST = 40  # letters of a line that was broken at a width


def document_of_text(text: str, *, title: str | None, named: str) -> Document:
    """Read plain text."""
    text = unbroken(with_rows(without_dress(text)))
    return Document.from_text(text, title=title or headline_of(text) or subject_of(text, named))


def without_dress(text: str) -> str:
    r"""Take what only dresses words out of markdown; leave other text as it is.

    >>> without_dress("# Club\n**Ann Lee** led [Acme](http://a.b) ![logo](c.png)"), without_dress("2 ** 3 ** 4")
    ('# Club\nAnn Lee led Acme ', '2 ** 3 ** 4')
    """
    if not _MARKDOWN.search(text):
        return text
    return _BOLD.sub(r"\2", _LINKED.sub(r"\1", text))


def headline_of(text: str) -> str:
    r"""Return the heading of a whole page: in markdown, or a first line that stands alone and comes again.

    >>> headline_of("# FC Example #\n\nIt won."), headline_of("FC Example\n\nFC Example won."), headline_of("Ann\n- Bo")
    ('FC Example', 'FC Example', '')
    """
    first, _, rest = text.lstrip().partition("\n")
    if first.startswith("# "):
        return first.strip("# ")
    alone = not rest.strip() or rest.lstrip(" \t").startswith("\n")
    said = first.strip()
    return said if alone and _HEADING.fullmatch(said) and said[:1].isupper() and said in rest else ""


def subject_of(text: str, named: str) -> str:
    """Return whom or what a text is about: the name of its file if the text has it, else what its first sentence says.

    >>> subject_of("Ann Lee (born 4 May 1951 in Oslo) is a biologist.", "bio"), subject_of("It rained in Oslo.", "oslo")
    ('Ann Lee', 'oslo')
    """
    found = _SUBJECT.match(text)
    if found and named and named.lower() not in found["name"].lower():
        said = re.search(rf"(?<!\w){re.escape(named.lower())}(?!\w)", text.lower())
        found = None if said else found
    return found["name"] if found else named


def unbroken(text: str) -> str:
    r"""Join lines that were broken at a width; leave other texts, lists and headings as they are.

    >>> print(unbroken("Ann Lee led the club for a long time from\nthe year 1990\nto 1995.\n\n- Bo Ek\n- Cy Dee"))
    Ann Lee led the club for a long time from the year 1990 to 1995.
    <BLANKLINE>
    - Bo Ek
    - Cy Dee
    """
    blocks = [[line.strip() for line in block.splitlines()] for block in re.split(r"\n[ \t]*\n", text)]
    pairs = [(one, two) for lines in blocks for one, two in pairwise(lines) if not _ENTRY.match(two)]
    wide = max(_LEAST, max((len(line) for lines in blocks for line in lines), default=0) * 6 // 10)
    wide_ones = [(one, two) for one, two in pairs if len(one) >= wide] or pairs
    going_on = sum(two[:1].islower() and not _SENTENCE_END.search(one) for one, two in wide_ones)
    if not wide_ones or going_on < _BROKEN * len(wide_ones):
        return text
    return "\n\n".join("\n".join(_joined(lines)) for lines in blocks)


def _joined(lines: list[str]) -> list[str]:
    found: list[str] = []
    wide = max(_LEAST, max((len(line) for line in lines), default=0) * 6 // 10)
    ends = True
    for line, following in pairwise([*lines, ""]):
        if ends or _ENTRY.match(line) or line.startswith(("=", "#")):
            found.append(line)
        elif found[-1].endswith("-") and line[:1].islower():
            found[-1] = found[-1][:-1] + line
        else:
            found[-1] = f"{found[-1]} {line}"
        # a short line ends a paragraph or an entry unless what follows goes on in small letters
        ends = len(line) < wide and bool(_SENTENCE_END.search(line) or not following[:1].islower())
    return found
