"""A language model's word on the best candidates: how likely it answers the question with each, once it has read it.

Trees know shapes, places and words; who did what to whom in a sentence, a small language model knows better. It is
shown one sentence at a time, under its title and heading, and the question without its time. How likely it then says
each candidate of the sentence, or "none", is set beside what was thought of the candidates at a glance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from asof.errors import UserError
from asof.models import AnswerRequest, open_model
from asof.reading.document_features import Column
from asof.reading.encoder import Vectors
from asof.reading.features import Features, Matrix
from asof.reading.index import DocumentIndex, Ints
from asof.reading.line_features import best_of_text

_ASKED = 48  # candidates of a document: those that matter most
_LETTERS = 400  # of a sentence that are shown
# Columns of advice, and whether more of them may only speak for a candidate (1) or may speak either way (0).
COLUMNS = {"glance": 1, "glance of text": 1, "said": 1, "said over none": 1, "said of text": 1, "letters": 0}
_LEAST = 1e-6


@dataclass(frozen=True)
class Advice:
    """What was said of the candidates that were asked about: a row of COLUMNS for each.

    Args:
        indices: Of the candidates in their document.
        glance: How likely each candidate of the document answers the question at some time, before any advice.
    """

    indices: Ints
    rows: Matrix
    glance: Vectors

    def matter(self, trees: Any) -> Vectors:
        """Return how likely each candidate answers after trees have heard the advice; who was not asked comes last."""
        heard = np.asarray(trees.predict(self.rows, num_threads=1), dtype=np.float32)
        least = heard.min(initial=1.0)
        scale = least / max(float(self.glance[self.indices].min(initial=1.0)), _LEAST)
        found: Vectors = np.minimum(self.glance * scale, 0.999 * least).astype(np.float32)
        found[self.indices] = heard
        return found


class Adviser:
    """Asks a language model about candidates.

    Args:
        location: The model, as in ``asof run``: a name, a folder, a file, an endpoint.
        model: One that is open already.
    """

    def __init__(self, location: str, *, model: Any = None) -> None:
        self.location = location
        self._model: Any = model or open_model(location)
        if "answer_logprob" not in self._model.can:
            raise UserError(
                f"{location} cannot say how likely an answer is, which an adviser must. Take a causal language model, "
                "such as gemma3-270m."
            )

    def advise(self, features: Features, question: str, glance: Vectors) -> Advice:
        """Ask about the candidates of a document that matter most.

        Args:
            question: Without its time.
            glance: How likely each candidate answers it at some time.
        """
        indices = np.argsort(-glance, kind="stable")[:_ASKED]
        said, none = self._logprobs(features.index, question, indices)
        texts = features.texts[indices]
        letters = np.array([len(features.index.candidates[index].text) for index in indices], np.float32)
        at_glance = glance[indices]
        columns = (at_glance, best_of_text(texts, at_glance), said, said - none, best_of_text(texts, said), letters)
        return Advice(indices, np.stack(columns, axis=1).astype(np.float32), glance)

    def _logprobs(self, index: DocumentIndex, question: str, positions: Ints) -> tuple[Column, Column]:
        """Return of each candidate how likely it is said after its sentence, and how likely "none"."""
        asked = []
        for position in positions.tolist():
            prompt = _prompt(index, int(index.sentence_of[position]), question)
            asked.append(
                (AnswerRequest(prompt, f" {index.candidates[position].text}\n"), AnswerRequest(prompt, " none\n"))
            )
        different = list(dict.fromkeys(request for pair in asked for request in pair))
        found = dict(zip(different, self._model.answer_logprob(different), strict=True))
        said, none = (np.array([found[pair[side]] for pair in asked], np.float32) for side in (0, 1))
        return said, none


def _prompt(index: DocumentIndex, sentence: int, question: str) -> str:
    document = index.document
    one = document.sentences[sentence]
    heading = document.paragraphs[one.paragraph].section
    text = document.text_of(one)[:_LETTERS]
    return f"Text: ({document.title}, {heading}) {text}\nQuestion: {question.strip()}\nAnswer:"
