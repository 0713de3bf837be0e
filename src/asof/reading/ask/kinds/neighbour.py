"""Before, after, between: "Who was the manager of Acme before Ann Lee?", "Who succeeded her?"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from asof.reading.ask.kinds import Kind, Pick, kinds, leads, marks_of, without
from asof.reading.ask.query import Neighbour
from asof.reading.ask.tags import Mark, Name, Small, Tag
from asof.reading.ask.words import ARTICLES

_LEANING = ("before", "after", "between", "follow", "precede", "follow noun", "precede noun")


@kinds.register("neighbour")
class Beside(Kind):
    """What stands beside another in the same timeline.

    >>> from asof.reading.ask.example import read
    >>> read("Who was the manager of Acme before Ann Lee?")
    "who or what was 'manager' of 'Acme', right before 'Ann Lee'"
    >>> read("Who succeeded Ann Lee as manager of Acme?")
    "who or what was 'manager' of 'Acme', right after 'Ann Lee'"
    >>> read("Who were the managers of Acme between Ann Lee and Cy Day?")
    "who or what was 'manager' of 'Acme', all between 'Ann Lee' and 'Cy Day'"
    >>> read("the previous manager of Acme")
    "who or what was 'manager' of 'Acme', right before today's"
    """

    marks = {
        "before": "before | prior to | ahead of",
        "after": "after | following",
        "between": "between",
        "former": "former | formerly | previously | earlier | old",
        "previous": """previous | before the current one | before the present one | before this one
            | before the current | before last""",
        "next": "next",
        "follow": """succeed | succeeds | succeeded | follow | follows | followed | replace | replaces | replaced
            | take over from | takes over from | took over from""",
        "precede": "precede | precedes | preceded",
        "follow noun": "successor | successors",
        "precede noun": "predecessor | predecessors",
    }

    def picks(self, tags: Sequence[Tag]) -> Iterator[Pick]:
        """Read the one mark that leans on a name; "next" changes nothing beside it."""
        leaning = marks_of(tags, *_LEANING)
        near = {"before": "last", "after": "first"}.get(leaning[0].kind, "") if len(leaning) == 1 else ""
        idle = [mark for mark in marks_of(tags, near) if leads(tags, mark, leaning[0])]  # "the last one before Ann"
        rest = without(tags, *marks_of(tags, "next"), *idle)
        if len(leaning) == 1:
            numbers = marks_of(tags, "number")
            count = numbers[0].word.number if len(numbers) == 1 else 1
            for side, name, until in _leans_on(rest, leaning[0]):
                left = without(rest, leaning[0], name, until, *numbers, *marks_of(rest, "previous", "former"))
                which = Neighbour(side=side, of=name.said, until=until.said if until else None, count=count)  # type: ignore[arg-type]
                yield Pick(left, which, beside=name, until=until)
        elif not leaning and len(earlier := marks_of(tags, "previous", "former")) == 1:
            yield Pick(without(rest, *earlier), Neighbour(side="before"))


def _leans_on(tags: Sequence[Tag], mark: Mark) -> Iterator[tuple[str, Name, Name | None]]:
    """Find the name that a mark leans on, and on which side of it the answer stands."""
    position = tags.index(mark)
    right = next((tag for tag in tags[position + 1 :] if not isinstance(tag, Small)), None)
    left = next((tag for tag in reversed(tags[:position]) if not isinstance(tag, Small)), None)
    passive = any(isinstance(tag, Small) and tag.text == "by" for tag in tags)
    if mark.kind in ("before", "after"):
        if isinstance(right, Name):
            yield mark.kind, right, None
    elif mark.kind == "between":
        yield from _between(tags, right)
    elif mark.kind in ("follow", "precede"):
        forward, backward = ("after", "before") if mark.kind == "follow" else ("before", "after")
        if isinstance(left, Name):
            yield (forward if passive else backward), left, None
        if isinstance(right, Name) and not (isinstance(left, Name) and passive):
            yield forward, right, None  # also in "when did Merkel succeed Schröder"
    else:
        near = left if isinstance(left, Name) and left.possessive else right
        if isinstance(near, Name):
            yield ("after" if mark.kind == "follow noun" else "before"), near, None


def _between(tags: Sequence[Tag], first: Tag | None) -> Iterator[tuple[str, Name, Name | None]]:
    if isinstance(first, Name):
        row = [tag for tag in tags[tags.index(first) + 1 :] if not (isinstance(tag, Small) and tag.text in ARTICLES)][
            :2
        ]
        if len(row) == 2 and isinstance(row[0], Small) and row[0].text == "and" and isinstance(row[1], Name):
            yield "after", first, row[1]
