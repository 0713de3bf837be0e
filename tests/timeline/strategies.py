"""Random dates, intervals and periods: all precisions, before and after Christ, leap years, open ends."""

from hypothesis import strategies as st

from asof.timeline import Date, Granularity, Interval, Open, Period, Precision
from asof.timeline.calendar import days_in_month

YEARS = st.integers(-4000, 4000) | st.sampled_from([-43, -1, 0, 1, 4, 100, 400, 1582, 1900, 2000, 2024, 4_000_000])


@st.composite
def dates(draw: st.DrawFn, years: st.SearchStrategy[int] = YEARS) -> Date:
    """Draw a date of any precision."""
    precision = draw(st.sampled_from(Precision))
    year = draw(years)
    month = draw(st.integers(1, 12))
    before = draw(st.booleans())
    if precision is Precision.DAY:
        return Date.of(year, month, draw(st.integers(1, days_in_month(year, month))))
    if precision is Precision.MONTH:
        return Date.of(year, month)
    if precision is Precision.YEAR:
        return Date.of(year)
    if precision is Precision.DECADE:
        return Date.decade(abs(year), before_christ=before)
    if precision is Precision.CENTURY:
        return Date.century(draw(st.integers(1, 30)), before_christ=before)
    return Date.millennium(draw(st.integers(1, 5)), before_christ=before)


@st.composite
def intervals(draw: st.DrawFn, *, near: bool = False) -> Interval:
    """Draw an interval that is not upside down; near ones lie so close together that they meet and overlap."""
    drawn = dates(st.integers(1999, 2002)) if near else dates()
    start = draw(drawn | st.sampled_from([Open.UNKNOWN, Open.NOT_STATED]))
    end = draw(drawn | st.sampled_from(list(Open)))
    if isinstance(start, Date) and isinstance(end, Date) and end.last < start.first:
        start, end = end, start
    return Interval(start, end)


@st.composite
def periods(draw: st.DrawFn) -> Period:
    """Draw a month, quarter or year."""
    granularity = draw(st.sampled_from(Granularity))
    return Period(granularity, draw(st.integers(-4000, 4000)) * 12 // granularity + draw(st.integers(0, 11)))
