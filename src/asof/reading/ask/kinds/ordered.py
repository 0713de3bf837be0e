"""The first, the last, the third: "Who was the first manager of Acme?"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from asof.reading.ask.kinds import Kind, Pick, kinds, leads, marks_of, without
from asof.reading.ask.query import Ordered
from asof.reading.ask.tags import Mark, Name, RelationTag, Small, Tag


@kinds.register("ordered")
class InOrder(Kind):
    """What has a place in the order of time.

    >>> from asof.reading.ask.example import read
    >>> read("Who was the first manager of Acme?")
    "who or what was 'manager' of 'Acme', the first"
    >>> read("Who were the last two managers of Acme?")
    "who or what was 'manager' of 'Acme', the last 2"
    >>> read("ann lees second company")
    'nothing'
    """

    marks = {
        "first": """first | earliest | original | inaugural | start his career | started his career | begin his career
            | began his career | start her career | started her career | begin her career | began her career
            | start out | started out""",
        "last": """last | final | latest | newest | most recent | most recently | end his career | ended his career
            | finish his career | finished his career | end her career | ended her career | finish her career
            | finished her career""",
        "number": "two | three | four | five | six | seven | eight | nine | ten",
    }

    def picks(self, tags: Sequence[Tag]) -> Iterator[Pick]:
        """Read the one mark of order, and a number beside it."""
        orders, numbers = marks_of(tags, "first", "last", "nth"), marks_of(tags, "number")
        if not orders and len(numbers) == 1 and not marks_of(tags, "before", "after", "between", "longest", "shortest"):
            yield Pick(without(tags, *numbers))  # "the two senators": all that there are
        if len(orders) != 1 or len(numbers) > 1:
            return
        if (before := marks_of(tags, "before")) and orders[0].kind == "last" and leads(tags, orders[0], before[0]):
            return  # "the last one before Ann": the kind of neighbours reads it
        if orders[0].word.text in ("last", "lasted") and _is_verb(tags, orders[0]):
            yield Pick(without(tags, orders[0]))
            return
        mark = orders[0]
        count = numbers[0].word.number if numbers else 1
        if mark.kind == "nth":
            if not numbers and _numbers_a_noun(tags, mark):
                yield Pick(without(tags, mark), Ordered(order=mark.word.order))
            return
        yield Pick(without(tags, mark, *numbers), Ordered(order=1 if mark.kind == "first" else -1, count=count))


def _is_verb(tags: Sequence[Tag], mark: Mark) -> bool:
    """Tell "did he last as" from "his last"."""
    before = tags[tags.index(mark) - 1] if tags.index(mark) else None
    return isinstance(before, Name) and not before.possessive


def _numbers_a_noun(tags: Sequence[Tag], mark: Mark) -> bool:
    """Tell "the third wife" and "the 44th US president" from "Elizabeth the Second"."""
    position = tags.index(mark)
    behind = [
        tag
        for tag, after in zip_longest(tags[position + 1 :], tags[position + 2 :])
        if not (isinstance(tag, Name) and (tag.possessive or isinstance(after, RelationTag)))
        and not isinstance(tag, Small)
    ]
    if behind and isinstance(behind[0], Name) and not any(isinstance(tag, RelationTag) for tag in tags):
        return True  # "the third caliph"
    return bool(behind) and isinstance(behind[0], RelationTag) and not behind[0].saying.is_verb
