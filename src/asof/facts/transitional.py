"""Why a fact holds only possibly, or on a part of a date: in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asof.facts.known_day import unconfirmed
from asof.timeline import Date, Open, Span

if TYPE_CHECKING:  # rows of facts say it too
    from asof.facts.fact import Fact


def why(fact: Fact, when: Span, known_by: Date | None) -> str:
    """Say in a few words why a fact holds only possibly, or on a part of a date.

    Args:
        known_by: The day up to which the base is known.

    >>> from asof.facts import Fact
    >>> from asof.timeline import Interval
    >>> fact = Fact(subject="a", relation="b", object="c", interval=Interval.parse("2021-02-13", "2022-10"))
    >>> why(fact, Date.parse("2021"), None), why(fact, Date.parse("2022"), None)
    ('starts 2021-02-13', 'ends 2022-10')
    """
    reasons = []
    if isinstance(fact.start, Date):
        if fact.start.last > when.first:
            reasons.append(f"starts {fact.start}")
    else:
        reasons.append(f"start {fact.start}")
    if isinstance(fact.end, Date):
        if fact.end.first < when.last:
            reasons.append(f"ends {fact.end}")
    elif fact.end is Open.ONGOING:
        reasons += [reason] if (reason := unconfirmed(fact, when, known_by)) else []
    else:
        reasons.append(f"end {fact.end}")
    return ", ".join(reasons)
