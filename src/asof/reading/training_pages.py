"""What training reads: documents and questions made ready once, and which candidates a person would mark.

Of the mentions of a right answer only those count that speak of the asked time and the matter: most others say nothing
about the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from asof.reading.encoder import Encoder, Vectors
from asof.reading.features import Features
from asof.reading.index import NONE, DocumentIndex
from asof.reading.questions import ReadingItem
from asof.reading.relation import relation_of
from asof.reading.time_features import against, best_in_sentence
from asof.reading.times.asked import AskedTime, asked_time
from asof.wording.normalised import normalised

Indices = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]
_MENTIONS = 2  # of a right answer


@dataclass(frozen=True)
class QuestionLesson:
    """A question made ready, with its document."""

    item: ReadingItem
    time: AskedTime
    vector: Vectors  # of the question without its time
    relation: Vectors  # of what it asks, without names
    features: Features

    @cached_property
    def right(self) -> Marks:
        """Mark the candidates that are an answer."""
        return np.isin(self.features.texts, [normalised(answer) for answer in self.item.answers])

    @cached_property
    def best_mentions(self) -> Indices:
        """The mentions of right answers that tell the most."""
        right, texts, telling = np.flatnonzero(self.right), self.features.texts, self._telling
        groups = [right[texts[right] == text] for text in np.unique(texts[right])]
        best = [group[np.argsort(-telling[group], kind="stable")[:_MENTIONS]] for group in groups]
        return np.concatenate(best) if best else right

    @cached_property
    def _telling(self) -> Vectors:
        """Guess before anything is learnt how much each mention tells: by its time and its sentence."""
        index = self.features.index
        near = index.attached.near
        first, last = np.append(index.first_days, 0)[near], np.append(index.last_days, 0)[near]
        own = np.where(near != NONE, against(first, last, self.time)["iou"], 0.0)
        around = best_in_sentence(index, self.time) * 0.5 + index.sentence_vectors @ self.vector * 0.3
        told: Vectors = (own + around[index.sentence_of]).astype(np.float32)
        return told


@dataclass
class HistoryMentions:
    """For each history and document, the mentions that answer some question, and all that are right for one."""

    mentions: dict[tuple[str, int], set[int]] = field(default_factory=dict)
    right: dict[tuple[str, int], Marks] = field(default_factory=dict)

    @classmethod
    def of(cls, lessons: Sequence[QuestionLesson]) -> HistoryMentions:
        """Gather the answers of lessons by their histories."""
        found = cls()
        for lesson in lessons:
            key = history_of(lesson)
            found.mentions.setdefault(key, set()).update(lesson.best_mentions.tolist())
            found.right[key] = found.right.get(key, np.zeros(len(lesson.right), bool)) | lesson.right
        return found


def history_of(lesson: QuestionLesson) -> tuple[str, int]:
    """Return what tells a lesson's history and document from others."""
    return lesson.item.history, id(lesson.features)


def lessons_of(items: Sequence[ReadingItem], encoder: Encoder) -> list[QuestionLesson]:
    """Make questions and their documents ready, each document once; those without candidates are left out."""
    pages: dict[int, Features] = {}
    for item in items:
        if id(item.document) not in pages:
            pages[id(item.document)] = _shared(item, pages, encoder)
    items = [item for item in items if pages[id(item.document)].index.candidates]
    times = [asked_time(item.question) for item in items]
    relations = [relation_of(time.rest, item.document.title) for time, item in zip(times, items, strict=True)]
    texts = sorted({*(time.rest for time in times), *relations})
    vectors = dict(zip(texts, encoder.vectors(texts), strict=True))
    return [
        QuestionLesson(item, time, vectors[time.rest], vectors[relation], pages[id(item.document)])
        for item, time, relation in zip(items, times, relations, strict=True)
    ]


def _shared(item: ReadingItem, pages: dict[int, Features], encoder: Encoder) -> Features:
    """Take the page of a document that was read from another file with the same text."""
    for features in pages.values():
        if features.index.document == item.document:
            return features
    return Features(DocumentIndex(item.document, encoder))
