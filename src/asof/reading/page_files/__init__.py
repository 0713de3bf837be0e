"""Pages as people have them: plain text, HTML, wikitext, PDF; each becomes a document.

What a file is, its first bytes and its text tell; its name only decides between what both could be.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from asof.errors import UserError
from asof.reading.documents import Document
from asof.reading.page_files.html import document_of_html, looks_like_html
from asof.reading.page_files.pdf import document_of_pdf, is_pdf
from asof.reading.page_files.plain import document_of_text
from asof.reading.page_files.web import fetched, is_address
from asof.reading.page_files.wikitext import document_of_wikitext, looks_like_wikitext

_ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
_HTML_NAMES, _WIKI_NAMES = {".html", ".htm", ".xhtml"}, {".wiki", ".wikitext", ".mediawiki"}
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def read_page(location: str, *, title: str | None = None) -> Document:
    """Read a page: a file, an address, or "-" for what is piped in.

    Args:
        title: Whom or what it is about (default: what the page says, else the name of its file).
    """
    data = _bytes_of(location)
    suffix = "" if is_address(location) else Path(location).suffix.lower()
    named = "" if location == "-" else Path(location.rstrip("/")).stem.replace("_", " ")
    page = _document_of(data, suffix, title, named, location)
    if not page.paragraphs:
        raise UserError(f"{location} has no text to read. Give a document with at least one sentence.")
    return page


def _bytes_of(location: str) -> bytes:
    if is_address(location):
        return fetched(location)
    try:
        return sys.stdin.buffer.read() if location == "-" else Path(location).read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise UserError(
            f"{location} could not be read: {reason}. Give a file of text, HTML, wikitext or PDF."
        ) from error


def _document_of(data: bytes, suffix: str, title: str | None, named: str, location: str) -> Document:
    if is_pdf(data):
        return document_of_pdf(data, title=title, named=named, location=location)
    return page_of_text(_text_of(data, location), suffix=suffix, title=title, named=named)


def page_of_text(text: str, *, suffix: str = "", title: str | None = None, named: str = "") -> Document:
    """Read a text, which may be HTML, wikitext or markdown.

    Args:
        suffix: Of its file, if there is one: it decides where the text does not.
        title: Whom or what it is about (default: what the page says, else what it is named).
    """
    if looks_like_html(text) or (suffix in _HTML_NAMES and "<" in text):
        return document_of_html(text, title=title, named=named)
    if suffix in _WIKI_NAMES or looks_like_wikitext(text):
        return document_of_wikitext(text, title=title, named=named)
    return document_of_text(text, title=title, named=named)


def _text_of(data: bytes, location: str) -> str:
    encoding = next((name for mark, name in _ENCODINGS.items() if data.startswith(mark)), "utf-8")
    if encoding == "utf-8" and b"\x00" in data:
        raise UserError(
            f"{location} could not be read: it is not text (it has zero bytes). Give a file of text, HTML, wikitext or "
            "PDF; save a document of a word processor as PDF or text first."
        )
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        try:
            text = data.decode("cp1252")  # what older programs write in the west
        except UnicodeDecodeError:
            raise UserError(
                f"{location} could not be read: {error}. Save it as text in UTF-8, or give HTML, wikitext or PDF."
            ) from error
    return _CONTROL.sub(" ", text)
