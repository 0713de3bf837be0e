"""Pages from a dump of a Wikipedia, as dumps.wikimedia.org has it: ``enwiki-...-pages-articles.xml.bz2``, streamed.

Redirects and pages of other namespaces are passed over. A dump that was cut gives the pages before the cut.
"""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Container, Iterator
from pathlib import Path
from typing import IO, cast
from xml.etree import ElementTree

from asof.errors import UserError
from asof.pages.page import Page

_ENDINGS = (".xml", ".xml.bz2", ".xml.gz")


class WikipediaDump:
    """An XML export of pages with wikitext."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []

    @staticmethod
    def recognises(path: Path) -> bool:
        """Tell whether a file is a dump by its name."""
        return path.name.lower().endswith(_ENDINGS)

    def pages(self, wanted: Container[str]) -> Iterator[Page]:
        """Walk over the articles with a wanted title, in the order of the dump."""
        from asof.pages.wikitext import page_of_wikitext

        seen = False
        try:
            for title, text in self._articles():
                seen = True
                if title in wanted and text:
                    page = page_of_wikitext(title, text)
                    if page is None:
                        self.problems.append(f"{self.path}: the page {title!r} could not be read.")
                    else:
                        yield page
        except (ElementTree.ParseError, EOFError, OSError) as error:
            if not seen:
                raise UserError(f"{self.path} is not a Wikipedia dump ({error}). Was the download complete?") from error
            self.problems.append(f"{self.path} is cut or broken ({error}): only the pages before that were read.")

    def _articles(self) -> Iterator[tuple[str, str]]:
        """Give title and wikitext of every article that is no redirect."""
        with _opened(self.path) as file:
            parser = ElementTree.iterparse(file, events=("start", "end"))  # noqa: S314 - expat itself refuses entity bombs
            _, root = next(parser)
            if _plain(root.tag) != "mediawiki":
                raise UserError(f"{self.path} is not a Wikipedia dump: it begins with <{_plain(root.tag)}>.")
            for event, element in parser:
                if event != "end" or _plain(element.tag) != "page":
                    continue
                fields = {_plain(child.tag): child for child in element}
                if (
                    "redirect" not in fields
                    and "title" in fields
                    and (fields["ns"].text if "ns" in fields else "0") == "0"
                ):
                    yield fields["title"].text or "", _text(element)
                root.clear()  # else the whole dump stays in memory


def _text(page: ElementTree.Element) -> str:
    """Return the text of the last revision: a full dump has all of them, oldest first."""
    found = [part for part in page.iter() if _plain(part.tag) == "text"]
    return found[-1].text or "" if found else ""


def _plain(tag: str) -> str:
    return tag.rpartition("}")[2]


def _opened(path: Path) -> IO[bytes]:
    name = path.name.lower()
    if name.endswith(".bz2"):
        return cast(IO[bytes], bz2.open(path, "rb"))
    return cast(IO[bytes], gzip.open(path, "rb")) if name.endswith(".gz") else path.open("rb")
