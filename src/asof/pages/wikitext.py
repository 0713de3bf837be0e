"""Wikitext into paragraphs with links: sections, lists and tables; without templates, references and files.

mwparserfromhell reads the markup; what it makes of broken markup is text, as a browser would show it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from asof.errors import UserError
from asof.pages.page import Link, Page

_SILENT = {"ref", "references", "gallery", "math", "style", "script", "timeline", "templatestyles", "syntaxhighlight"}
_ENTRY = {"li", "dt", "dd"}
_BLOCKS = {"p", "div", "blockquote", "ul", "ol", "dl", "center", "h2", "h3", "caption"}
# Templates that only dress their words, and which of their places holds these.
_DRESSED = {"lang": 2, "nowrap": 1, "nobr": 1, "small": 1, "ill": 1, "interlanguage link": 1, "abbr": 1, "nbsp": 0}
_DRESS = re.compile(r"__[A-Z]+__|'{2,}")  # magic words, and quotes that make words bold or slanted
_NAMESPACE = re.compile(
    r"^(?:File|Image|Category|Media|Draft|Template|Help|Portal|Wikipedia|Module|MediaWiki|[a-z]{2,3}) ?:"
)
_DEEPEST = 40  # nested markup beyond this is hostile


def page_of_wikitext(title: str, text: str) -> Page | None:
    """Read a page; None when its markup cannot be read at all."""
    try:
        import mwparserfromhell
        from mwparserfromhell.parser import ParserError
    except ImportError as error:
        raise UserError("Wikipedia pages need mwparserfromhell. Install it with: pip install 'asof[pages]'") from error
    try:
        code = mwparserfromhell.parse(text, skip_style_tags=True)
        writer = _Writer()
        writer.walk(code, 0)
    except (ParserError, RecursionError):
        return None
    writer.end()
    return Page(title, tuple(writer.paragraphs), tuple(writer.headings), tuple(writer.links))


class _Writer:
    """Writes paragraphs while it walks over markup."""

    def __init__(self) -> None:
        self.paragraphs: list[str] = []
        self.headings: list[str] = []
        self.links: list[Link] = []
        self._heading = ""
        self._text = ""
        self._is_entry = False
        self._waiting: list[tuple[int, int, str]] = []  # links of the paragraph that is being written

    @property
    def _writers(self) -> dict[str, Callable[[Any, int], None]]:
        """Who writes which kind of node; all others, such as comments, are passed over."""
        return {
            "Text": self._words,
            "HTMLEntity": self._entity,
            "Heading": self._new_section,
            "Wikilink": self._link,
            "ExternalLink": self._outside_link,
            "Template": self._template,
            "Tag": self._tag,
        }

    def end(self) -> None:
        """End the paragraph."""
        text = self._text.rstrip()
        if re.search(r"\w", text):
            number = len(self.paragraphs)
            self.links += [Link(number, start, end, target) for start, end, target in self._waiting if end <= len(text)]
            self.paragraphs.append(text)
            self.headings.append(self._heading)
        self._text, self._waiting, self._is_entry = "", [], False

    def say(self, text: str) -> None:
        """Add words; white space is one space, and none at the beginning."""
        text = re.sub(r"\s+", " ", text)
        if not self._text or self._text.endswith(" "):
            text = text.lstrip(" ")
        self._text += text

    def walk(self, code: Any, depth: int) -> None:
        """Write what is in a piece of markup."""
        if depth > _DEEPEST:
            return
        for node in code.nodes:
            kind = type(node).__name__
            write = self._writers.get(kind)
            if write:
                write(node, depth)

    def _plain(self, code: Any, depth: int) -> str:
        inner = _Writer()
        inner.walk(code, depth + 1)
        inner.end()
        return " ".join(inner.paragraphs)

    def _entity(self, node: Any, depth: int) -> None:
        try:
            self.say(node.normalize())
        except (ValueError, KeyError, OverflowError):
            self.say(str(node))

    def _words(self, node: Any, depth: int) -> None:
        for number, line in enumerate(_DRESS.sub("", str(node.value)).split("\n")):
            if number:
                if not line.strip() or self._is_entry:
                    self.end()
                else:
                    self.say(" ")
            self.say(line)

    def _new_section(self, node: Any, depth: int) -> None:
        self.end()
        self._heading = self._plain(node.title, depth)

    def _link(self, node: Any, depth: int) -> None:
        target = str(node.title).partition("#")[0].replace("_", " ").strip()
        if _NAMESPACE.match(target):
            return
        target = target.removeprefix(":").strip()
        words = self._plain(node.text if node.text is not None else node.title, depth)
        self.say("")
        start = len(self._text)
        self.say(words)
        if target and len(self._text) > start:
            self._waiting.append((start, len(self._text), target[0].upper() + target[1:]))

    def _outside_link(self, node: Any, depth: int) -> None:
        if node.title is not None:
            self.walk(node.title, depth + 1)

    def _template(self, node: Any, depth: int) -> None:
        name = str(node.name).strip().lower().replace("_", " ")
        argument = str(_DRESSED.get(name, ""))
        if argument == "0":
            self.say(" ")
        elif argument and node.has(argument):
            self.walk(node.get(argument).value, depth + 1)

    def _tag(self, node: Any, depth: int) -> None:
        name = str(node.tag).strip().lower()
        if name in _SILENT:
            return
        if name in _ENTRY:
            self.end()
            self._is_entry = True
        elif name == "br":
            self.say(" ")
        elif name == "table":
            self.end()
            self._table(node, depth)
            return
        elif name in _BLOCKS:
            self.end()
        if node.contents is not None:
            self.walk(node.contents, depth + 1)
        if name in _BLOCKS:
            self.end()

    def _table(self, node: Any, depth: int) -> None:
        """Write each row of a table as a paragraph, its cells parted by a bar; tables inside it follow."""
        if depth > _DEEPEST or node.contents is None:
            return
        # The first row needs no mark of its own: its cells stand in the table itself.
        inner: list[Any] = []
        for part in node.contents.nodes:
            name = str(part.tag).strip().lower() if type(part).__name__ == "Tag" else ""
            if name in ("td", "th"):
                self._cell(part, depth, inner)
            elif name == "tr":
                self.end()
                for cell in part.contents.nodes if part.contents is not None else ():
                    if type(cell).__name__ == "Tag":
                        self._cell(cell, depth, inner)
                self.end()
            elif name in ("tbody", "thead"):
                self._table(part, depth + 1)
        self.end()
        for table in inner:
            self._table(table, depth + 1)

    def _cell(self, cell: Any, depth: int, inner: list[Any]) -> None:
        if cell.contents is None:
            return
        if self._text:
            self.say(" | ")
        for part in cell.contents.nodes:
            if type(part).__name__ == "Tag" and str(part.tag).strip().lower() == "table":
                inner.append(part)
            else:
                self._cell_part(part, depth)

    def _cell_part(self, node: Any, depth: int) -> None:
        """Write a part of a cell, where neither a new line nor a list begins a paragraph."""
        kind = type(node).__name__
        if kind == "Text":
            self.say(_DRESS.sub("", str(node.value)))
        elif kind == "Tag" and str(node.tag).strip().lower() in _ENTRY | _BLOCKS:
            self.say(" ")
            for part in node.contents.nodes if node.contents is not None else ():
                self._cell_part(part, depth + 1)
        elif (
            kind == "Tag"
            and str(node.tag).strip().lower() not in _SILENT | {"table", "br"}
            and node.contents is not None
        ):
            for part in node.contents.nodes:
                self._cell_part(part, depth + 1)
        else:
            write = self._writers.get(kind)
            if write:
                write(node, depth + 1)
