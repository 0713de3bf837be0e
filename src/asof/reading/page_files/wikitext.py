"""Wikitext, as Wikipedia keeps its pages."""

from __future__ import annotations

import re

from asof.benchmarks import BenchmarkDocument
from asof.errors import UserError
from asof.pages.wikitext import page_of_wikitext
from asof.reading.documents import Document
from asof.reading.page_files.plain import subject_of

_LINK = re.compile(r"\[\[[^\[\]\n]+\]\]")
_MARK = re.compile(r"^==+[^=\n]+==+\s*$|\{\{[^{}\n]+|'''", re.MULTILINE)
_LOOKED_AT = 100_000  # letters


def looks_like_wikitext(text: str) -> bool:
    r"""Tell whether a text is wikitext: it has links, and headings, templates or bold words of a wiki.

    >>> looks_like_wikitext("== Clubs ==\nHe joined [[Miami Heat|the Heat]]."), looks_like_wikitext("He left [1].")
    (True, False)
    """
    return bool(_LINK.search(text[:_LOOKED_AT]) and _MARK.search(text[:_LOOKED_AT]))


def document_of_wikitext(text: str, *, title: str | None, named: str) -> Document:
    """Read wikitext: sections, lists and tables; no templates and references."""
    page = page_of_wikitext(title or named, text)
    if page is None:
        raise UserError("The wikitext could not be read: its markup never ends. Give the page as HTML or plain text.")
    its = title or subject_of(page.paragraphs[0] if page.paragraphs else "", named)
    return Document.from_benchmark(BenchmarkDocument(its, its, page.paragraphs, page.headings))
