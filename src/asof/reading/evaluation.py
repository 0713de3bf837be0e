"""How well a reader answers: EM and F1 for all questions and by kind, each with its n and its 95 % interval.

Intervals are resampled by page: questions about a page share its document and stand or fall together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from asof.metrics.squad_em import squad_em
from asof.metrics.squad_f1 import squad_f1
from asof.reading.documents import Document
from asof.reading.questions import ReadingItem
from asof.reading.times.asked import asked_time
from asof.reading.times.expressions import find_times
from asof.runs.intervals import Result
from asof.runs.item_scores import mean_of_items

_LENGTHS = (500, 1500, 4000)  # words: borders between groups of documents of about equal number


@dataclass(frozen=True)
class Judged:
    """One answer and what it is worth."""

    item: ReadingItem
    answer: str
    em: float
    f1: float


def judge(items: Sequence[ReadingItem], answers: Sequence[str]) -> list[Judged]:
    """Score answers, "" where a reader finds none."""
    return [
        Judged(item, answer, squad_em(answer, item.answers), squad_f1(answer, item.answers))
        for item, answer in zip(items, answers, strict=True)
    ]


def results(judged: Sequence[Judged], *, by: str | None = None, seed: int = 0) -> dict[str, dict[str, Result]]:
    """Return EM and F1 by group; without ``by`` of all questions, by mode (easy, hard) where there are several."""
    groups: defaultdict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        groups[GROUPS[by](one.item) if by else "all"].append(one)
    return {
        name: {
            "EM": resampled([(one.item.entity, one.em) for one in members], seed=seed),
            "F1": resampled([(one.item.entity, one.f1) for one in members], seed=seed),
        }
        for name, members in sorted(groups.items())
    }


def resampled(values: Sequence[tuple[str, float]], *, seed: int = 0) -> Result:
    """Return the mean of values with its interval, whole groups drawn at a time.

    >>> resampled([("a", 1.0), ("a", 1.0), ("b", 1.0)])
    Result(value=1.0, low=1.0, high=1.0, n=3)
    """
    ordered = sorted(values, key=lambda pair: pair[0])  # the draw does not depend on the order of questions
    return mean_of_items([value for _, value in ordered], [group for group, _ in ordered], seed=seed)


def _length(item: ReadingItem) -> str:
    words = item.document.words
    for border in _LENGTHS:
        if words <= border:
            return f"up to {border:,} words"
    return f"over {_LENGTHS[-1]:,} words"


def explicit(item: ReadingItem) -> bool:
    """Tell whether the years of the question's borders stand in a sentence that has one of the answers."""
    asked = asked_time(item.question)
    wanted = {year for time in find_times(asked.text) for year in (time.first, time.last)}
    return any(
        answer in text and wanted & {day for time in find_times(text) for day in (time.first, time.last)}
        for text in _sentences(item.document)
        for answer in item.answers
    )


def _sentences(document: Document) -> list[str]:
    return [document.text_of(sentence) for sentence in document.sentences]


GROUPS: dict[str, Callable[[ReadingItem], str]] = {
    "mode": lambda item: item.mode,
    "answerable": lambda item: "answerable" if item.answers else "unanswerable",
    "specifier": lambda item: asked_time(item.question).type,
    "relation": lambda item: item.relation,
    "length": _length,
    "time": lambda item: "explicit time" if explicit(item) else "implicit time",
}
