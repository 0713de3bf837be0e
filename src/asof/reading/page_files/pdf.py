"""The text of a PDF file; one of scanned pages has none."""

from __future__ import annotations

import io
import logging
import re

from asof.errors import UserError
from asof.reading.documents import Document
from asof.reading.page_files.plain import subject_of, unbroken

_MARK = b"%PDF-"
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
        text = "\n\n".join(page.extract_text() for page in reader.pages)
        said = ((reader.metadata.title if reader.metadata else None) or "").strip()
    except (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, OSError, RecursionError) as error:
        raise UserError(f"{location} could not be read as PDF: {error}. Save it again, or give its text.") from error
    if not re.search(r"\w", text):
        raise UserError(f"{location} has no text: its pages are pictures. Give a PDF with text, or recognise it first.")
    text = unbroken(text)
    return Document.from_text(text, title=title or said or subject_of(text.strip(), named))
