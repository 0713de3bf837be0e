"""The questions of a split as others answer them: each has an id, and none shows what it asks for.

``o12`` asks for the object of the thirteenth fact of the split, ``s12`` for its subject, ``t12`` for its dates.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Granularity, Ints
from asof.errors import UserError
from asof.timeline import Date

SIDES = ("object", "subject")
_LETTERS = ("o", "s")
_DATES = "t"


def question_ids(facts: int) -> list[str]:
    """Return the ids of the questions for entities: objects first, then subjects.

    >>> question_ids(2)
    ['o0', 'o1', 's0', 's1']
    """
    return [f"{letter}{fact}" for letter in _LETTERS for fact in range(facts)]


def question_table(dataset: Dataset, split: str) -> pa.Table:
    """Return every question with what it gives; what it asks for is empty: an end of the fact, or its dates."""
    facts = dataset.split(split)
    names = {
        "subject": [dataset.entities[number] for number in facts.subject],
        "relation": [dataset.relations[number] for number in facts.relation],
        "object": [dataset.entities[number] for number in facts.object],
        "start": [time_text(int(time), dataset.granularity) for time in facts.start],
        "end": [time_text(int(time), dataset.granularity) for time in facts.end],
    }
    nothing = [None] * len(facts)
    dated = np.flatnonzero(facts.dated)
    parts = [
        {"question": [f"{letter}{fact}" for fact in range(len(facts))], "asks_for": [side] * len(facts), **names}
        | {side: nothing}
        for letter, side in zip(_LETTERS, SIDES, strict=True)
    ]
    known = {name: [names[name][row] for row in dated] for name in ("subject", "relation", "object")}
    empty = {name: [None] * len(dated) for name in ("start", "end")}
    parts.append(
        {"question": [f"{_DATES}{row}" for row in dated], "asks_for": ["dates"] * len(dated), **known, **empty}
    )
    columns = {name: pa.array([value for part in parts for value in part[name]], pa.string()) for name in parts[0]}
    return pa.table(columns)


def question_numbers(ids: npt.NDArray[np.str_], facts: int, *, file: str, dates: bool = False) -> Ints:
    """Turn ids into numbers: those of objects first, then those of subjects; of dates, the facts themselves.

    >>> question_numbers(np.array(["o1", "s0"]), 3, file="a.csv").tolist()
    [1, 3]
    """
    unique, where = np.unique(ids.astype(str), return_inverse=True)
    letters = (_DATES,) if dates else _LETTERS
    found = np.array([_number(str(id), facts, letters, file) for id in unique], np.int64)
    return found[where]


def _number(id: str, facts: int, letters: tuple[str, ...], file: str) -> int:
    letter, digits = id[:1], id[1:]
    if letter in letters and digits.isdecimal() and int(digits) < facts:
        return letters.index(letter) * facts + int(digits)
    known = " or ".join(f"{one}0 to {one}{facts - 1}" for one in letters)
    raise UserError(
        f"{file}: there is no question {id!r}. This split has {known}; 'asof rank DATASET --questions "
        "FOLDER' writes them."
    )


def time_text(time: int, granularity: Granularity) -> str | None:
    """Write a year or a day; None where there is none.

    >>> time_text(2011, "year"), time_text(0, "day"), time_text(AFTER_ALL, "year")
    ('2011', '1970-01-01', None)
    """
    if time in (BEFORE_ALL, AFTER_ALL):
        return None
    return str(Date.of(time) if granularity == "year" else Date.from_day(time))


def time_number(text: str, granularity: Granularity, *, file: str) -> int:
    """Read a year or a day.

    >>> time_number("2011", "year", file="a.csv"), time_number("1970-01-02", "day", file="a.csv")
    (2011, 1)
    """
    try:
        date = Date.parse(text)
    except UserError as error:
        raise UserError(f"{file}: {error}") from error
    if granularity == "year":
        return date.year
    if date.first != date.last:
        raise UserError(
            f"{file}: {text!r} is not a day, and facts of this dataset are dated by days. Write 2014-03-20."
        )
    return date.first
