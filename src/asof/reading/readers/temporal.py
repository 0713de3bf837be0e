"""The temporal reader: candidates, the times they hang on, and interval arithmetic against the asked time.

Made for the three kinds of error in Chen et al. 2021, section 4.6: times that are only implied, times that stand far
from the answer, and reasoning from a specifier to an interval. Every answer shows its sentence, interval and verdict.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from asof.errors import UserError
from asof.reading.adviser import Adviser
from asof.reading.answers import Answer, OnMessage, ParagraphSpan
from asof.reading.documents import Document
from asof.reading.encoder import Encoder, Vectors
from asof.reading.evidence import evidence_of, short_list
from asof.reading.features import AskedQuestion, Features
from asof.reading.index import DocumentIndex
from asof.reading.marking.marker import PieceMap, SpanMarker, mark_columns
from asof.reading.names import NameRanking, different
from asof.reading.page_timeline import TimelineQuestion, TimelineRow, likeliest, rows_of, usual_questions
from asof.reading.questions import ReadingItem
from asof.reading.relation import relation_of
from asof.reading.second_opinion import OpinionWeights, SecondOpinion
from asof.reading.shipped import shipped
from asof.reading.shortened import shortened
from asof.reading.temporal_model import TemporalModel, check_folder, load, save
from asof.reading.times.asked import asked_time
from asof.registry import readers
from asof.weights.package_index import fetch
from asof.wording.normalised import normalised

_SHOWN = 3  # names in the evidence
_FORMS = 10  # of a name, at most, that are passed over


@readers.register("temporal")
class TemporalReader:
    """Reads times, attaches them to candidate answers, and lets intervals decide; runs on a CPU.

    Args:
        location: The folder of a trained reader; the one that comes with asof, if empty.
        opinion: A language model that is asked each question, too; the reader must have learnt what its word is worth.
        second: ... one that is open already.
    """

    needs_document = True
    trained_with = ("adviser", "marker", "opinion", "with_questions")

    def __init__(
        self,
        location: str | Path,
        *,
        model: TemporalModel | None = None,
        encoder: Encoder | None = None,
        adviser: Adviser | None = None,
        opinion: str = "",
        second: SecondOpinion | None = None,
    ) -> None:
        self.name = f"temporal:{location}" if str(location) else "temporal"
        self.model = model or load(Path(location) if str(location) else shipped())
        self._encoder = encoder
        self._adviser = adviser
        self._weights = _weights_of(self.model, self.name) if opinion or second else None
        self._second = second or (SecondOpinion(opinion) if opinion else None)

    @cached_property
    def encoder(self) -> Encoder:
        """The sentence encoder, opened when the first document comes."""
        return self._encoder or Encoder(fetch("bge-small"))

    @cached_property
    def marker(self) -> SpanMarker | None:
        """The network that marks answers, if the reader was trained with one."""
        return SpanMarker(self.model.marker) if self.model.marker else None

    @cached_property
    def adviser(self) -> Adviser | None:
        """The language model that is asked about the best candidates, if the reader was trained with one."""
        return self._adviser or (Adviser(self.model.advised.adviser) if self.model.advised else None)

    @classmethod
    def train(
        cls,
        questions: Sequence[ReadingItem],
        folder: Path,
        *,
        seed: int,
        on_message: OnMessage,
        adviser: str | None = None,
        marker: Path | None = None,
        opinion: str | None = None,
        with_questions: int | None = None,
    ) -> Sequence[Mapping[str, Any]]:
        """Train the trees and set the threshold; the rows say how many questions it answers rightly, by level."""
        from asof.reading.marking.unseen import MarkerCourse
        from asof.reading.opinion_training import Hearing
        from asof.reading.training import Settings, train

        check_folder(folder)
        work = folder.with_name(f".{folder.name}.unfinished")
        model = train(
            questions,
            Encoder(fetch("bge-small")),
            settings=Settings(seed=seed),
            adviser=Adviser(adviser) if adviser else None,
            course=MarkerCourse(start=marker, work=work, seed=seed) if marker else None,
            hearing=Hearing(SecondOpinion(opinion), with_questions) if opinion else None,
            on_message=on_message,
        )
        save(model, folder)
        shutil.rmtree(work, ignore_errors=True)
        return [
            {"level": level, "metric": "em"}
            | {"value" if name == "right" else name: number for name, number in result.items()}
            for level, result in model.about["cross_validation"].items()
        ]

    def describe(self) -> dict[str, str]:
        """Return what identifies the reader."""
        about = {"kind": "temporal", "reader": self.name, "threshold": f"{self.model.threshold:.4f}"}
        about |= {"opinion": self._second.location} if self._second else {}
        return about | ({"adviser": self.model.advised.adviser} if self.model.advised else {})

    def read(self, question: str, document: Document) -> Answer:
        """Answer one question."""
        return self.read_many([question], document)[0]

    def read_many(self, questions: Sequence[str], document: Document) -> list[Answer]:
        """Answer questions about one document; what does not depend on them is done once."""
        short = shortened(document, questions)
        features = Features(DocumentIndex(short.document, self.encoder))
        if not features.index.candidates:
            return [Answer("", 0.0) for _ in questions]
        times = [asked_time(question) for question in questions]
        relations = [relation_of(time.rest, document.title) for time in times]
        vectors = self.encoder.vectors([time.rest for time in times] + relations)
        pieces = self.marker.map(features.index) if self.marker else None
        choices, matter = (
            list[tuple[AskedQuestion, NameRanking]](),
            dict[str, Vectors](),
        )  # by the question without its time: often asked of several times
        for index, question in enumerate(questions):
            asked = self.model.asked(question, vectors[index], vectors[len(times) + index])
            if asked.time.rest not in matter:
                self._mark(features, asked.time.rest, pieces)
                matter[asked.time.rest] = self.model.matter_of(features, asked, self.adviser)
            choices.append((asked, self.model.choice(features, asked, matter[asked.time.rest])))
        found = self._answers(features.index, choices)
        return [replace(one, span=short.original(one.span)) if one.span else one for one in found]

    def timeline(self, document: Document, questions: Sequence[str] = ()) -> list[TimelineRow]:
        """Return what a page says of its subject over time.

        Args:
            questions: What to look for; their times do not count. Without one, what such pages usually tell.
        """
        looked_for = [TimelineQuestion(question, question) for question in questions] or usual_questions(document)
        document = shortened(document, [one.question for one in looked_for]).document
        features = Features(DocumentIndex(document, self.encoder))
        if not features.index.candidates:
            return []
        pieces = self.marker.map(features.index) if self.marker else None
        found: list[TimelineRow] = []
        for one in looked_for:
            rest = asked_time(one.question).rest
            vectors = self.encoder.vectors([rest, relation_of(rest, document.title)])
            asked = self.model.asked(one.question, vectors[0], vectors[1])
            self._mark(features, rest, pieces)
            found += rows_of(features, self.model.matter_of(features, asked, self.adviser), one)
        return likeliest(found, looked_for)

    def _mark(self, features: Features, question: str, pieces: PieceMap | None) -> None:
        if self.marker and pieces:
            marks = self.marker.marks(question, pieces)
            features.marks[question] = mark_columns(features.index, pieces, marks, features.texts)

    def _answers(self, index: DocumentIndex, choices: Sequence[tuple[AskedQuestion, NameRanking]]) -> list[Answer]:
        if self._second and self._weights:
            return _heard(index, choices, self._second, self._weights)
        return [self._answer(index, asked, choice) for asked, choice in choices]

    def _answer(self, index: DocumentIndex, asked: AskedQuestion, choice: NameRanking) -> Answer:
        best = list(zip(choice.indices.tolist(), choice.likely.tolist(), strict=True))[: _SHOWN * _FORMS]
        names = different((normalised(index.candidates[position].text) for position, _ in best), most=_SHOWN)
        shown = tuple(evidence_of(index, best[one][0], asked.time, best[one][1]) for one in names)
        position, probability = best[0]
        if probability < self.model.threshold or not choice.is_answer:
            return Answer("", probability, None, shown)
        return Answer(index.candidates[position].text, probability, _span(index, position), shown)


def _weights_of(model: TemporalModel, name: str) -> OpinionWeights:
    if model.opinion is None:
        raise UserError(
            f"{name} has not learnt what the word of a language model is worth. Train one that has: "
            "asof readers train temporal DATA --with MODEL --to FOLDER"
        )
    return model.opinion


def _heard(
    index: DocumentIndex,
    choices: Sequence[tuple[AskedQuestion, NameRanking]],
    second: SecondOpinion,
    weights: OpinionWeights,
) -> list[Answer]:
    """Answer questions after a language model has been heard about the best names of each."""
    asked = [short_list(index, one.text, one.time, choice) for one, choice in choices]
    found = []
    for (names, places), said in zip(asked, second.hear([names for names, _ in asked]), strict=True):
        likely = weights.likely(names, said)
        order = np.argsort(-likely[:-1], kind="stable").tolist()
        apart = different((normalised(names.names[one].candidate) for one in order), most=_SHOWN)
        shown = tuple(replace(names.names[order[one]], probability=float(likely[order[one]])) for one in apart)
        if not order or likely[-1] >= likely[order[0]]:
            found.append(Answer("", float(likely[:-1].max(initial=0.0)), None, shown, said))
            continue
        position = places[order[0]]
        text, sure = index.candidates[position].text, float(likely[order[0]])
        found.append(Answer(text, sure, _span(index, position), shown, said))
    return found


def _span(index: DocumentIndex, position: int) -> ParagraphSpan:
    candidate = index.candidates[position]
    paragraph = index.document.sentences[candidate.sentence].paragraph
    return ParagraphSpan(paragraph, candidate.start, candidate.end)
