"""The period of a question: an endpoint is not asked for statements that surely lie outside of it.

Sure is what has one start at most and one end at most, or one point alone, all dated to the year or finer; the end lies
before the period or the start behind it; and it does not end before it starts. All else is asked for and looked at
afterwards, with all rules: several starts or ends, unknown ones, decades and centuries, whose time in RDF is any day of
theirs. A year stands in RDF as one of its days, so a year is compared with whole years, a month with whole months.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from asof.timeline import MAX_DAY, MIN_DAY
from asof.timeline.calendar import calendar_day

_YEAR, _MONTH, _DAY = 9, 10, 11  # Wikidata's codes of precision
_SURE_YEARS = range(2, 9_998)  # in which engines agree on what comes before what
_ROLES = {"start": "P580", "end": "P582", "point": "P585"}


@dataclass(frozen=True)
class AskedDays:
    """From a first to a last day, both included; the ends of time stand for no border."""

    first: int = MIN_DAY
    last: int = MAX_DAY

    def clauses(self) -> str:
        """Return the part of a question that leaves out statements outside; "" where nothing can be said surely."""
        before, behind = self._before(), self._behind()
        outside = []
        if before:
            outside.append(f"BOUND(?end) && {before.format(role='end')} && (!BOUND(?start) || {_IN_ORDER})")
        if behind:
            outside.append(f"BOUND(?start) && {behind.format(role='start')} && (!BOUND(?end) || {_IN_ORDER})")
        if not outside:
            return ""
        point = " || ".join(text.format(role="point") for text in (before, behind) if text)
        outside.append(f"BOUND(?point) && !BOUND(?start) && !BOUND(?end) && ({point})")
        unsure = " || ".join(_unsure())
        surely = " || ".join(f"COALESCE({condition}, false)" for condition in outside)
        return "\n".join([*_times(), f"  FILTER(!({surely}) || {unsure})"])

    def _before(self) -> str:
        """Say that a time is over before the first day."""
        if self.first == MIN_DAY or calendar_day(self.first)[0] not in _SURE_YEARS:
            return ""
        year, month, day = calendar_day(self.first)
        return _compared("<", {_DAY: (year, month, day), _MONTH: (year, month, 1), _YEAR: (year, 1, 1)})

    def _behind(self) -> str:
        """Say that a time begins behind the last day."""
        if self.last == MAX_DAY or calendar_day(self.last)[0] not in _SURE_YEARS:
            return ""
        year, month, _ = calendar_day(self.last)
        next_month = (year + month // 12, month % 12 + 1, 1)
        return _compared(">=", {_DAY: calendar_day(self.last + 1), _MONTH: next_month, _YEAR: (year + 1, 1, 1)})


ALL_DAYS = AskedDays()


def _compared(sign: str, borders: dict[int, tuple[int, int, int]]) -> str:
    """Compare the time of a {role} with the border for its precision."""
    conditions = []
    for border in dict.fromkeys(borders.values()):
        codes = [code for code in borders if borders[code] == border]
        finest = "" if _DAY in codes else f" && ?{{role}}_precision <= {max(codes)}"  # hours are days
        day = "-".join(f"{part:02d}" for part in border).zfill(10)
        literal = f'"{day}T00:00:00Z"^^xsd:dateTime'
        conditions.append(f"(?{{role}}_precision >= {min(codes)}{finest} && ?{{role}}_time {sign} {literal})")
    return f"({' || '.join(conditions)})"


# A time lies inside its date, so that one in this order surely does not end before it starts.
_IN_ORDER = f"(?start_precision >= {_YEAR} && ?end_precision >= {_YEAR} && ?start_time <= ?end_time)"


def _times() -> Iterator[str]:
    for role, id in _ROLES.items():
        yield (
            f"  OPTIONAL {{ ?statement pqv:{id} ?{role} . ?{role} wikibase:timeValue ?{role}_time ; "
            f"wikibase:timePrecision ?{role}_precision . FILTER(DATATYPE(?{role}_time) = xsd:dateTime) }}"
        )


def _unsure() -> Iterator[str]:
    """Say that a statement has several starts, ends or points, or one that is unknown, unreadable or no value.

    No variable from outside but the statement: some engines do not see others here. And nothing before Christ:
    Virtuoso takes it for later than all else.
    """
    for role, id in _ROLES.items():
        one, two, odd = f"?one_{role}", f"?two_{role}", f"?odd_{role}"
        yield f"EXISTS {{ ?statement pqv:{id} {one}, {two} FILTER({one} != {two}) }}"
        is_odd = f'!isLiteral({odd}) || DATATYPE({odd}) != xsd:dateTime || STRSTARTS(STR({odd}), "-")'
        yield f"EXISTS {{ ?statement pq:{id} {odd} FILTER({is_odd}) }}"
    yield f"((BOUND(?end) || !BOUND(?start)) && EXISTS {{ ?statement a wdno:{_ROLES['end']} }})"
