"""Pages from plain text: a folder with one file per page, named by its title.

A line is a paragraph; ``== Clubs ==`` and ``## Clubs`` are headings. What a file name cannot hold is written as in a
web address: ``AC%2FDC.txt``. ``[[Cleveland Cavaliers|the Cavaliers]]`` is a link, as in a wiki.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from pathlib import Path
from urllib.parse import unquote

from asof.errors import UserError
from asof.pages.page import Link, Page

_HEADING = re.compile(r"^(?:=+ *(.*?) *=+|#+ +(.*?))$")
_LINK = re.compile(r"\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]\]")


class TextFiles:
    """A folder of text files."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []

    def pages(self, wanted: Container[str]) -> Iterator[Page]:
        """Walk over the files with a wanted title, by name."""
        files = sorted(path for path in self.path.iterdir() if path.suffix in (".txt", ".md") and path.is_file())
        if not files:
            raise UserError(f"{self.path} has no text file. Put one file per page there, named by its title: Italy.txt")
        for path in files:
            title = unquote(path.stem).replace("_", " ")
            if title not in wanted:
                continue
            try:
                text = path.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                self.problems.append(f"Could not read {path}: {error}.")
                continue
            yield page_of_text(title, text)


def page_of_text(title: str, text: str) -> Page:
    r"""Read a text.

    >>> page = page_of_text("LeBron James", "== Clubs ==\nHe joined [[Miami Heat|the Heat]] in 2010.")
    >>> page.paragraphs, page.headings, page.links
    (('He joined the Heat in 2010.',), ('Clubs',), (Link(paragraph=0, start=10, end=18, target='Miami Heat'),))
    """
    paragraphs: list[str] = []
    headings: list[str] = []
    links: list[Link] = []
    heading = ""
    for line in text.splitlines():
        line = " ".join(line.split())
        found = _HEADING.match(line)
        if found:
            heading = found[1] or found[2] or ""
        elif line:
            plain, position = "", 0
            for match in _LINK.finditer(line):
                plain += line[position : match.start()]
                words = match[2] or match[1]
                links.append(Link(len(paragraphs), len(plain), len(plain) + len(words), match[1].strip()))
                plain, position = plain + words, match.end()
            paragraphs.append(plain + line[position:])
            headings.append(heading)
    return Page(title, tuple(paragraphs), tuple(headings), tuple(links))
