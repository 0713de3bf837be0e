"""When the answers of a benchmark were right: what other items of the same subject and relation say.

An answer that is not right may have been so before, or become so later: that is told from the tags of the items, so it
needs neither the base nor a model. Every text of an answer counts, aliases too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from asof.errors import UserError
from asof.timeline import Date
from asof.wording.normalised import plain

AnswerVerdict = Literal["right", "outdated", "too early", "another candidate", "refused", "else"]
_Pair = tuple[str, str]  # subject and relation


class _Span(NamedTuple):
    first: int
    last: int
    begins: str  # the same in words
    ends: str
    surely: bool  # true at any time in between, and not only somewhere


@dataclass(frozen=True)
class AnswerJudgement:
    """What an answer was worth, and what more is known: "was right until 2019-Q3"."""

    verdict: AnswerVerdict
    why: str = ""


class AnswerTimes:
    """The answers of a benchmark with their times.

    >>> row = {"subject": "Italy", "relation": "head", "period": "2020", "first_day": 100, "last_day": 199}
    >>> later = row | {"period": "2021", "first_day": 200, "last_day": 299}
    >>> times = AnswerTimes([(["Conte"], row), (["Draghi", "Super Mario"], later)])
    >>> times.judge(["conte"], ["Draghi"], later), times.judge(["Super Mario"], ["Conte"], row).why
    (AnswerJudgement(verdict='outdated', why='was right until 2020'), 'right only from 2021')
    """

    def __init__(self, items: Iterable[tuple[Sequence[str], Mapping[str, Any]]]) -> None:
        self._spans: defaultdict[_Pair, dict[str, dict[_Span, None]]] = defaultdict(dict)
        self._names: defaultdict[_Pair, dict[str, str]] = defaultdict(dict)  # how a text was written first
        self._of_relation: defaultdict[str, set[str]] = defaultdict(set)
        for answers, tags in items:
            pair = _pair(tags)
            span = _held(tags)
            self._of_relation[str(tags.get("relation"))].update(plain(answer) for answer in answers)
            if pair is None or span is None:
                continue
            for answer in answers:
                self._names[pair].setdefault(plain(answer), answer)
                self._spans[pair].setdefault(plain(answer), {})[span] = None

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> AnswerTimes:
        """Read the rows of a benchmark's table."""
        return cls((row["answers"], row) for row in rows)

    def judge(self, texts: Sequence[str], answers: Sequence[str], tags: Mapping[str, Any]) -> AnswerJudgement:
        """Judge an answer in its readings: the best one counts."""
        found = [self._judge(plain(text), answers, tags) for text in texts if text.strip()]
        if not found:
            return AnswerJudgement("refused" if answers else "right")
        return min(found, key=lambda one: _ORDER.index(one.verdict))

    def other(self, answers: Sequence[str], tags: Mapping[str, Any]) -> str | None:
        """Return an answer that is not right: the one that was the last to be so before, or the first one after."""
        right = {plain(answer) for answer in answers}
        previous = tags.get("previous")
        if previous and plain(str(previous)) not in right:
            return str(previous)
        pair, now = _pair(tags), _asked(tags)
        if pair is None or now is None:
            return None
        before: list[tuple[int, str]] = []
        after: list[tuple[int, str]] = []
        for text, spans in self._spans[pair].items():
            if text in right or any(span.first <= now.last and span.last >= now.first for span in spans):
                continue
            earlier = [span.last for span in spans if span.last < now.first]
            if earlier:
                before.append((max(earlier), text))
            else:
                after.append((min(span.first for span in spans), text))
        chosen = max(before)[1] if before else min(after)[1] if after else None
        return None if chosen is None else self._names[pair][chosen]

    def _judge(self, text: str, answers: Sequence[str], tags: Mapping[str, Any]) -> AnswerJudgement:
        if text in {plain(answer) for answer in answers}:
            return AnswerJudgement("right")
        pair, now = _pair(tags), _asked(tags)
        spans = list(self._spans[pair].get(text, ())) if pair is not None and now is not None else []
        if now is not None and spans:
            if any(span.surely and span.first <= now.first and span.last >= now.last for span in spans):
                return AnswerJudgement("right", "by another fact of the same subject and relation")
            earlier = [span for span in spans if span.last < now.first]
            overlaps = any(span.first <= now.last and span.last >= now.first for span in spans)
            if earlier and not overlaps:
                return AnswerJudgement("outdated", f"was right until {max(earlier, key=lambda one: one.last).ends}")
            if not overlaps:
                first = min(spans, key=lambda one: one.first)
                return AnswerJudgement("too early", f"right only from {first.begins}")
        if pair is not None and tags.get("previous") and text == plain(str(tags["previous"])):
            return AnswerJudgement("outdated", "was right before")
        if spans or text in self._of_relation[str(tags.get("relation"))]:
            return AnswerJudgement("another candidate")
        return AnswerJudgement("else")


_ORDER: tuple[AnswerVerdict, ...] = ("right", "outdated", "too early", "another candidate", "else", "refused")


def _pair(tags: Mapping[str, Any]) -> _Pair | None:
    """Return what the answers of an item belong to; None where not the object is asked for."""
    subject, relation = tags.get("subject"), tags.get("relation")
    return None if subject is None or relation is None or tags.get("place", "object") != "object" else (
        str(subject), str(relation)
    )  # fmt: skip


def _asked(tags: Mapping[str, Any]) -> _Span | None:
    """Return the time that an item asks about."""
    first, last = tags.get("first_day"), tags.get("last_day")
    if first is not None and last is not None:
        said = str(tags.get("period") or tags.get("time") or "then")
        return _Span(int(first), int(last), said, said, surely=False)
    date = _date(tags.get("date"))
    if date is not None:
        return _Span(date.first, date.last, str(date), str(date), surely=False)
    return _between(tags)


def _held(tags: Mapping[str, Any]) -> _Span | None:
    """Return the time in which the answers of an item are known to be right."""
    return _between(tags) or (None if tags.get("verdict") is not None else _asked(tags))


def _between(tags: Mapping[str, Any]) -> _Span | None:
    start, end = _date(tags.get("start")), _date(tags.get("end"))
    if start is None or end is None or start.first > end.last:
        return None
    return _Span(start.first, end.last, str(start), str(end), surely=True)


def _date(written: Any) -> Date | None:
    try:
        return Date.parse(str(written)) if written is not None else None
    except UserError:
        return None
