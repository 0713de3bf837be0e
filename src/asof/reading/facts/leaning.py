"""Which names "before", "between", "succeeded" and "successor of" lean on, and on which side the answer stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from asof.reading.facts.items import Item, Mark, Name, SmallWord
from asof.reading.facts.phrases import ARTICLES

Side = Literal["before", "after", "between"]
_LEANING = frozenset(("before", "after", "between", "follow", "precede", "follow noun", "precede noun"))


@dataclass(frozen=True, slots=True)
class Leaning:
    """The side of a name on which the answer stands; between it and another where there are two."""

    side: Side | None = None
    name: Name | None = None
    other: Name | None = None


def leans_on(items: Sequence[Item]) -> Iterator[Leaning]:
    """Find the name that a mark leans on; an empty one where there is no such mark, nothing where it has no name."""
    leaning = [(index, item) for index, item in enumerate(items) if isinstance(item, Mark) and item.kind in _LEANING]
    if not leaning:
        yield Leaning()
        return
    if len(leaning) > 1:
        return
    index, mark = leaning[0]
    right = next((item for item in items[index + 1 :] if not isinstance(item, SmallWord)), None)
    left = next((item for item in reversed(items[:index]) if not isinstance(item, SmallWord)), None)
    passive = any(isinstance(item, SmallWord) and item.text == "by" for item in items)
    if mark.kind in ("before", "after") and isinstance(right, Name):
        yield Leaning(mark.kind, right)
    elif mark.kind == "between" and isinstance(right, Name):
        behind = [item for item in items[items.index(right) + 1 :] if not _is_article(item)][:2]
        if len(behind) == 2 and isinstance(behind[0], SmallWord) and behind[0].text == "and":
            other = behind[1]
            if isinstance(other, Name):
                yield Leaning("between", right, other)
    elif mark.kind in ("follow", "precede"):
        forward: Side = "after" if mark.kind == "follow" else "before"
        backward: Side = "before" if mark.kind == "follow" else "after"
        if isinstance(left, Name):
            yield Leaning(forward if passive else backward, left)
        if isinstance(right, Name) and not (isinstance(left, Name) and passive):
            yield Leaning(forward, right)  # also in "when did Merkel succeed Schröder"
    elif mark.kind in ("follow noun", "precede noun"):
        near = left if isinstance(left, Name) and left.possessive else right
        if isinstance(near, Name):
            yield Leaning("after" if mark.kind == "follow noun" else "before", near)


def _is_article(item: Item) -> bool:
    return isinstance(item, SmallWord) and item.text in ARTICLES
