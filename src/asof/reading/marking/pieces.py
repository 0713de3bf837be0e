"""A document in pieces of so many tokens, cut between sentences: what an encoder reads at a time, with a question.

Each piece is read with the title and the heading above it. The pieces do not depend on the question, so a document is
cut and made into tokens once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from asof.reading.documents import Document

QUESTION, HEAD, BODY = 36, 28, 109  # tokens at most; with three signs between them
LONGEST = QUESTION + HEAD + BODY + 3


class TokenPlace(NamedTuple):
    """Where a token stands: its paragraph and its letters there."""

    paragraph: int
    start: int
    end: int


@dataclass(frozen=True)
class TextPiece:
    """Some sentences of a document in tokens, with its title and heading."""

    head: list[int]
    body: list[int]
    places: list[TokenPlace]


@dataclass(frozen=True)
class TokenWindow:
    """A question and a piece as an encoder takes them."""

    ids: list[int]
    type_ids: list[int]
    first: int  # where the piece's own tokens begin


def pieces_of(document: Document, tokenizer: Any) -> list[TextPiece]:
    """Cut a document into pieces; none crosses a heading."""
    return list(_pieces(document, tokenizer))


def windows_of(question: str, pieces: Sequence[TextPiece], tokenizer: Any) -> list[TokenWindow]:
    """Put a question before each piece."""
    asked = tokenizer.encode(question, add_special_tokens=False).ids[:QUESTION]
    begin, border = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    found = []
    for piece in pieces:
        second = [*piece.head, *piece.body, border]
        ids = [begin, *asked, border, *second]
        first = len(asked) + 2 + len(piece.head)
        found.append(TokenWindow(ids, [0] * (len(asked) + 2) + [1] * len(second), first))
    return found


def _pieces(document: Document, tokenizer: Any) -> Iterator[TextPiece]:
    section, head = None, list[int]()
    body, places = list[int](), list[TokenPlace]()
    for paragraph, ids, offsets in _sentences(document, tokenizer):
        its = document.paragraphs[paragraph].section
        if body and (its != section or len(body) + len(ids) > BODY):
            yield TextPiece(head, body, places)
            body, places = [], []
        if its != section:
            section, head = its, _head(document.title, its, tokenizer)
        for low in range(0, len(ids), BODY):  # a sentence that is longer than a piece
            if body and len(body) + len(ids[low : low + BODY]) > BODY:
                yield TextPiece(head, body, places)
                body, places = [], []
            body = [*body, *ids[low : low + BODY]]
            places = [*places, *(TokenPlace(paragraph, *span) for span in offsets[low : low + BODY])]
    if body:
        yield TextPiece(head, body, places)


def _sentences(document: Document, tokenizer: Any) -> Iterator[tuple[int, list[int], list[tuple[int, int]]]]:
    sentences = document.sentences
    encoded = tokenizer.encode_batch([document.text_of(one) for one in sentences], add_special_tokens=False)
    for sentence, tokens in zip(sentences, encoded, strict=True):
        offsets = [(start + sentence.start, end + sentence.start) for start, end in tokens.offsets]
        yield sentence.paragraph, tokens.ids, offsets


def _head(title: str, section: str, tokenizer: Any) -> list[int]:
    said = title if section in ("", title) else f"{title}. {section}"
    ids: list[int] = tokenizer.encode(f"{said}:", add_special_tokens=False).ids if said else []
    return ids[:HEAD]
