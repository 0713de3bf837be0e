"""Train the temporal reader on questions with marked answers, in two steps that do not see their own answers.

First trees learn which candidates answer a question at any time; what they say of a page while training comes from
trees that have not seen it (pages are dealt into folds). With that, other trees learn which candidate answers at the
asked time. The threshold of "no answer" comes from the folds, too, so that every page teaches. Where an adviser is
asked, the first step is taken twice: what was thought at a glance decides whom it is asked about.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from asof.errors import UserError
from asof.metrics import Result, mean_of_items
from asof.reading.advised_training import ask_about, learn_advised
from asof.reading.adviser import Adviser
from asof.reading.encoder import Encoder, Vectors
from asof.reading.features import Matrix
from asof.reading.marking.unseen import MarkerCourse, mark_unseen
from asof.reading.matter_training import FirstStep, Rows, grow, labelled, learn_matter
from asof.reading.names import NameRanking, choose
from asof.reading.opinion_training import Hearing, learn_from
from asof.reading.own_times import weighed
from asof.reading.questions import ReadingItem
from asof.reading.temporal_model import AdvisedStep, TemporalModel, likely_of, worth_choosing
from asof.reading.training_pages import Indices, QuestionLesson, history_of, lessons_of

OnMessage = Callable[[str], None]
_LessonRows = tuple[Rows, tuple[list[Matrix], Indices, Vectors]]  # to learn from; to choose among: rows, places, matter
_Matter = dict[tuple[int, str], Vectors]  # by document and question without its time
_Choices = dict[int, NameRanking]  # the names of a question by its place, by trees that have not seen its page
_Judged = tuple[float, bool, bool]  # the probability of the best name, whether it is right, whether there is an answer


@dataclass(frozen=True)
class Settings:
    """How to train; chosen by cross-validation over the train and dev parts of the published questions."""

    rounds: int = 200
    folds: int = 4
    seed: int = 0


def train(
    items: Sequence[ReadingItem],
    encoder: Encoder,
    *,
    settings: Settings | None = None,
    adviser: Adviser | None = None,
    course: MarkerCourse | None = None,
    hearing: Hearing | None = None,
    on_message: OnMessage = lambda sentence: None,
) -> TemporalModel:
    """Train a reader on items.

    Args:
        adviser: A language model to ask about the best candidates of each question.
        course: How to teach a marker, whose word the trees hear, too.
        hearing: A language model that is asked some of the questions, to learn what its word is worth.
    """
    settings = settings or Settings()
    if not any(item.answers for item in items):
        raise UserError("There is no question with an answer to learn from. Give a folder of TimeQA files.")
    on_message(f"Reading {len({item.entity for item in items}):,} pages.")
    lessons = lessons_of(items, encoder)
    fold = np.array([_fold(lesson.item.entity, settings) for lesson in lessons])
    marker = mark_unseen(lessons, course, on_message) if course else None
    on_message(f"Learning from {len(lessons):,} questions what they are about.")
    step = learn_matter(lessons, rounds=settings.rounds, seed=settings.seed)
    matter = _unseen_matter(lessons, fold, step, settings)
    advised = None
    if adviser:
        advised, matter = _advised(lessons, fold, matter, adviser, settings, on_message)
    on_message("Learning when they hold.")
    rows = [_rows(lesson, step, matter[_key(lesson)]) for lesson in lessons]
    choices = dict(_choices(lessons, rows, fold, settings))
    judged = {index: _best(choice, lessons[index]) for index, choice in choices.items()}
    threshold = best_threshold(list(judged.values()))
    validated = cross_validated([(lessons[index].item, one) for index, one in judged.items()], threshold)
    for name, result in validated.items():
        on_message(_said(name, result))
    about: dict[str, Any] = {"questions": len(lessons), "pages": len({item.entity for item in items})}
    about |= {"seed": settings.seed, "cross_validation": {name: _written(one) for name, one in validated.items()}}
    opinion = None
    if hearing:
        heard = learn_from(
            hearing, lessons, choices, fold.tolist(), threshold, seed=settings.seed, on_message=on_message
        )
        opinion, about["second_opinion"] = heard.weights, heard.about
    trees = grow([row for row, _ in rows], rounds=settings.rounds, seed=settings.seed)
    return TemporalModel(step.bank, step.fit, step.trees, advised, trees, threshold, about, marker, opinion)


def best_threshold(judged: Sequence[_Judged]) -> float:
    """Return the probability below which "no answer" pays, from the best names of questions.

    >>> best_threshold([(0.9, True, True), (0.5, True, True), (0.3, False, False), (0.1, False, False)])
    0.5
    """
    borders = sorted({probability for probability, _, _ in judged}) or [0.0]
    return max(borders, key=lambda border: earned(judged, border))


def earned(judged: Sequence[_Judged], threshold: float) -> int:
    """Count the questions that are answered rightly, or rightly not answered."""
    return sum(right if probability >= threshold else not answerable for probability, right, answerable in judged)


def cross_validated(judged: Sequence[tuple[ReadingItem, _Judged]], threshold: float) -> dict[str, Result]:
    """Return the share of questions that are answered rightly by trees that had not seen their page.

    For all questions and for each level, with 95 % intervals resampled by history. The threshold comes from the same
    questions, which flatters a little.
    """
    levels: dict[str, list[tuple[float, str]]] = {"all": []}
    for item, (probability, right, answerable) in judged:
        value = float(right if probability >= threshold else not answerable)
        for level in ("all", item.mode):
            levels.setdefault(level, []).append((value, item.history))
    return {
        level: mean_of_items([value for value, _ in rows], [history for _, history in rows])
        for level, rows in levels.items()
        if rows
    }


def _said(level: str, result: Result) -> str:
    which = "" if level == "all" else f" {level}"
    return (
        f"Cross-validation: {result.value:.1%} ({result.low:.1%} to {result.high:.1%}) of {result.n:,}{which} "
        "questions are answered rightly on pages that had not taught."
    )


def _written(result: Result) -> dict[str, float | int]:
    numbers = {"right": result.value, "low": result.low, "high": result.high}
    return {name: round(value, 4) for name, value in numbers.items()} | {"questions": result.n}


def _unseen_matter(lessons: Sequence[QuestionLesson], fold: Indices, whole: FirstStep, settings: Settings) -> _Matter:
    """Let the first step speak of each page after learning from the pages of the other folds."""
    found: _Matter = {}
    for number in range(settings.folds):
        inside = [lesson for index, lesson in enumerate(lessons) if fold[index] == number]
        apart = [lesson for index, lesson in enumerate(lessons) if fold[index] != number]
        enough = inside and any(len(lesson.best_mentions) for lesson in apart)
        step = learn_matter(apart, rounds=settings.rounds, seed=settings.seed) if enough else whole
        for lesson in inside:
            if _key(lesson) not in found:
                found[_key(lesson)] = step.matter(lesson)
    return found


def _advised(
    lessons: Sequence[QuestionLesson],
    fold: Indices,
    glance: _Matter,
    adviser: Adviser,
    settings: Settings,
    on_message: OnMessage,
) -> tuple[AdvisedStep, _Matter]:
    """Learn what advice is worth, and let it speak of each page after learning from the pages of the other folds."""
    advice = ask_about(lessons, lambda lesson: glance[_key(lesson)], adviser, on_message)
    whole = learn_advised(lessons, advice, seed=settings.seed)
    if whole is None:
        raise UserError(
            f"{adviser.location} was asked about no right answer: there is nothing to learn. Add questions."
        )
    matter: _Matter = {}
    for number in range(settings.folds):
        apart = [lesson for index, lesson in enumerate(lessons) if fold[index] != number]
        trees = learn_advised(apart, advice, seed=settings.seed) or whole
        for index, lesson in enumerate(lessons):
            if fold[index] == number and _key(lesson) not in matter:
                matter[_key(lesson)] = advice[history_of(lesson)].matter(trees)
    return AdvisedStep(adviser.location, whole), matter


def _choices(
    lessons: Sequence[QuestionLesson], rows: Sequence[_LessonRows], fold: Indices, settings: Settings
) -> Iterator[tuple[int, NameRanking]]:
    """Choose the names of each question, by its place, by trees that have not seen its page."""
    for number in range(settings.folds):
        inside = [index for index, its in enumerate(fold) if its == number]
        apart = [row for index, (row, _) in enumerate(rows) if fold[index] != number]
        if inside and any(labels.any() for _, labels, _ in apart):
            trees = grow(apart, rounds=settings.rounds, seed=settings.seed)
            yield from ((index, _choice(trees, rows[index], lessons[index])) for index in inside)


def _key(lesson: QuestionLesson) -> tuple[int, str]:
    """What the first step depends on: the document, and the question without its time."""
    return id(lesson.features), lesson.time.rest


def _fold(entity: str, settings: Settings) -> int:
    digest = hashlib.sha256(f"{settings.seed} {entity}".encode()).hexdigest()
    return int(digest, 16) % settings.folds


def _rows(lesson: QuestionLesson, step: FirstStep, matter: Vectors) -> _LessonRows:
    """Return the rows of the second step to learn from, and all rows that can be chosen among."""
    rows = lesson.features.of(step.asked_of(lesson), matter)
    chosen = worth_choosing(matter)
    right = np.intersect1d(lesson.best_mentions, chosen)
    wrong = chosen[~lesson.right[chosen]]
    among = [row[chosen] for row in rows]
    return labelled(rows[0], right, wrong, weight=2.0), (among, chosen, matter[chosen])


def _choice(trees: Any, rows: _LessonRows, lesson: QuestionLesson) -> NameRanking:
    among, chosen, matter = rows[1]
    found = choose(likely_of(trees, among), matter, lesson.features.texts[chosen])
    return weighed(NameRanking(chosen[found.indices], found.likely), lesson.features.index, lesson.time)


def _best(choice: NameRanking, lesson: QuestionLesson) -> _Judged:
    probability = float(choice.likely[0]) if choice.is_answer else 0.0
    return probability, bool(lesson.right[choice.indices[0]]), bool(lesson.item.answers)
