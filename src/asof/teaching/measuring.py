"""What a model knows of facts before and after: at dates that were taught and at others, in other words, and by heart.

Each fact has a number for each measure, so every result has its n and an interval by fact, and two states of a model
are compared fact by fact. Robustness is measured with a margin, too: win rates flatter (Ammar Khodja et al. 2025 ask
for no margin).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from asof.metrics.robustness import robustness
from asof.metrics.win_rate import win_rate
from asof.teaching.date_pool import PRECISIONS, DatePool, drawn_in
from asof.teaching.drill import Ask, FactDrawer
from asof.teaching.learner import AskScore, Learner
from asof.teaching.lesson import TeachingLesson
from asof.teaching.measurement import (
    DAYS,
    GLOBAL,
    MONTHS,
    NOT_TAUGHT,
    OTHER_WORDING,
    TAUGHT,
    YEARS,
    FactMeasures,
    Measurement,
)
from asof.timeline import Date, Precision, Verdict

MARGIN = 1.0  # nats
MOST_WRONG = 16  # wrong dates of a fact and a kind; half of them the nearest to its ends, the rest spread evenly
MOST_RIGHT = 8
_PROSE_TOKENS = 96
_SEED = 99  # of the months and days that are asked about: not those of teaching

_OF_PRECISION = {Precision.YEAR: YEARS, Precision.MONTH: MONTHS, Precision.DAY: DAYS}


class DatedAsk(NamedTuple):
    """A question at a date that is right or wrong, and the kind of dates that it belongs to."""

    kind: str
    right: bool
    ask: Ask


def measure(
    learner: Learner,
    lesson: TeachingLesson,
    *,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Measurement:
    """Measure a model on a lesson."""
    pools = [*((pool, True) for pool in lesson.taught), *((pool, False) for pool in lesson.others)]
    asked = [list(_dated_asks(pool, lesson, taught=taught)) for pool, taught in pools]
    asks = [one.ask for dated in asked for one in dated]
    scores = iter(learner.asked(asks, lambda done: on_progress(done, len(asks))))
    facts = []
    for (pool, taught), dated in zip(pools, asked, strict=True):
        scored = [(one, next(scores)) for one in dated]
        values = _values(scored) if taught else _of_one_kind(scored, NOT_TAUGHT)
        fact = pool.fact
        facts.append(FactMeasures(fact.id, fact.in_names, fact.relation, taught, values))
    about = {"model": learner.name, "dtype": learner.dtype, "language": lesson.language}
    return Measurement(facts, _prose(learner, lesson), about)


def _dated_asks(pool: DatePool, lesson: TeachingLesson, *, taught: bool) -> Iterator[DatedAsk]:
    """Ask about a fact at the dates of every kind."""
    draw = lesson.drawer(pool, PRECISIONS, _SEED, (4,))
    question, held = draw.questions[0], lesson.held_out_question(pool.fact)
    if not taught:
        for spared in (True, False):
            yield from _asks(draw, NOT_TAUGHT, question, Precision.YEAR, taught=spared)
        return
    yield from _asks(draw, TAUGHT, question, Precision.YEAR, taught=True)
    spared = pool.spares_years
    if spared:
        for precision, kind in _OF_PRECISION.items():
            yield from _asks(draw, kind, question, precision, taught=False)
    if held:
        yield from _asks(draw, OTHER_WORDING, held, Precision.YEAR, taught=not spared)


def _asks(draw: FactDrawer, kind: str, question: str, precision: Precision, *, taught: bool) -> Iterator[DatedAsk]:
    """Ask at years that are taught or at others, or at one month or day of each."""
    pool, answer = draw.pool, f" {draw.fact.answer.text}"
    right = _spread(pool.year(Verdict.CORRECT, taught=taught), MOST_RIGHT)
    wrong = _nearest_and_spread(pool.year(Verdict.INCORRECT, taught=taught), right, MOST_WRONG)
    for years, is_right in ((right, True), (wrong, False)):
        for year in years:
            date = Date.of(year) if precision is Precision.YEAR else drawn_in(year, precision, draw.random)
            yield DatedAsk(kind, is_right, Ask(draw.prompt(date, question), answer))


def _spread(years: Sequence[int], most: int) -> list[int]:
    """Take some of a list, as evenly as can be.

    >>> _spread(range(10), 4)
    [0, 3, 6, 9]
    """
    if len(years) <= most:
        return list(years)
    return [years[round(place)] for place in np.linspace(0, len(years) - 1, most)]


def _nearest_and_spread(wrong: Sequence[int], right: Sequence[int], most: int) -> list[int]:
    if len(wrong) <= most or not right:
        return _spread(wrong, most)
    near = sorted(wrong, key=lambda year: min(abs(year - one) for one in right))[: most // 2]
    rest = [year for year in wrong if year not in near]
    return sorted([*near, *_spread(rest, most - len(near))])


def _values(scored: Sequence[tuple[DatedAsk, AskScore]]) -> dict[str, float]:
    """Return every measure of a fact that was taught."""
    values: dict[str, float] = {}
    for kind in (TAUGHT, *_OF_PRECISION.values(), OTHER_WORDING):
        values |= _of_one_kind([one for one in scored if one[0].kind == kind], kind)
    for name in _ROBUST:
        known = [values.get(f"{name}, {kind}") for kind in _OF_PRECISION.values()]
        if all(one is not None for one in known):
            values[f"{name}, {GLOBAL}"] = min(one for one in known if one is not None)
    return values


_ROBUST = ("robustness", f"robustness by {MARGIN:g} nat")


def _of_one_kind(scored: Sequence[tuple[DatedAsk, AskScore]], kind: str) -> dict[str, float]:
    right = [score for one, score in scored if one.right]
    wrong = [score for one, score in scored if not one.right]
    if not right or not wrong:
        return {}
    good, bad = [one.logprob for one in right], [one.logprob for one in wrong]
    return {
        f"win-rate, {kind}": win_rate(good, bad),
        f"{_ROBUST[0]}, {kind}": robustness(good, bad),
        f"{_ROBUST[1]}, {kind}": robustness([one - MARGIN for one in good], bad),
        f"answers written at right dates, {kind}": sum(one.written for one in right) / len(right),
        f"answers written at wrong dates, {kind}": sum(one.written for one in wrong) / len(wrong),
    }


def _prose(learner: Learner, lesson: TeachingLesson) -> list[tuple[float, int]]:
    """Return of each passage how likely its tokens are."""
    import torch

    found = []
    for text in lesson.prose_to_measure:
        statement = learner.text(text, most=_PROSE_TOKENS)
        if statement:
            with torch.inference_mode():
                logprobs = learner.answers([statement]).logprobs()
            found.append((-float(logprobs.mean()), len(logprobs)))
    return found
