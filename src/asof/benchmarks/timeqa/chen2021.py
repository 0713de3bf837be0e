"""Questions about a history by the published rules, sound or not.

Chen et al. 2021 (arXiv:2108.06314), section 2.2, and the published program where it says more. *Easy* questions name
the borders of a segment, *hard* ones a time inside. The only answer is the segment from which the time was drawn,
whatever else held then; the x of "before x" and "after x" lies inside that segment; hard histories of one or two
questions are filled up with unanswerable ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from asof.benchmarks.timeqa.history import History, Level, TimeQaQuestion, UntimedQuestion
from asof.benchmarks.timeqa.times import Kind, QuestionTime, month_index, month_of, parts_of_decades, shown
from asof.timeline import Date

_SHORT = 2  # months: no time lies inside
_FEWEST = 3  # questions of a hard history; unanswerable ones fill it up
_LAST_YEAR = 2020  # of the published questions


def published_questions(history: History, level: Level, random: Random) -> Iterator[TimeQaQuestion]:
    """Ask by the published rules: one question per segment with two ends, in the order of time."""
    asked = history.given or [segment for segment in history.segments if segment.end]
    ends = []
    for number, segment in enumerate(asked):
        if isinstance(segment, UntimedQuestion):
            yield TimeQaQuestion(None, segment.held, segment)
            continue
        start, end = _month_or_year(segment.start), _month_or_year(segment.end or segment.start)
        ends.append((start, end))
        first, last = number == 0, number == len(asked) - 1
        time = _easy(start, end) if level == "easy" else _hard(start, end, random, first=first, last=last)
        yield TimeQaQuestion(time, segment.held, segment)
    if level == "hard" and ends and not history.given:
        for _ in range(_FEWEST - len(ends)):
            yield TimeQaQuestion(_outside(ends[0][0], ends[-1][1], random), (), None)


def _month_or_year(date: Date) -> Date:
    return shown(date, new_year_is_year=True)


def _easy(start: Date, end: Date) -> QuestionTime:
    if month_index(end) - month_index(start) <= _SHORT:
        return QuestionTime("in", start)
    return QuestionTime("from", start, end)


def _hard(start: Date, end: Date, random: Random, *, first: bool, last: bool) -> QuestionTime:
    """Draw a time inside a segment: any month after its start, up to its end."""
    low, high = month_index(start), month_index(end)
    if high - low <= _SHORT:
        return QuestionTime("in", start)
    kinds: list[Kind] = ["in", "between", *(["before"] if first else []), *(["after"] if last else [])]  # type: ignore[list-item]
    kind = random.choice(kinds)
    drawn = random.randint(low + 1, high)
    one = month_of(drawn)
    if kind == "between":
        return QuestionTime("between", one, month_of(random.randint(drawn + 1, high)) if drawn < high else end)
    return (
        random.choice([QuestionTime("in", one), *parts_of_decades(start, end)])
        if kind == "in"
        else QuestionTime(kind, one)
    )


def _outside(start: Date, end: Date, random: Random) -> QuestionTime:
    """Draw a time in the ten years before a history, or after it up to 2020."""
    until = Date.of(min(_LAST_YEAR, end.year + 10))
    if random.random() < 0.5 or month_index(until) - month_index(end) <= _SHORT:
        return _hard(Date.of(start.year - 10), start, random, first=True, last=False)
    return _hard(end, until, random, first=False, last=True)
