"""What an encoder is taught by: a window, and which of its tokens begin and end an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asof.reading.marking.pieces import TextPiece, TokenWindow

NONE = (0, 0)  # the first token of a window stands for "no answer here"


@dataclass(frozen=True)
class SpanLesson:
    """A window with the first and last tokens of its answers.

    Args:
        unjudged: Other mentions of an answer: neither right nor wrong.
    """

    window: TokenWindow
    answers: tuple[tuple[int, int], ...]
    unjudged: tuple[tuple[int, int], ...] = ()


def tokens_of(piece: TextPiece, paragraph: int, start: int, end: int) -> tuple[int, int] | None:
    """Return the first and last token of the piece that letters of a paragraph cover; None where they are elsewhere.

    >>> from asof.reading.marking.pieces import TokenPlace
    >>> piece = TextPiece([], [7, 8, 9], [TokenPlace(0, 0, 3), TokenPlace(0, 4, 7), TokenPlace(0, 7, 8)])
    >>> tokens_of(piece, 0, 4, 8), tokens_of(piece, 0, 4, 12), tokens_of(piece, 1, 4, 8)
    ((1, 2), None, None)
    """
    touched = [
        index
        for index, place in enumerate(piece.places)
        if place.paragraph == paragraph and place.start < end and place.end > start
    ]
    if not touched or piece.places[touched[-1]].end < end or piece.places[touched[0]].start > start:
        return None
    return touched[0], touched[-1]


def lesson_of(
    window: TokenWindow, answers: Sequence[tuple[int, int]], unjudged: Sequence[tuple[int, int]] = ()
) -> SpanLesson:
    """Make a lesson of a window and the tokens of its piece; without answers "none" is right."""
    moved = [tuple((first + window.first, last + window.first) for first, last in some) for some in (answers, unjudged)]
    return SpanLesson(window, moved[0] or (NONE,), moved[1])
