"""HTML: paragraphs, list entries and rows of tables, each with the heading above it; without menus and scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from html.parser import HTMLParser

from asof.reading.documents import Document
from asof.reading.page_files.rows import rows_of
from asof.reading.sections import Paragraph, entry_of

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
_CUT_TABLES = frozenset(("table", "tbody", "thead", "tr"))
_HEADINGS = {f"h{level}" for level in range(1, 7)}
_VOID_TEXT = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_VOID_TEXT.split())
_UNREAD = re.compile(r"\b(?:mw-editsection|reference|noprint|navbox|toc|hatnote|mw-jump-link|catlinks|metadata)\b")
_MARK = re.compile(
    r"\s*<(?:!doctype\s+html|html|head|body)\b|.*</(?:p|div|body|h1|h2|table|ul)\s*>", re.IGNORECASE | re.DOTALL
)
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
    found = [replace(one, section=its) if one.section == parser.headline else one for one in parser.paragraphs]
    return Document(its, tuple(found))


class _PageParser(HTMLParser):
    """Writes down paragraphs while it goes over tags; what was never closed ends with its page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title, self.headline = "", ""
        self.paragraphs: list[Paragraph] = []
        self._heading, self._level = "", ""  # above, and the tag of one that is being read
        self._words: list[str] = []
        self._lines: list[str] = []  # of the cell that is being read
        self._cells: list[list[str]] = []
        self._entry = self._in_cell = False
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
            self._in_cell = True
        elif self._parts_cell(tag):
            self._end_line()
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
        elif self._parts_cell(tag):
            self._end_line()
        elif tag in _BLOCKS | _ENTRIES | _HEADINGS:
            self.end()

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._silent:
            self._words.append(data)

    def _parts_cell(self, tag: str) -> bool:
        """Tell whether a tag begins another line in a cell of a table: a paragraph there, or an entry of a list."""
        return self._in_cell and tag in (_BLOCKS | _ENTRIES) - _CUT_TABLES

    def _end_line(self) -> None:
        said = " ".join("".join(self._words).split())
        self._words = []
        if said:
            self._lines.append(said)

    def _end_cell(self) -> None:
        self._end_line()
        if self._lines:
            self._cells.append(self._lines)
        self._lines, self._in_cell = [], False

    def end(self) -> None:
        """End the paragraph, entry, row or heading that is being read."""
        self._end_cell()
        rows, self._cells = rows_of(self._cells), []
        if rows and self._level:
            self._heading = " ".join(rows)
            self.headline = self.headline or (self._heading if self._level == "h1" else "")
        elif self._entry:
            self._write(one for said in rows for one in entry_of(self._heading, said))
        else:
            self._write(Paragraph(self._heading, said) for said in rows)
        self._level, self._entry = "", False

    def _write(self, paragraphs: Iterable[Paragraph]) -> None:
        self.paragraphs += [one for one in paragraphs if re.search(r"\w", one.text)]
