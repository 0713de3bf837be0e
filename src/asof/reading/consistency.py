"""Does an answer stay the same while the asked time moves inside its fact's range? (Chen et al. 2021, section 4.5).

The published test takes a fact's questions with several specifiers drawn from its range; a reader is consistent on the
fact when all get one answer.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from asof.metrics.squad_em import squad_em
from asof.reading.evaluation import resampled
from asof.reading.questions import ReadingItem
from asof.reading.times.asked import asked_time
from asof.runs.intervals import Result
from asof.timeline.calendar import calendar_day
from asof.timeline.date import MONTHS


@dataclass(frozen=True)
class Consistency:
    """The share of facts with one answer for all specifiers, and of those where it is right each time."""

    constant: Result
    right: Result
    constant_if_answered: Result


def moved(item: ReadingItem, *, count: int = 3, seed: int = 0) -> list[ReadingItem]:
    """Ask a question about a range again with months drawn from inside it; none when it asks about no range."""
    asked = asked_time(item.question)
    if asked.type not in ("from-to", "between") or asked.text not in item.question:
        return []
    (first_year, first_month, _), (last_year, last_month, _) = calendar_day(asked.first), calendar_day(asked.last)
    months = [*range(first_year * 12 + first_month - 1, last_year * 12 + last_month)][1:-1]
    if len(months) < count:
        return []
    drawn = random.Random(f"{seed} {item.id}")
    before = item.question[: item.question.index(asked.text)].rstrip()
    after = item.question[item.question.index(asked.text) + len(asked.text) :]
    before = before.removesuffix("from").removesuffix("between").removesuffix("From").removesuffix("Between")
    questions = []
    for number in range(count):
        one, two = sorted(drawn.sample(months, 2))
        said = f"in {_month(one)}" if number % 2 == 0 else f"between {_month(one)} and {_month(two)}"
        questions.append(replace(item, id=f"{item.id}~{number}", question=f"{before}{said}{after}", mode="moved"))
    return questions


def consistency(
    items: Sequence[ReadingItem], read: Callable[[Sequence[ReadingItem]], Sequence[str]], *, seed: int = 0
) -> Consistency:
    """Measure a reader on the questions about ranges among some items."""
    groups = [found for item in items if (found := moved(item, seed=seed))]
    answers = list(read([one for group in groups for one in group]))
    constant, right, answered = [], [], []
    place = 0
    for group in groups:
        given = answers[place : place + len(group)]
        place += len(group)
        same = float(len(set(given)) == 1)
        constant.append((group[0].entity, same))
        right.append((group[0].entity, float(all(squad_em(answer, group[0].answers) for answer in given))))
        if any(given):
            answered.append((group[0].entity, same))
    return Consistency(resampled(constant), resampled(right), resampled(answered))


def _month(number: int) -> str:
    return f"{MONTHS[number % 12][:3]} {number // 12}"
