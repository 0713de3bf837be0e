"""A taught marker at work: for each candidate of a document, how much speaks for it as an answer at any time.

The network reads the document in pieces, each with the question that has lost its time. It runs on onnxruntime, as
whole numbers of 8 bits; torch is needed for teaching alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asof.reading.document_features import Column
from asof.reading.encoder import opened_onnx, padded
from asof.reading.index import NONE, DocumentIndex, Ints
from asof.reading.line_features import best_of_text, best_overlapping, ranks
from asof.reading.marking.pieces import TextPiece, TokenWindow, pieces_of, windows_of

_TOKENS_AT_ONCE = 2560
_LEAST = -20.0  # what a candidate has that lies across the border of two pieces


@dataclass(frozen=True)
class MarkerFile:
    """A marker as it is kept: an ONNX network, and its tokenizer as JSON."""

    network: bytes
    tokenizer: str


@dataclass(frozen=True)
class PieceMap:
    """The pieces of a document, and where each candidate stands in them; the piece is NONE for one across a border."""

    pieces: list[TextPiece]
    piece: Ints
    first: Ints
    last: Ints


@dataclass(frozen=True)
class CandidateMarks:
    """What the network says of candidates, against "no answer in this piece"."""

    start: Column
    end: Column


class SpanMarker:
    """Marks the candidates of documents."""

    def __init__(self, file: MarkerFile, *, threads: int = 1) -> None:
        self._session, self.tokenizer = opened_onnx(file.network, file.tokenizer, threads=threads)
        self.tokenizer.no_truncation()

    def map(self, index: DocumentIndex) -> PieceMap:
        """Cut a document into pieces and find its candidates there."""
        return piece_map(index, pieces_of(index.document, self.tokenizer))

    def marks(self, question: str, page: PieceMap) -> CandidateMarks:
        """Say of each candidate how much speaks for it.

        Args:
            question: Without its time.
        """
        start, end = (np.full(len(page.piece), _LEAST, np.float32) for _ in range(2))
        windows = windows_of(question, page.pieces, self.tokenizer)
        for number, borders in self._borders(windows):
            inside = np.flatnonzero(page.piece == number)
            offset = windows[number].first
            start[inside] = borders[offset + page.first[inside], 0] - borders[0, 0]
            end[inside] = borders[offset + page.last[inside], 1] - borders[0, 1]
        return CandidateMarks(start, end)

    def _borders(self, windows: Sequence[TokenWindow]) -> list[tuple[int, npt.NDArray[np.float32]]]:
        """Return what the network says of the tokens of each window, those of a length read together."""
        order = sorted(range(len(windows)), key=lambda index: len(windows[index].ids))
        found: list[tuple[int, npt.NDArray[np.float32]]] = []
        while order:
            some = [order.pop()]
            while order and len(windows[some[0]].ids) * (len(some) + 1) <= _TOKENS_AT_ONCE:
                some.append(order.pop())
            told = self._session.run(None, padded([windows[index] for index in some]))[0]
            found += [(index, told[row]) for row, index in enumerate(some)]
        return found


def piece_map(index: DocumentIndex, pieces: list[TextPiece]) -> PieceMap:
    """Find the first and the last token of each candidate."""
    places = [
        (number, token, *place) for number, piece in enumerate(pieces) for token, place in enumerate(piece.places)
    ]
    table = np.array(places, dtype=np.int64).reshape(-1, 5)
    paragraph_of = np.array([sentence.paragraph for sentence in index.document.sentences], dtype=np.int64)
    paragraph = paragraph_of[index.sentence_of] if len(index.candidates) else index.sentence_of
    size = max([1, *(len(one.text) + 1 for one in index.document.paragraphs)])
    begins, ends = table[:, 2] * size + table[:, 3], table[:, 2] * size + table[:, 4]
    first = np.searchsorted(ends, paragraph * size + index.starts, side="right")
    last = np.searchsorted(begins, paragraph * size + index.ends, side="left") - 1
    there = (first <= last) & (first < len(table))
    first, last = np.where(there, first, 0), np.where(there, last, 0)
    if not len(table):
        return PieceMap(pieces, np.full(len(first), NONE, np.int64), first, last)
    there &= table[first, 0] == table[last, 0]
    return PieceMap(pieces, np.where(there, table[first, 0], NONE), table[first, 1], table[last, 1])


def mark_columns(
    index: DocumentIndex, page: PieceMap, marks: CandidateMarks, texts: npt.NDArray[np.str_]
) -> dict[str, Column]:
    """Return columns of what the network says: of each candidate, of its text, its piece and the page."""
    both = marks.start + marks.end
    best = np.float32(both.max(initial=_LEAST))
    pieces = np.full(len(page.pieces) + 1, _LEAST, np.float32)
    np.maximum.at(pieces, page.piece, both)
    of_text = best_of_text(texts, both)
    return {
        "mark": both,
        "mark of start": marks.start,
        "mark of end": marks.end,
        "mark rank": ranks(both),
        "mark by best": both - best,
        "mark of best": np.full(len(both), best, np.float32),
        "mark of text": of_text,
        "mark of text rank": ranks(of_text),
        "mark of piece": pieces[page.piece],
        "mark by piece": both - pieces[page.piece],
        "mark over overlapping": both - best_overlapping(index, both, least=_LEAST),
    }
