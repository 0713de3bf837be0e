"""Why a fact holds only possibly, or on a part of a date: in a few words."""

from asof.facts.fact import Fact
from asof.timeline import Date, Open, Period


def why(fact: Fact, when: Date | Period) -> str:
    """Say in a few words why a fact holds only possibly, or on a part of a date.

    >>> from asof.timeline import Interval
    >>> fact = Fact(subject="a", relation="b", object="c", interval=Interval.parse("2021-02-13", "2022-10"))
    >>> why(fact, Date.parse("2021")), why(fact, Date.parse("2022"))
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
        reasons.append("ongoing when last checked")
    else:
        reasons.append(f"end {fact.end}")
    return ", ".join(reasons)
