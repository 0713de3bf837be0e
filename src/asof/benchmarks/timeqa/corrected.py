"""Questions about a history whose listed answers are exactly the right ones.

Times are drawn as in ``chen2021.py``, but the answers are looked up in the whole history: every object that is
asked for (see ``times.py``), and no other. A time is drawn again when that depends on a date not known well
enough. "Before x" and "after x" lie outside the segment they are drawn for, and unanswerable questions ask about a time
in which surely nothing held.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from asof.benchmarks.timeqa.history import History, Level, Segment, TimedObject, TimeQaQuestion
from asof.benchmarks.timeqa.times import Kind, QuestionTime, month_index, month_of, parts_of_decades, shown
from asof.timeline import MIN_DAY, Date, Granularity, Period

_TEN_YEARS = 120  # months before the first and after the last segment in which nothing held
_MOST_EMPTY = 3  # questions about a time in which nothing held
_TRIES = 12  # for a time whose answers are certain


def sound_questions(
    history: History, level: Level, random: Random, *, most_answers: int, unanswerable: float, known_by: Date | None
) -> Iterator[TimeQaQuestion]:
    """Ask so that the answers are exactly what is asked for: at most one question per segment, then some without any.

    Args:
        most_answers: Ask nothing that has more right answers.
        unanswerable: The share of questions about a time in which nothing held; at most three for one history.
    """
    segments = [segment for segment in history.segments if not _is_inverted(segment)]
    asked: set[QuestionTime] = set()
    for number, segment in enumerate(segments):
        for time in _times_for(segments, number, level, random, known_by):
            held = answers(history, time)
            if held and len(held) <= most_answers and time not in asked:
                asked.add(time)
                yield TimeQaQuestion(time, held, segment)
                break
    windows = _empty_windows(segments, known_by)
    count = int(len(segments) * unanswerable / (1 - unanswerable) + random.random())
    for _ in range(min(count, _MOST_EMPTY) if windows else 0):
        for _ in range(_TRIES):
            empty = _inside(*random.choice(windows), level, random)
            if empty and empty not in asked and answers(history, empty) == ():
                asked.add(empty)
                yield TimeQaQuestion(empty, (), None)
                break


def answers(history: History, time: QuestionTime) -> tuple[TimedObject, ...] | None:
    """Return what is asked for, each object once; None when dates that are not known well enough decide it."""
    right: dict[str, TimedObject] = {}
    doubtful = set()
    judge = time.judge()
    for held in history.held:
        judged = judge(held.bounds)
        if judged:
            right.setdefault(held.object, held)
        elif judged is None:
            doubtful.add(held.object)
    return None if doubtful - right.keys() else tuple(right.values())


def _is_inverted(segment: Segment) -> bool:
    return segment.end is not None and segment.end.last < segment.start.first


def _times_for(
    segments: list[Segment], number: int, level: Level, random: Random, known_by: Date | None
) -> Iterator[QuestionTime]:
    """Give times for a segment, the wanted one first; the caller takes the first that has certain answers."""
    segment = segments[number]
    start, end = shown(segment.start), shown(segment.end or _today(known_by, segment.start))
    if level == "easy":
        if segment.end is None:
            yield QuestionTime("after", start)
        elif start.last < end.first:
            yield QuestionTime("from", start, end)
        yield QuestionTime("in", start)
        yield QuestionTime("in", end)
        return
    first, last = number == 0, number == len(segments) - 1
    for _ in range(_TRIES):
        kind = random.choice(["in", "between", *(["before"] if first else []), *(["after"] if last else [])])
        if kind == "before" and len(segments) > 1:
            neighbour = segments[1]
            low, high = end.last + 1, (neighbour.end or _today(known_by, neighbour.start)).last
            yield from _one_month("before", low, high, random)
        elif kind == "after" and len(segments) > 1:
            neighbour = segments[-2]
            yield from _one_month("after", neighbour.start.first, start.first - 1, random)
        elif kind in ("in", "between"):
            time = _inside(month_index(segment.start), month_index(end), level, random, only=kind)
            parts = parts_of_decades(start, end) if kind == "in" else []
            yield random.choice([*([time] if time else [QuestionTime("in", start)]), *parts])


def _today(known_by: Date | None, start: Date) -> Date:
    """Return the month up to which a segment that goes on is asked about."""
    day = max(known_by.last if known_by else start.last, start.last)
    return shown(Date.from_day(day))


def _one_month(kind: Kind, first: int, last: int, random: Random) -> Iterator[QuestionTime]:
    """Draw one month between two days."""
    low, high = (Period.containing(day, Granularity.MONTH).index + 1 for day in (first, last))
    if low <= high:
        yield QuestionTime(kind, month_of(random.randint(low, high)))


def _inside(low: int, high: int, level: Level, random: Random, *, only: str | None = None) -> QuestionTime | None:
    """Draw a time after one month index, up to another; None when there is no room."""
    if high - low < (2 if only == "between" or level == "easy" else 1):
        return None
    one = random.randint(low + 1, high)
    kind = only or ("from" if level == "easy" else random.choice(["in", "between"]))
    if kind == "in" or high - low < 2:
        return QuestionTime("in", month_of(one))
    other = random.randint(low + 1, high - 1)
    other += other >= one  # any month but the first one
    return QuestionTime("from" if kind == "from" else "between", month_of(min(one, other)), month_of(max(one, other)))


def _empty_windows(segments: list[Segment], known_by: Date | None) -> list[tuple[int, int]]:
    """Return stretches of months (after one index, up to another) in which no segment holds."""
    if not segments:
        return []
    begin = month_index(shown(segments[0].start))
    found = [(begin - _TEN_YEARS, begin - 1)]
    latest = MIN_DAY
    for segment in segments:
        if MIN_DAY < latest < segment.start.first:
            found.append((_index(latest), _index(segment.start.first) - 1))
        latest = max(latest, segment.end.last if segment.end else _today(known_by, segment.start).last)
    over = _index(latest)
    if all(segment.end for segment in segments):
        found.append((over, min(over + _TEN_YEARS, _index(known_by.last) if known_by else over + _TEN_YEARS)))
    return [(low, high) for low, high in found if low < high]


def _index(day: int) -> int:
    return Period.containing(day, Granularity.MONTH).index + 1
