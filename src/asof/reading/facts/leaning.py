"""Which name "before", "after", "succeeded" and "successor of" lean on, and on which side the answer stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from asof.reading.facts.items import Item, Mark, Name, Small

Side = Literal["before", "after"]
_LEANING = frozenset(("before", "after", "follow", "precede", "follow noun", "precede noun"))


def leans_on(items: Sequence[Item]) -> Iterator[tuple[Side | None, Name | None]]:
    """Find the name that a mark leans on; None and None where there is no such mark, nothing where it has no name."""
    leaning = [(place, item) for place, item in enumerate(items) if isinstance(item, Mark) and item.kind in _LEANING]
    if not leaning:
        yield None, None
        return
    if len(leaning) > 1:
        return
    place, mark = leaning[0]
    right = next((item for item in items[place + 1 :] if not isinstance(item, Small)), None)
    left = next((item for item in reversed(items[:place]) if not isinstance(item, Small)), None)
    passive = any(isinstance(item, Small) and item.text == "by" for item in items)
    if mark.kind in ("before", "after") and isinstance(right, Name):
        yield mark.kind, right
    elif mark.kind in ("follow", "precede"):
        forward: Side = "after" if mark.kind == "follow" else "before"
        backward: Side = "before" if mark.kind == "follow" else "after"
        if isinstance(left, Name):
            yield (forward if passive else backward), left
        elif isinstance(right, Name):
            yield forward, right
    elif mark.kind in ("follow noun", "precede noun"):
        near = left if isinstance(left, Name) and left.possessive else right
        if isinstance(near, Name):
            yield ("after" if mark.kind == "follow noun" else "before"), near
