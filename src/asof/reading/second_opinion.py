"""A language model's answer beside the reader's best names: heard when one of them, or none, is chosen.

The model is shown the sentences of the best names with heading and time, the names, and the question, and writes. What
its word is worth is learnt on pages that the reader has not seen (a conditional logit over the names and "none"): it
may tip the scales for a name or for "none", and is never the answer by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from asof.errors import UserError
from asof.metrics.squad_f1 import squad_f1
from asof.models import open_model
from asof.reading.answers import Evidence
from asof.wording.normalised import normalised
from asof.wording.written_answer import answer_in

NAMES = 20  # that a model is shown
COLUMNS = ("log-odds", "first", "named", "like what is named", "none", "none is said", "something else is said")
_LETTERS = 300  # of a sentence
_MOST_TOKENS = 32
_STOP = ("\n",)
_SURE = 1e-4
_RIDGE = 1.0  # keeps weights small where few questions teach them
_STEPS = 50
_NEAR = 1e-6

Rows = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ShortList:
    """The best names for a question, the best first; none whose own time speaks against it."""

    question: str
    title: str
    names: tuple[Evidence, ...]


class SecondOpinion:
    """Asks a language model questions whose best names are known.

    Args:
        location: The model, as in ``asof run``: a name, a folder, a file, an endpoint.
        model: One that is open already.
    """

    def __init__(self, location: str, *, model: Any = None) -> None:
        self.location = location
        self._model: Any = model or open_model(location)
        if "write" not in self._model.can:
            raise UserError(f"{location} writes no text, so it has no opinion. Use a model that writes.")

    def hear(self, asked: Sequence[ShortList]) -> list[str]:
        """Return what the model answers to each question, "" for none."""
        written = self._model.write([prompt_of(one) for one in asked], most_tokens=_MOST_TOKENS, stop=_STOP)
        return [answer_in(text) for text in written]


def prompt_of(asked: ShortList) -> str:
    """Write what a model reads.

    >>> ann = Evidence("Ann Lee", "Ann Lee led it until 1995 .", "Managers", "not stated..1995", "", 0.4)
    >>> print(prompt_of(ShortList("Who led Acme in 1990?", "Acme", (ann,))))
    Text: (Acme, Managers; not stated..1995) Ann Lee led it until 1995 .
    Question: Who led Acme in 1990?
    Answer with one of these names, or with "none" if no sentence tells: Ann Lee
    Answer:
    """
    lines: dict[tuple[str, str], str] = {}
    for one in asked.names:
        about = f"{asked.title}, {one.section}" if one.section not in ("", asked.title) else asked.title
        told = f"; {one.interval}" if one.interval else ""
        lines.setdefault((one.section, one.sentence), f"Text: ({about}{told}) {_around(one)}")
    names = "; ".join(dict.fromkeys(one.candidate for one in asked.names))
    rule = f'Answer with one of these names, or with "none" if no sentence tells: {names}'
    return "\n".join([*lines.values(), f"Question: {asked.question}", rule, "Answer:"])


def _around(name: Evidence) -> str:
    """Return the sentence, of a long one the part around the name."""
    place = max(0, name.sentence.find(name.candidate))
    begin = max(0, min(place - _LETTERS // 2, len(name.sentence) - _LETTERS))
    return name.sentence[begin : begin + _LETTERS]


def rows_of(asked: ShortList, said: str) -> Rows:
    """Return a row for each name and, the last, for "none"."""
    word = normalised(said)
    names = [normalised(one.candidate) for one in asked.names]
    found = np.zeros((len(names) + 1, len(COLUMNS)))
    for place, (name, one) in enumerate(zip(names, asked.names, strict=True)):
        likely = min(max(one.probability or 0.0, _SURE), 1 - _SURE)
        shared = squad_f1(said, [one.candidate]) if word else 0.0
        found[place, :4] = np.log(likely / (1 - likely)), place == 0, bool(word) and name == word, shared
    found[-1, 4:] = 1.0, not word, bool(word) and found[:, 3].max() == 0.0
    return found


@dataclass(frozen=True)
class OpinionWeights:
    """What a word is worth: a weight for each column.

    Args:
        model: Whose word taught them.
    """

    model: str
    weights: tuple[float, ...]

    def likely(self, asked: ShortList, said: str) -> Rows:
        """Return how likely each name is right and, the last, that none is."""
        return _shares(rows_of(asked, said) @ np.array(self.weights))


@dataclass(frozen=True)
class OpinionLesson:
    """Rows of a question, and which of them are right; the last row is "none"."""

    rows: Rows
    right: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, asked: ShortList, said: str, answers: Sequence[str]) -> OpinionLesson:
        """Make one of a question whose answers are known.

        Where there is an answer and it is not among the names, nothing is right, "none" neither.
        """
        wanted = {normalised(answer) for answer in answers}
        right = [normalised(one.candidate) in wanted for one in asked.names]
        return cls(rows_of(asked, said), np.array([*right, not answers]))


def learn_opinion(model: str, lessons: Sequence[OpinionLesson]) -> OpinionWeights:
    """Learn what a model's word is worth: Newton's steps on the likelihood of right rows, with a ridge."""
    lessons = [lesson for lesson in lessons if lesson.right.any()]
    if not lessons:
        raise UserError(
            f"No question was put to {model} whose answer is among the names: there is nothing to learn. Add questions."
        )
    weights = np.zeros(len(COLUMNS))
    for _ in range(_STEPS):
        slope, bend = -_RIDGE * weights, -_RIDGE * np.eye(len(weights))
        for lesson in lessons:
            shares = _shares(lesson.rows @ weights)
            wanted = lesson.right / lesson.right.sum()
            slope += lesson.rows.T @ (wanted - shares)
            mean = shares @ lesson.rows
            bend -= (lesson.rows * shares[:, None]).T @ lesson.rows - np.outer(mean, mean)
        step = -np.linalg.solve(bend, slope)
        before = _fit(weights, lessons)
        while _fit(weights + step, lessons) < before and float(np.abs(step).max()) > _NEAR:
            step = step / 2  # a whole step may leap over the best
        weights = weights + step
        if float(np.abs(step).max()) < _NEAR:
            break
    return OpinionWeights(model, tuple(round(float(weight), 6) for weight in weights))


def _fit(weights: Rows, lessons: Sequence[OpinionLesson]) -> float:
    """Return how likely weights make what is right, less the ridge."""
    fit = -_RIDGE * float(weights @ weights) / 2
    for lesson in lessons:
        scores = lesson.rows @ weights
        rise = scores - scores.max()
        fit += float((rise - np.log(np.exp(rise).sum())) @ (lesson.right / lesson.right.sum()))
    return fit


def _shares(scores: Rows) -> Rows:
    raised = np.exp(scores - scores.max())
    shares: Rows = raised / raised.sum()
    return shares
