"""A language model's word on the best candidates: how likely it answers the question with each, once it has read it.

Trees know shapes, places and words; who did what to whom in a sentence, a small language model knows better. It is
shown one sentence at a time, under its title and heading, and the question without its time. How likely it then says
each candidate of the sentence, or "none", goes into columns beside the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from asof.errors import UserError
from asof.models import AnswerRequest, open_model
from asof.reading.document_features import Column
from asof.reading.features import Matrix
from asof.reading.index import DocumentIndex, Ints

_ASKED = 48  # candidates of a document: those that matter most
_LETTERS = 400  # of a sentence that are shown
_NONE = "none"
COLUMNS = 7


class Adviser:
    """Asks a language model about candidates.

    Args:
        place: The model, as in ``asof run``: a name, a folder, a file, an endpoint.
        model: One that is open already.
    """

    def __init__(self, place: str, *, model: Any = None) -> None:
        self.place = place
        self._model = model or open_model(place)
        if "answer_logprob" not in self._model.can:
            raise UserError(
                f"{place} cannot say how likely an answer is, which an adviser must. Take a causal language model, "
                "such as gemma3-270m."
            )

    def advise(self, index: DocumentIndex, question: str, matter: Column) -> Matrix:
        """Return columns for each candidate of a document; nan for those that the model is not asked about.

        Args:
            question: Without its time.
            matter: How likely each candidate answers it at some time: the likeliest are asked about.
        """
        places = np.argsort(-matter, kind="stable")[:_ASKED]
        texts = np.array([index.candidates[place].text for place in places], dtype=np.str_)
        sentences = index.sentence_of[places]
        groups = [np.flatnonzero(sentences == sentence) for sentence in np.unique(sentences)]
        said, none = self._logprobs(index, question, sentences, texts, groups)
        columns = np.full((len(index.candidates), COLUMNS), np.nan, np.float32)
        columns[places] = np.stack(_columns(said, none, texts, groups), axis=1)
        return columns

    def _logprobs(
        self, index: DocumentIndex, question: str, sentences: Ints, texts: Any, groups: Sequence[Ints]
    ) -> tuple[Column, Column]:
        """Return of each candidate how likely it is said after its sentence, and how likely "none"."""
        requests: dict[AnswerRequest, float] = {}
        asked: list[tuple[AnswerRequest, AnswerRequest]] = [(_NOTHING, _NOTHING)] * len(texts)
        for group in groups:
            prompt = _prompt(index, int(sentences[group[0]]), question)
            none = AnswerRequest(prompt, f" {_NONE}\n")
            for place in group:
                asked[place] = AnswerRequest(prompt, f" {texts[place]}\n"), none
                requests |= dict.fromkeys(asked[place], 0.0)
        found = dict(zip(requests, self._model.answer_logprob(list(requests)), strict=True))
        said, none_said = (np.array([found[pair[side]] for pair in asked], np.float32) for side in (0, 1))
        return said, none_said


def with_glance(matter: Column, advice: Matrix) -> Matrix:
    """Put what was thought at a glance beside the advice."""
    return np.concatenate([matter[:, None], advice], axis=1)


_NOTHING = AnswerRequest("", "")


def _prompt(index: DocumentIndex, sentence: int, question: str) -> str:
    document = index.document
    one = document.sentences[sentence]
    heading = document.paragraphs[one.paragraph].section
    text = document.text_of(one)[:_LETTERS]
    return f"Text: ({document.title}, {heading}) {text}\nQuestion: {question.strip()}\nAnswer:"


def _columns(said: Column, none: Column, texts: Any, groups: Sequence[Ints]) -> list[Column]:
    """Return what is said of each: itself, over "none", its place, and its place, lead and share in its sentence."""
    inside, lead, share = (np.zeros(len(said), np.float32) for _ in range(3))
    for group in groups:
        _, first, of = np.unique(texts[group], return_index=True, return_inverse=True)
        each = said[group][first]  # a text that stands there twice is said once
        others = np.where(np.eye(len(each), dtype=bool), -np.inf, each[None])
        inside[group] = (others > each[:, None]).sum(axis=1)[of]
        lead[group] = (each - others.max(axis=1))[of]
        share[group] = np.exp(each - np.logaddexp.reduce(np.append(each, none[group[0]])))[of]
    lead[np.isinf(lead)] = np.nan  # alone in its sentence
    place = np.argsort(np.argsort(-said, kind="stable"), kind="stable").astype(np.float32)
    names, of = np.unique(np.char.lower(texts), return_inverse=True)
    best = np.full(len(names), -np.inf, np.float32)
    np.maximum.at(best, of, said)
    return [said, said - none, place, inside, lead, share, best[of]]
