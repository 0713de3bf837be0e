"""What a language model's word is worth, learnt from questions about pages that the reader has not seen.

The figure is of pages that have not taught the weights either: the folds are those of the reader.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from asof.metrics import Result, mean_of_items
from asof.reading.evidence import short_list
from asof.reading.names import NameRanking
from asof.reading.second_opinion import OpinionLesson, OpinionWeights, SecondOpinion, ShortList, learn_opinion
from asof.reading.training_pages import QuestionLesson
from asof.wording.normalised import normalised

OnMessage = Callable[[str], None]
_AT_ONCE = 16  # questions


@dataclass(frozen=True)
class Hearing:
    """A language model, and how many questions it is asked to learn what its word is worth; all, if not given."""

    second: SecondOpinion
    questions: int | None = None


@dataclass(frozen=True)
class HeardOpinion:
    """What was learnt, and how well it does, for the folder of the reader."""

    weights: OpinionWeights
    about: dict[str, Any]


def learn_from(
    hearing: Hearing,
    lessons: Sequence[QuestionLesson],
    choices: Mapping[int, NameRanking],
    fold: Sequence[int],
    threshold: float,
    *,
    seed: int,
    on_message: OnMessage = lambda sentence: None,
) -> HeardOpinion:
    """Ask a model questions, learn what its word is worth, and measure that on the pages of other folds.

    Args:
        choices: The names of each question by its place, by trees that have not seen its page.
        fold: Of each question.
        threshold: Of the reader alone, which is measured on the same questions.
    """
    places = _drawn(lessons, sorted(choices), hearing.questions, seed)
    asked = [
        short_list(lessons[one].features.index, lessons[one].item.question, lessons[one].time, choices[one])[0]
        for one in places
    ]
    said = _said(hearing.second, asked, on_message)
    taught = [
        OpinionLesson.of(names, word, lessons[one].item.answers)
        for one, names, word in zip(places, asked, said, strict=True)
    ]
    model = hearing.second.location
    weights = learn_opinion(model, taught)
    unseen = dict[int, OpinionWeights]()
    for number in {fold[one] for one in places}:
        apart = [lesson for one, lesson in zip(places, taught, strict=True) if fold[one] != number]
        unseen[number] = learn_opinion(model, apart) if any(one.right.any() for one in apart) else weights
    right = [
        _is_right(unseen[fold[one]], names, word, lessons[one].item.answers)
        for one, names, word in zip(places, asked, said, strict=True)
    ]
    alone = [_alone(lessons[one], choices[one], threshold) for one in places]
    histories = [lessons[one].item.history for one in places]
    results = {"alone": mean_of_items(alone, histories), "heard": mean_of_items(right, histories)}
    gain = mean_of_items([one - two for one, two in zip(right, alone, strict=True)], histories, within=(-1.0, 1.0))
    on_message(
        f"With {model} {results['heard'].value:.1%} of {len(places):,} questions are answered rightly, alone "
        f"{results['alone'].value:.1%}; the difference is {gain.value:+.1%} ({gain.low:+.1%} to {gain.high:+.1%})."
    )
    about: dict[str, Any] = {"questions": len(places)}
    about |= {name: _written(one) for name, one in {**results, "gain": gain}.items()}
    return HeardOpinion(weights, about)


def _drawn(lessons: Sequence[QuestionLesson], places: Sequence[int], most: int | None, seed: int) -> list[int]:
    """Draw questions by their history, so that those of one stand together."""

    def lot(place: int) -> str:
        return hashlib.sha256(f"{seed} {lessons[place].item.history}".encode()).hexdigest()

    return sorted(places, key=lambda place: (lot(place), place))[:most]


def _said(second: SecondOpinion, asked: Sequence[ShortList], on_message: OnMessage) -> list[str]:
    found = list[str]()
    for low in range(0, len(asked), _AT_ONCE):
        on_message(f"Asking {second.location}: {low:,} of {len(asked):,} questions are done.")
        found += second.hear(asked[low : low + _AT_ONCE])
    return found


def _is_right(weights: OpinionWeights, names: ShortList, said: str, answers: Sequence[str]) -> float:
    likely = weights.likely(names, said)
    best = int(likely.argmax())
    if best == len(names.names):
        return float(not answers)
    return float(normalised(names.names[best].candidate) in {normalised(answer) for answer in answers})


def _alone(lesson: QuestionLesson, choice: NameRanking, threshold: float) -> float:
    given = choice.is_answer and float(choice.likely[0]) >= threshold
    return float(lesson.right[choice.indices[0]]) if given else float(not lesson.item.answers)


def _written(result: Result) -> dict[str, float]:
    return {"value": round(result.value, 4), "low": round(result.low, 4), "high": round(result.high, 4)}
