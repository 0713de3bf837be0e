"""The text of a PDF file; one of scanned pages has none."""

from __future__ import annotations

import io
import logging
import re
from typing import Any

from asof.errors import UserError
from asof.reading.documents import Document
from asof.reading.page_files.plain import headline_of, subject_of, unbroken
from asof.reading.page_files.rows import with_rows

_MARK = b"%PDF-"
_TWO_COLUMNS = re.compile(r"\S.{24,}?\S {3,}\S.{24,}")
_ODD_FONTS = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)  # no layout of these
_COLUMNS = 0.3  # of the lines of a page
_LOOKED_AT = 1024  # bytes in front of which the mark may stand


def is_pdf(data: bytes) -> bool:
    """Tell whether bytes are a PDF file."""
    return _MARK in data[:_LOOKED_AT]


def document_of_pdf(data: bytes, *, title: str | None, named: str, location: str) -> Document:
    """Read the text of all pages."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError as error:
        raise UserError("PDF files need pypdf. Install it with: pip install 'asof[reading]'") from error
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it tells of every small fault
    try:
        reader = PdfReader(io.BytesIO(data))
        text = "\n\n".join(_text_of(page) for page in reader.pages)
        said = ((reader.metadata.title if reader.metadata else None) or "").strip()
    except (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, OSError, RecursionError) as error:
        raise UserError(f"{location} could not be read as PDF: {error}. Save it again, or give its text.") from error
    if not re.search(r"\w", text):
        raise UserError(f"{location} has no text: its pages are pictures. Give a PDF with text, or recognise it first.")
    text = unbroken(with_rows(text))
    return Document.from_text(text, title=title or headline_of(text) or said or subject_of(text.strip(), named))


def _text_of(page: Any) -> str:
    """Return the text of a page as it lies there, so that rows of tables stay rows; columns of prose one by one."""
    try:
        laid_out = str(page.extract_text(extraction_mode="layout"))
    except _ODD_FONTS:
        return str(page.extract_text())
    lines = [line.strip() for line in laid_out.splitlines() if line.strip()]
    beside = sum(bool(_TWO_COLUMNS.match(line)) for line in lines)
    return str(page.extract_text()) if not lines or beside > _COLUMNS * len(lines) else laid_out
