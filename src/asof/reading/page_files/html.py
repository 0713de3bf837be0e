"""HTML: paragraphs, list entries and rows of tables, each with the heading above it; without menus and scripts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

from asof.reading.documents import Document
from asof.reading.sections import Paragraph

_SILENT = {
    "script",
    "style",
    "nav",
    "footer",
    "aside",
    "noscript",
    "template",
    "svg",
    "math",
    "form",
    "button",
    "select",
}
_BLOCKS_TEXT = (
    "p div section article main blockquote pre ul ol dl table tbody thead caption figure figcaption br hr header body"
)
_BLOCKS = frozenset(_BLOCKS_TEXT.split())
_ENTRIES = {"li", "dd", "dt", "tr"}
_CELLS = {"td", "th"}
_HEADINGS = {f"h{level}" for level in range(1, 7)}
_VOID_TEXT = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_VOID_TEXT.split())
_UNREAD = re.compile(r"\b(?:mw-editsection|reference|noprint|navbox|toc|hatnote|mw-jump-link|catlinks|metadata)\b")
_MARK = re.compile(
    r"\s*<(?:!doctype\s+html|html|head|body)\b|.*</(?:p|div|body|h1|h2|table|ul)\s*>", re.IGNORECASE | re.DOTALL
)
_YEAR = re.compile(r"(?:\w+ )?(?:\d{1,2} )?\d{4}|present|now|ongoing", re.IGNORECASE)
_SITE = re.compile(r"\s+[-–—|]\s+[^-–—|]*$")  # "Ann Lee - Wikipedia"
_LOOKED_AT = 20_000  # letters


def looks_like_html(text: str) -> bool:
    """Tell whether a text is HTML.

    >>> looks_like_html("<!DOCTYPE html><p>Ann"), looks_like_html("<p>Ann led it.</p>"), looks_like_html("1 < 2 > 0")
    (True, True, False)
    """
    return bool(_MARK.match(text[:_LOOKED_AT]))


def document_of_html(text: str, *, title: str | None, named: str) -> Document:
    """Read a page; its title is its first heading, else what its head says, else the name of its file."""
    parser = _PageParser()
    parser.feed(text)
    parser.close()
    parser.end()
    its = title or parser.headline or _SITE.sub("", parser.title.strip()) or named
    found = [
        Paragraph(heading if heading != parser.headline else its, said, entry)
        for heading, said, entry in parser.paragraphs
    ]
    return Document(its, tuple(found))


class _PageParser(HTMLParser):
    """Writes down paragraphs while it goes over tags; what was never closed ends with its page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title, self.headline = "", ""
        self.paragraphs: list[tuple[str, str, bool]] = []
        self._heading, self._level = "", ""  # above, and the tag of one that is being read
        self._words: list[str] = []
        self._cells: list[str] = []
        self._entry = False
        self._in_title = False
        self._silent: list[str] = []  # tags below the first that is not read

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._silent:
            if tag not in _VOID:
                self._silent.append(tag)
            return
        classes = " ".join(value or "" for name, value in attrs if name in ("class", "role"))
        if tag in _SILENT or (tag not in _VOID and _UNREAD.search(classes)):
            self._silent = [tag]
        elif tag == "title":
            self._in_title = True
        elif tag in _CELLS:
            self._end_cell()
        elif tag in _BLOCKS | _ENTRIES | _HEADINGS:
            self.end()
            self._entry = tag in _ENTRIES
            self._level = tag if tag in _HEADINGS else ""

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            if tag in self._silent:
                while self._silent.pop() != tag:
                    pass
        elif tag == "title":
            self._in_title = False
        elif tag in _CELLS:
            self._end_cell()
        elif tag in _BLOCKS | _ENTRIES | _HEADINGS:
            self.end()

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._silent:
            self._words.append(data)

    def _end_cell(self) -> None:
        said = " ".join("".join(self._words).split())
        self._words = []
        if said:
            self._cells.append(said)

    def end(self) -> None:
        """End the paragraph, entry, row or heading that is being read."""
        self._end_cell()
        said, self._cells = _row(self._cells), []
        if said and self._level:
            self._heading = said
            self.headline = self.headline or (said if self._level == "h1" else "")
        elif re.search(r"\w", said):
            self.paragraphs.append((self._heading, said, self._entry))
        self._level, self._entry = "", False


def _row(cells: list[str]) -> str:
    """Join the cells of a row; two dates side by side are a range.

    >>> _row(["Ann Lee", "1990", "1995", "Oslo"])
    'Ann Lee , 1990–1995 , Oslo'
    """
    return "".join(
        one + ("" if two is None else "–" if _YEAR.fullmatch(one) and _YEAR.fullmatch(two) else " , ")
        for one, two in pairwise([*cells, None])
        if one is not None
    )
