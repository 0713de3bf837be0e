"""Wikidata's times as the texts that the intake reads, from its JSON and from its RDF: one statement, one text.

The two write the same time differently. JSON counts 44 BCE as -0044 and keeps a Julian day Julian; RDF counts from a
year 0, so 44 BCE is -0043 (at year precision and finer; a decade or century keeps its JSON year), turns Julian days
into Gregorian ones, and fills an unknown month or day with 01. A day that no calendar has (31 February) is refused
here, while RDF has already moved it to a day that exists.
"""

import re
from functools import lru_cache

from asof.errors import DateError
from asof.timeline import Precision, parse_wikidata
from asof.timeline.date import ordinal

_GREGORIAN = "Q1985727"
_JULIAN = "Q1985786"
_CACHED = 65_536  # distinct times kept; a dump repeats few of them millions of times
_CENTURY, _DECADE, _YEAR = int(Precision.CENTURY), int(Precision.DECADE), int(Precision.YEAR)
_MONTH, _DAY = int(Precision.MONTH), int(Precision.DAY)
_LAST_DAYS = {f"{month:02d}": "31" for month in range(1, 13)} | dict.fromkeys(("04", "06", "09", "11"), "30")
_LAST_DAYS["02"] = "28"  # the 29th needs a look at the year
_PLAIN = re.compile(r"[+-](?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_RDF = re.compile(r"(-?)([0-9]{1,16})-([0-9]{2}-[0-9]{2})(?:T.*)?")
_FIRST_CONVERTED_YEAR = -4713  # Wikibase cannot turn Julian days before this RDF year and leaves them as they are


@lru_cache(maxsize=_CACHED)
def date_of_json(time: str, precision: int, calendar: str) -> str:
    """Write a time of Wikidata's JSON as a date; raises a ValueError (DateError) that names what is no date.

    >>> date_of_json("+1806-00-00T00:00:00Z", 9, "http://www.wikidata.org/entity/Q1985727")
    '1806'
    >>> date_of_json("-0044-03-15T00:00:00Z", 11, "http://www.wikidata.org/entity/Q1985786")
    '-0044-03-13'

    Args:
        precision: Wikidata's code. Hours and finer (12-14) are taken as the day; coarser than a millennium (0-5) is
            refused, because the timeline has nothing that wide.
        calendar: The item of the calendar model, as an id or an address.
    """
    if _PLAIN.fullmatch(time) and calendar.endswith((_GREGORIAN, _JULIAN)):
        text = _plain_date(time, precision, gregorian=calendar.endswith(_GREGORIAN))
        if text:
            return text
    return str(parse_wikidata(time, precision=min(precision, _DAY), calendar=calendar))


def _plain_date(time: str, precision: int, *, gregorian: bool) -> str:
    """Write the bulk of all times without a Date in between; "" for one that needs it."""
    year, month, day = time[time[0] == "+" : 5], time[6:8], time[9:11]
    if precision == _YEAR:
        return year
    if precision == _MONTH and month in _LAST_DAYS:
        return f"{year}-{month}"
    if precision == _DAY and gregorian and "01" <= day <= _LAST_DAYS.get(month, ""):
        return f"{year}-{month}-{day}"
    if precision == _DECADE and time[0] == "+":
        return f"{int(year) // 10 * 10}s"
    if precision == _CENTURY and time[0] == "+":
        return f"{ordinal((int(year) - 1) // 100 + 1)} century"
    return ""


@lru_cache(maxsize=_CACHED)
def date_of_rdf(time: str, precision: int, calendar: str) -> str:
    """Write a time of Wikidata's RDF as a date: the same text as ``date_of_json`` gives for the same statement.

    >>> date_of_rdf("1806-01-01T00:00:00Z", 9, "http://www.wikidata.org/entity/Q1985727")
    '1806'
    >>> date_of_rdf("-0043-03-13T00:00:00Z", 11, "http://www.wikidata.org/entity/Q1985786")
    '-0044-03-13'
    >>> date_of_rdf("-43-03-13", 11, "Q1985786")  # as Virtuoso writes it
    '-0044-03-13'
    """
    if time.startswith("+"):  # Wikibase writes a time that is no xsd:dateTime, such as year 0, as JSON has it
        return date_of_json(time, precision, calendar)
    parts = _RDF.fullmatch(time)
    if not parts:
        raise DateError(f"{time!r} is not a time of Wikidata's RDF. One looks like 1948-10-15T00:00:00Z.")
    year = -int(parts[2]) if parts[1] else int(parts[2])
    if precision >= _DAY and year >= _FIRST_CONVERTED_YEAR and calendar.endswith(_JULIAN):
        calendar = _GREGORIAN
    if precision >= _YEAR and year <= 0:
        year -= 1
    as_json = f"{'-' if year < 0 else '+'}{abs(year):04d}-{parts[3]}T00:00:00Z"
    return date_of_json(as_json, precision, calendar)
