"""Which facts came right before or after another, before or after it at all, or between two."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from asof.reading.facts.holding import in_order
from asof.reading.facts.lookup import FactMatch
from asof.reading.facts.sense import POSTS
from asof.timeline import MIN_DAY, Bounds, Date

# What is seldom empty for long: who is missing in the facts may have come between.
_FILLED = frozenset((*POSTS, "P1308", "P36", "P127", "P749", "P115", "P159", "P449"))
_EMPTY = 366  # days


def right_before(matches: Sequence[FactMatch], anchors: Collection[str], known_by: Date | None) -> list[FactMatch]:
    """Return what came right before an entity, each time that it began."""
    return _next_to(matches, anchors, known_by, before=True)


def right_after(matches: Sequence[FactMatch], anchors: Collection[str], known_by: Date | None) -> list[FactMatch]:
    """Return what came right after an entity, each time that it ended."""
    return _next_to(matches, anchors, known_by, before=False)


def with_gap(
    chosen: Sequence[FactMatch], matches: Sequence[FactMatch], anchors: Collection[str], known_by: Date | None
) -> list[FactMatch]:
    """Return those of the chosen neighbours between which and the entity more than a year is empty."""
    spells = [one.fact.interval.bounds(known_by=known_by) for one in matches if one.answer in anchors]

    def gap(match: FactMatch) -> int:
        its = match.fact.interval.bounds(known_by=known_by)
        return min(_apart(its, anchor) for anchor in spells)

    return [one for one in chosen if spells and one.fact.relation in _FILLED and gap(one) > _EMPTY]


def all_before(matches: Sequence[FactMatch], anchors: Collection[str], known_by: Date | None) -> list[FactMatch]:
    """Return what began before an entity first did."""
    return _beyond(matches, anchors, known_by, before=True)


def all_after(matches: Sequence[FactMatch], anchors: Collection[str], known_by: Date | None) -> list[FactMatch]:
    """Return what began after an entity last did."""
    return _beyond(matches, anchors, known_by, before=False)


def between(
    matches: Sequence[FactMatch], left: Collection[str], right: Collection[str], known_by: Date | None
) -> list[FactMatch]:
    """Return what came after one entity and before another, whichever was first, wherever they follow each other."""
    ends = in_order((fact for fact in matches if fact.answer in {*left, *right}), known_by)
    chosen: dict[FactMatch, None] = {}
    for first, then in pairwise(ends):
        if (first.answer in left) != (then.answer in left):
            later, earlier = (each.fact.interval.bounds(known_by=known_by) for each in (first, then))
            chosen |= {
                fact: None
                for fact in matches
                if fact.answer not in {*left, *right}
                and _later(fact.fact.interval.bounds(known_by=known_by), later) is not None
                and _earlier(fact.fact.interval.bounds(known_by=known_by), earlier) is not None
            }
    return in_order(chosen, known_by)


def _beyond(
    matches: Sequence[FactMatch], anchors: Collection[str], known_by: Date | None, *, before: bool
) -> list[FactMatch]:
    spells = in_order((one for one in matches if one.answer in anchors), known_by)
    if not spells:
        return []
    anchor = spells[0 if before else -1].fact.interval.bounds(known_by=known_by)
    chosen = []
    for one in matches:
        its = one.fact.interval.bounds(known_by=known_by)
        begins = its[:2] < anchor[:2] if before else its[:2] > anchor[:2]
        ends = _earlier(its, anchor) if before else _later(its, anchor)
        if one.answer not in anchors and (begins or ends is not None):
            chosen.append(one)
    return in_order(chosen, known_by)


def _next_to(
    matches: Sequence[FactMatch], anchors: Collection[str], known_by: Date | None, *, before: bool
) -> list[FactMatch]:
    bounds = {one: one.fact.interval.bounds(known_by=known_by) for one in matches}
    others = [one for one in matches if one.answer not in anchors]
    chosen: dict[FactMatch, None] = {}
    for one in matches:
        if one.answer not in anchors:
            continue
        anchor = bounds[one]
        side = {other: _earlier(bounds[other], anchor) if before else _later(bounds[other], anchor) for other in others}
        near = {other: key for other, key in side.items() if key is not None}
        if all(_apart(bounds[other], anchor) > _EMPTY for other in near):  # the lira was in use when the euro came
            overlapping = {other: _staggered(bounds[other], anchor, before=before) for other in others}
            near = {other: key for other, key in overlapping.items() if key is not None} or near
        best = max(near.values(), default=None)
        chosen |= dict.fromkeys(other for other, key in near.items() if key == best)
    return in_order(chosen, known_by)


def _apart(first: Bounds, second: Bounds) -> int:
    """Return the days that surely lie between two stretches; less than none where they may meet."""
    return max(first.earliest_start - second.latest_end, second.earliest_start - first.latest_end)


def _staggered(bounds: Bounds, anchor: Bounds, *, before: bool) -> tuple[int, int] | None:
    """Rate how near to an anchor is what surely began and ended before it, or after it; None when it did not."""
    first, then = (bounds, anchor) if before else (anchor, bounds)
    if first.latest_start >= then.earliest_start or first.latest_end >= then.earliest_end:
        return None
    if first.earliest_end < then.latest_start:
        return None
    return (bounds.earliest_start, bounds.earliest_end) if before else (-bounds.latest_start, -bounds.latest_end)


def _earlier(bounds: Bounds, anchor: Bounds) -> tuple[int, int] | None:
    """Rate how near before an anchor a fact ended; None when it did not."""
    if bounds.earliest_end > anchor.latest_start or bounds.earliest_start > anchor.latest_start:
        return None
    if bounds.earliest_start > anchor.earliest_start or bounds.earliest_end > anchor.earliest_end:
        return None
    return min(bounds.latest_end, anchor.latest_start), bounds.earliest_end


def _later(bounds: Bounds, anchor: Bounds) -> tuple[int, int] | None:
    """Rate how near after an anchor a fact began; None when it did not."""
    if bounds.latest_start < anchor.earliest_end or bounds.earliest_start < anchor.earliest_start:
        return None
    if bounds.earliest_start == MIN_DAY:
        return None
    return -max(bounds.earliest_start, anchor.earliest_end), -bounds.latest_start
