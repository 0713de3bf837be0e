"""An answer from a document, as a notebook holds it: ``asof.read``."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from asof.api.frame import Frame
from asof.errors import UserError


@dataclass(frozen=True, repr=False)
class ReadAnswer(Frame):
    """The answer that a reader found; the rows are what speaks for it, the best first."""

    text: str = ""
    probability: float | None = None

    def __str__(self) -> str:
        return self.text or "The document does not answer this question."

    def __repr__(self) -> str:
        return f"{self}\n{super().__repr__()}" if len(self) else str(self)


def read(document: str, question: str, *, reader: str = "temporal", title: str = "") -> ReadAnswer:
    """Answer a question about a time from a document: plain text, HTML, wikitext or markdown.

    Args:
        reader: KIND:PLACE, see ``asof list readers``: ``temporal`` is the one that comes with asof, others are
            ``temporal:FOLDER`` and ``language-model:smollm2``.
        title: Whom or what the document is about (default: what it says).
    """
    from asof.reading.answers import open_reader
    from asof.reading.page_files import page_of_text

    page = page_of_text(document, title=title or None)
    if not page.paragraphs or not question.strip():
        raise UserError("Give a document with at least one sentence, and a question.")
    (answer,) = open_reader(reader).read_many([question], page)
    frame = Frame.of((asdict(one) for one in answer.evidence), shown=("candidate", "interval", "verdict", "sentence"))
    return ReadAnswer(frame.table, frame.shown, frame.notes, answer.text, answer.probability)
