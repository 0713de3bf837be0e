"""Does an answer stay the same while the asked time moves inside its fact's range? (Chen et al. 2021, section 4.5).

The published test takes a fact's questions with several specifiers drawn from its range; a reader is consistent on the
fact when all get one answer. The paper counts the facts whose own question was answered rightly, its program all.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from asof.metrics import Result, mean_of_items
from asof.metrics.squad_em import squad_em
from asof.reading.questions import ReadingItem
from asof.reading.times.asked import asked_time
from asof.timeline.calendar import calendar_day
from asof.timeline.date import MONTHS


@dataclass(frozen=True)
class Consistency:
    """The share of ranges with one answer for all specifiers, and of those where it is right each time.

    ``constant_if_answered`` leaves out the ranges to which no specifier gets an answer, ``constant_if_right`` those
    whose own question ("from 1990 to 1995") gets a wrong one.
    """

    constant: Result
    right: Result
    constant_if_answered: Result
    constant_if_right: Result


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
    items: Sequence[ReadingItem], read: Callable[[Sequence[ReadingItem]], Sequence[str | None]], *, seed: int = 0
) -> Consistency:
    """Measure a reader on the questions about ranges among some items; intervals are by history.

    Args:
        read: Answers questions; None where a page could not be read, whose ranges are left out.
    """
    asked = [[item, *found] for item in items if (found := moved(item, seed=seed))]
    answers = iter(read([one for group in asked for one in group]))
    groups, given = [], []
    for group in asked:
        texts = [next(answers) for _ in group]
        read_ones = [text for text in texts if text is not None]
        if len(read_ones) == len(group):
            groups.append(group)
            given.append(read_ones)
    good = [
        [bool(squad_em(text, group[0].answers)) for text in texts] for group, texts in zip(groups, given, strict=True)
    ]
    same = [float(len(set(texts[1:])) == 1) for texts in given]
    nan = float("nan")
    measured = {
        "constant": same,
        "right": [float(all(one[1:])) for one in good],
        "constant_if_answered": [value if any(texts[1:]) else nan for value, texts in zip(same, given, strict=True)],
        "constant_if_right": [value if one[0] else nan for value, one in zip(same, good, strict=True)],
    }
    histories = [group[0].history for group in groups]
    return Consistency(**{name: mean_of_items(values, histories) for name, values in measured.items()})


def _month(number: int) -> str:
    return f"{MONTHS[number % 12][:3]} {number // 12}"
