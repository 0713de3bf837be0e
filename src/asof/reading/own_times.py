"""The time that a candidate itself tells, held against the asked one: what an answer shows, and what it is worth.

The trees weigh all times around a candidate. In one of ten answers they preferred a name whose own time lies outside
the asked one. A fifth of these were right, and more would have been right without an answer (186 of 1,770 answers in
cross-validation over 320 histories: 21 % right, 27 % of the questions have none). So such a name counts for less, and
is never the answer: that made 38.4 % of the questions right instead of 37.3 % (a gain of 1.1 points, -0.1 to 2.4).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from asof.reading.index import NONE, DocumentIndex
from asof.reading.names import NameRanking
from asof.reading.times.asked import AskedTime
from asof.timeline import Date, Interval, Open, Precision, Verdict, verdict

_SAID = {
    Verdict.CORRECT: "covers the asked time",
    Verdict.TRANSITIONAL: "shares some of the asked time",
    Verdict.INCORRECT: "lies outside the asked time",
}
_OUTSIDE = 0.3  # of its probability is left to a name whose own time lies outside; from 0.2 to 0.7 as good
_LOOKED_AT = 6  # names, the best first


class OwnTime(NamedTuple):
    """The time that a candidate hangs on, and what it means for the asked one."""

    interval: str
    verdict: str

    @property
    def lies_outside(self) -> bool:
        """Whether the candidate's own time speaks against it."""
        return self.verdict == _SAID[Verdict.INCORRECT]


def own_time(index: DocumentIndex, position: int, asked: AskedTime) -> OwnTime:
    """Hold the time of a candidate against the asked one."""
    own = index.own_times[position]
    if own == NONE:
        return OwnTime("", "no time is told")
    time = index.times[own].time
    held, interval = time.interval, str(time.interval)
    inferred = int(index.inferred[1][position])
    kind = index.own_kinds[position]
    if kind == "until":
        held = Interval(Open.NOT_STATED, held.end)
        interval = str(held)
    elif kind == "from" and time.kind in ("until", "range") and isinstance(held.end, Date):
        held = Interval(held.end, Open.NOT_STATED)
        interval = str(held)
    elif time.kind == "at" and inferred < Date.of(2100).last and inferred > time.last:
        told, before = index.told_end(position), index.written_day(inferred)
        held = Interval(held.start, told or Date.from_day(inferred))
        interval = str(held) if told else f"{held.start}.. before {before}"
    if not asked.known:
        return OwnTime(interval, "no time was asked")
    return OwnTime(interval, _said(held, asked))


def _said(held: Interval, asked: AskedTime) -> str:
    """Say what the time of a state means for the asked one; of what is not sure, why."""
    judged = verdict(Date(asked.first, asked.last, Precision.DAY), held)
    start, end = held.start, held.end
    if judged is Verdict.TRANSITIONAL:
        if isinstance(start, Date) and isinstance(end, Date) and (start.first, end.last) == (asked.first, asked.last):
            return "is the asked time"
        if end is Open.ONGOING and isinstance(start, Date) and start.last < asked.first:
            return "began before the asked time and goes on"
        if isinstance(end, Open) and isinstance(start, Date) and start.last < asked.first:
            return "began before the asked time; no end is told"
        if isinstance(start, Open) and isinstance(end, Date) and asked.last < end.first:
            return "ended after the asked time; no start is told"
    return _SAID[judged]


def weighed(choice: NameRanking, index: DocumentIndex, asked: AskedTime) -> NameRanking:
    """Let the best names count for less whose own time lies outside the asked one; a best name of that kind is none."""
    likely = choice.likely.copy()
    outside = np.zeros(len(likely), dtype=bool)
    for number, position in enumerate(choice.indices[:_LOOKED_AT].tolist()):
        outside[number] = own_time(index, position, asked).lies_outside
    likely[outside] *= _OUTSIDE
    order = np.argsort(-likely[:_LOOKED_AT], kind="stable")
    order = np.append(order, np.arange(len(order), len(likely)))
    return NameRanking(choice.indices[order], likely[order], is_answer=not outside[order[0]])
