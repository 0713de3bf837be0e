"""Find passages for a question among many documents: BM25 (bm25s), with the times of passages as a field.

A passage that speaks of a time near the asked one is lifted; a published reader gets its passages this way in the open
domain (Chen et al. 2021, section 4.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from asof.errors import UserError
from asof.reading.documents import Document
from asof.reading.index import words_of
from asof.reading.times.asked import asked_time
from asof.reading.times.expressions import find_times
from asof.wording.normalised import normalised

_PASSAGE = 100  # words, as in the paper
_LIFT = 0.3  # of the best score: for a passage whose times meet the asked one; a first guess
_POOL = 200  # passages that are weighed again by their times


@dataclass(frozen=True)
class Passage:
    """Some hundred words of a document, with the first and last days of the times it speaks of."""

    document: int
    text: str
    times: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class PassageMatch:
    """A passage and its score."""

    passage: Passage
    score: float


class Passages:
    """Passages of many documents, ready to be searched."""

    def __init__(self, documents: Sequence[Document]) -> None:
        try:
            import bm25s  # type: ignore[import-untyped]
        except ImportError as error:
            raise UserError("Retrieval needs bm25s. Install it with: pip install 'asof[reading]'") from error
        self.documents = documents
        self.passages = [passage for index, document in enumerate(documents) for passage in _passages(index, document)]
        if not self.passages:
            raise UserError("There is no text to search. Give documents with at least one sentence.")
        titles = [document.title for document in documents]
        self._search: Any = bm25s.BM25()
        texts = [words_of(f"{titles[passage.document]} {passage.text}") for passage in self.passages]
        self._search.index(texts, show_progress=False)

    def search(self, question: str, *, most: int = 10, by_time: bool = True) -> list[PassageMatch]:
        """Return the best passages, the best first.

        Args:
            by_time: Lift passages that speak of the asked time.
        """
        asked = asked_time(question)
        scores: npt.NDArray[np.float32] = np.asarray(self._search.get_scores(words_of(asked.rest)), dtype=np.float32)
        pool = np.argsort(-scores, kind="stable")[: max(most, _POOL)]
        total = scores[pool].copy()
        if by_time and asked.known and len(total):
            meets = [
                any(first <= asked.last and asked.first <= last for first, last in self.passages[index].times)
                for index in pool
            ]
            total += _LIFT * scores.max() * np.asarray(meets, dtype=np.float32)
        order = np.argsort(-total, kind="stable")[:most]
        return [PassageMatch(self.passages[pool[index]], float(total[index])) for index in order]


def hit(matches: Sequence[PassageMatch], answers: Sequence[str], *, k: int) -> bool:
    """Tell whether one of the first k passages has an answer in it (HITS@k)."""
    texts = [f" {normalised(one.passage.text)} " for one in matches[:k]]
    return any(f" {normalised(answer)} " in text for answer in answers for text in texts)


def _passages(index: int, document: Document) -> list[Passage]:
    """Pack paragraphs to passages of about a hundred words; a section begins a new one."""
    found: list[Passage] = []
    words: list[str] = []
    section = ""

    def close() -> None:
        if words:
            text = " ".join(words)
            times = tuple((time.first, time.last) for time in find_times(text))
            found.append(Passage(index, f"{section} . {text}", times))
            words.clear()

    for paragraph in document.paragraphs:
        if paragraph.section != section:
            close()
            section = paragraph.section
        for word in paragraph.text.split():
            words.append(word)
            if len(words) >= _PASSAGE:
                close()
    close()
    return found
