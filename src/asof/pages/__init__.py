"""Pages about subjects: a title, its paragraphs, and which words are links to which other page.

They come from a dump of a Wikipedia (``wikipedia_dump.py``) or from plain text files (``text_files.py``).
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path

from asof.errors import UserError
from asof.pages.page import Link, Page
from asof.pages.text_files import TextFiles
from asof.pages.wikipedia_dump import WikipediaDump

__all__ = ["Link", "Page", "PageReader", "TextFiles", "WikipediaDump", "open_pages"]

PageReader = TextFiles | WikipediaDump


class _Everything:
    """Holds whatever is asked for."""

    def __contains__(self, thing: object) -> bool:
        return True


def open_pages(path: Path) -> PageReader:
    """Open a dump or a folder; ``pages(wanted)`` walks over it, ``problems`` says what could not be read."""
    if path.is_dir():
        return TextFiles(path)
    if not path.is_file():
        raise UserError(f"{path} does not exist. Give a Wikipedia dump (.xml, .xml.bz2, .xml.gz) or a folder of texts.")
    if WikipediaDump.recognises(path):
        return WikipediaDump(path)
    raise UserError(
        f"{path} does not hold pages: it is neither a dump (.xml, .xml.bz2, .xml.gz) nor a folder of text files."
    )


def read_pages(path: Path, wanted: Container[str] | None = None) -> Iterator[Page]:
    """Walk over pages, only those with a wanted title if some are."""
    return open_pages(path).pages(wanted if wanted is not None else _Everything())
