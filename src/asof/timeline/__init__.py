"""Dates with a precision, intervals, periods, and how they lie to each other. Needs numpy only."""

from asof.timeline.allen import Allen, allen, possible_allen
from asof.timeline.date import MAX_DAY, MIN_DAY, Date, Precision, Span, bce
from asof.timeline.days import Days
from asof.timeline.interval import Bounds, End, Interval, Open, latest_stated_day
from asof.timeline.parse import parse_date, parse_end, parse_wikidata
from asof.timeline.period import Granularity, Period
from asof.timeline.verdict import Verdict, verdict, verdicts
from asof.timeline.when import Time, parse_when
from asof.timeline.words import in_words, when

__all__ = [
    "MAX_DAY",
    "MIN_DAY",
    "Allen",
    "Bounds",
    "Date",
    "Days",
    "End",
    "Granularity",
    "Interval",
    "Open",
    "Period",
    "Precision",
    "Span",
    "Time",
    "Verdict",
    "allen",
    "bce",
    "in_words",
    "latest_stated_day",
    "parse_date",
    "parse_end",
    "parse_when",
    "parse_wikidata",
    "possible_allen",
    "verdict",
    "verdicts",
    "when",
]
