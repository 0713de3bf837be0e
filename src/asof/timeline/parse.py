"""Read dates: as people write them, as ISO 8601, Wikidata and YAGO11k write them.

A year with a minus sign counts as people and Wikidata's JSON count: -0044 is 44 BCE and there is no year 0.
(ISO 8601 and RDF count 44 BCE as -0043.)
"""

import re
from collections.abc import Callable
from contextlib import suppress

from asof.errors import DateError
from asof.timeline.date import MONTHS, Date, Precision, bce
from asof.timeline.interval import End, Open
from asof.timeline.words import LANGUAGES

_JULIAN = "Q1985786"  # Wikidata's item for the proleptic Julian calendar
_GREGORIAN = "Q1985727"

_MONTH_NUMBERS = {
    name[:length].casefold(): number
    for language in LANGUAGES.values()
    for number, name in enumerate(language.months, start=1)
    for length in ({len(name), 3} if language is LANGUAGES["en"] else {len(name)})
} | {"sept": 9}
_MONTH = "(?P<month>" + "|".join(sorted(map(re.escape, _MONTH_NUMBERS), key=len, reverse=True)) + r")\.?"
_LEADING = re.compile(r"(?:in the|dans les|in|on|the|en|le|au)\s+", re.IGNORECASE)
_ERA_AFTER = re.compile(
    r"\s*(?P<before>b\.?\s?c\.?(?:\s?e\.?)?|av\.\s?j\.-c\.)$|\s*(?:a\.?d\.?|c\.?e\.?)$", re.IGNORECASE
)
_ERA_BEFORE = re.compile(r"a\.?d\.?\s+", re.IGNORECASE)
_YEAR = "(?P<year>[0-9]{1,7})"

DAY_AND_MONTH = re.compile(r"(?P<one>[0-9]{1,2})[./](?P<other>[0-9]{1,2})[./](?P<year>[0-9]{4}|[0-9]{2})")

_HOW_TO_WRITE = "Write 2011, 2011-03, 2011-03-20, 'March 2011', '44 BC' or '1990s'."
_OPEN_WORDS = {
    "": Open.NOT_STATED,
    "not stated": Open.NOT_STATED,
    "unknown": Open.UNKNOWN,
    "ongoing": Open.ONGOING,
    "present": Open.ONGOING,
}


def parse_date(text: str) -> Date:
    """Read one date.

    >>> [str(parse_date(text)) for text in ("2011", "2011-03", "2011-03-20", "-0044-03-15", "44 BC", "1990s")]
    ['2011', '2011-03', '2011-03-20', '-0044-03-15', '-0044', '1990s']
    >>> [str(parse_date(text)) for text in ("March 2011", "20 March 2011", "On March 21, 1983", "20 mars 2011")]
    ['2011-03', '2011-03-20', '1983-03-21', '2011-03-20']
    >>> [str(parse_date(text)) for text in ("1952-##-##", "2004-05-##", "19##-##-##", "360-##-##")]
    ['1952', '2004-05', '19XX', '0360']
    >>> parse_date("2022-06-31")
    Traceback (most recent call last):
    asof.errors.DateError: 2022-06-31 is not a valid date: June 2022 has 30 days.
    """
    stripped = " ".join(text.split())
    if re.match(r"[+-]?[0-9]+-[0-9]{2}-[0-9]{2}T", stripped):
        return parse_wikidata(stripped)
    plain = _LEADING.sub("", stripped, count=1) if _LEADING.match(stripped) else stripped
    era = _ERA_AFTER.search(plain)
    before_christ = bool(era and era["before"])
    if era:
        plain = plain[: era.start()]
    elif _ERA_BEFORE.match(plain):
        plain = _ERA_BEFORE.sub("", plain, count=1)
    if plain.startswith("-"):
        before_christ, plain = True, plain[1:]
    for pattern, make in _FORMS:
        match = pattern.fullmatch(plain)
        if match:
            return make(match, before_christ, text)
    if by_numbers := DAY_AND_MONTH.fullmatch(plain):
        return day_by_numbers(by_numbers)
    raise DateError(f"{text!r} is not a valid date. {_HOW_TO_WRITE}")


def parse_end(text: str) -> End:
    """Read one end of an interval: a date, ``ongoing``, ``unknown``, or nothing (not stated).

    >>> parse_end("ongoing"), parse_end(""), parse_end("####-##-##")
    (<Open.ONGOING: 'ongoing'>, <Open.NOT_STATED: 'not stated'>, <Open.NOT_STATED: 'not stated'>)
    """
    stripped = text.strip()
    if not stripped.strip("#-"):
        return Open.NOT_STATED
    return _OPEN_WORDS.get(stripped.casefold()) or parse_date(stripped)


def day_by_numbers(match: re.Match[str]) -> Date:
    """Read a day written with slashes or dots where only one order is possible; else say how each reading is written.

    >>> str(day_by_numbers(DAY_AND_MONTH.fullmatch("11/22/1963"))), str(parse_date("23.12.2007"))
    ('1963-11-22', '2007-12-23')
    >>> for text in ("03/04/2011", "3.4.11", "30/30/2011"):
    ...     try: parse_date(text)
    ...     except DateError as error: print(error)
    '03/04/2011' can be read in two ways: 3 April 2011 (write 2011-04-03) or 4 March 2011 (write 2011-03-04).
    '3.4.11' may be read in several ways. Write the year in full, and first: 2011-03-20.
    '30/30/2011' is not a valid date. Write the year first: 2011-03-20.
    """
    written, (one, other, year) = match[0], (int(match[name]) for name in ("one", "other", "year"))
    if len(match["year"]) < 4:
        raise DateError(f"{written!r} may be read in several ways. Write the year in full, and first: 2011-03-20.")
    readings = []
    for day, month in dict.fromkeys([(one, other), (other, one)]):
        with suppress(DateError):
            readings.append((f"{day} {MONTHS[(month - 1) % 12]} {year}", Date.of(year, month, day)))
    if not readings:
        raise DateError(f"{written!r} is not a valid date. Write the year first: 2011-03-20.")
    if len(readings) == 1:
        return readings[0][1]
    ways = " or ".join(f"{said} (write {date})" for said, date in readings)
    raise DateError(f"{written!r} can be read in two ways: {ways}.")


def parse_wikidata(time: str, *, precision: int | None = None, calendar: str = _GREGORIAN) -> Date:
    """Read a time value of Wikidata's JSON: ``+1948-10-15T00:00:00Z``, a precision code, a calendar model.

    >>> str(parse_wikidata("+1948-10-15T00:00:00Z", precision=11))
    '1948-10-15'
    >>> str(parse_wikidata("+1948-00-00T00:00:00Z", precision=9))
    '1948'
    >>> str(parse_wikidata("-0044-03-15T00:00:00Z", precision=11, calendar="http://www.wikidata.org/entity/Q1985786"))
    '-0044-03-13'
    >>> str(parse_wikidata("+1900-00-00T00:00:00Z", precision=7))
    '19th century'
    >>> str(parse_wikidata("-0050-00-00T00:00:00Z", precision=7))
    '1st century BCE'

    Args:
        precision: Wikidata's code, 6 (millennium) to 11 (day); without it, as fine as the text is.
        calendar: The item of the calendar model, as an id or an address.
    """
    match = re.fullmatch(r"([+-]?)([0-9]{1,16})-([0-9]{2})-([0-9]{2})(?:T[0-9:]{8}(?:Z|\+00:00))?", time.strip())
    if not match:
        raise DateError(f"{time!r} is not a Wikidata time. One looks like +1948-10-15T00:00:00Z.")
    model = calendar.rsplit("/", 1)[-1]
    if model not in (_JULIAN, _GREGORIAN):
        raise DateError(
            f"{time}: calendar model {calendar!r} is neither Gregorian ({_GREGORIAN}) nor Julian ({_JULIAN})."
        )
    before_christ, shown = match[1] == "-", int(match[2])
    year = _astronomical(shown, before_christ, time)
    month, day = int(match[3]), int(match[4])
    if precision is None:
        precision = Precision.DAY if day else Precision.MONTH if month else Precision.YEAR
    if precision not in set(Precision):
        raise DateError(f"{time}: precision {precision} is not kept; asof keeps 6 (millennium) to 11 (day).")
    if (precision == Precision.DAY and not day) or (precision >= Precision.MONTH and not month):
        raise DateError(f"{time}: precision {precision} ({Precision(precision)}) needs a {Precision(precision)}.")
    if precision == Precision.DAY:
        return Date.of(year, month, day, julian=model == _JULIAN)
    if precision == Precision.MONTH:
        return Date.of(year, month)
    if precision == Precision.YEAR:
        return Date.of(year)
    if precision == Precision.DECADE:
        return Date.decade(shown, before_christ=before_christ)
    if precision == Precision.CENTURY:
        return Date.century((shown - 1) // 100 + 1, before_christ=before_christ)
    return Date.millennium((shown - 1) // 1000 + 1, before_christ=before_christ)


def _astronomical(shown: int, before_christ: bool, text: str) -> int:
    if shown == 0:
        raise DateError(
            f"{text} is not a valid date: there is no year 0. 1 BCE (-0001) is followed by the year 1 (0001)."
        )
    return bce(shown) if before_christ else shown


def _calendar_date(match: re.Match[str], before_christ: bool, text: str) -> Date:
    parts = match.groupdict()
    month = parts.get("month")
    number = _MONTH_NUMBERS.get(month.casefold()) if month else None
    if month and number is None:
        number = int(month)
    day = parts.get("day")
    return Date.of(_astronomical(int(parts["year"]), before_christ, text), number, int(day) if day else None)


def _decade(match: re.Match[str], before_christ: bool, text: str) -> Date:
    return Date.decade(int(match["tens"] or "0") * 10, before_christ=before_christ)


def _century(match: re.Match[str], before_christ: bool, text: str) -> Date:
    make = Date.century if match["unit"].casefold() in ("century", "siècle") else Date.millennium
    number = _from_roman(match["roman"]) if match["roman"] else int(match["number"])
    if number == 0:
        raise DateError(f"{text!r} is not a valid date: centuries count from 1.")
    return make(number, before_christ=before_christ)


def _hundred_years(match: re.Match[str], before_christ: bool, text: str) -> Date:
    low = int(match["hundreds"]) * 100
    first, last = max(low, 1), low + 99
    if before_christ:
        first, last = bce(last), bce(first)
    return Date.years(first, last, Precision.CENTURY)


def _from_roman(letters: str) -> int:
    values = [{"i": 1, "v": 5, "x": 10}[letter] for letter in letters.casefold()]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


_FORMS: list[tuple[re.Pattern[str], Callable[[re.Match[str], bool, str], Date]]] = [
    (re.compile(pattern, re.IGNORECASE), make)
    for pattern, make in (
        (rf"\+?{_YEAR}(?:-(?P<month>[0-9]{{1,2}})(?:-(?P<day>[0-9]{{1,2}}))?)?(?:-##){{0,2}}", _calendar_date),
        (rf"{_MONTH},? {_YEAR}", _calendar_date),
        (rf"(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th|er|\.)? (?:of )?{_MONTH},? {_YEAR}", _calendar_date),
        (rf"{_MONTH} (?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,? {_YEAR}", _calendar_date),
        (r"(?P<tens>[0-9]{0,6})0s", _decade),
        (r"années (?P<tens>[0-9]{0,6})0", _decade),
        (r"(?P<tens>[0-9]{1,6})[X#](?:-##){0,2}", _decade),
        (r"(?P<hundreds>[0-9]{1,5})(?:XX|##)(?:-##){0,2}", _hundred_years),
        (
            r"(?:(?P<roman>[ivx]+)(?:er|e)|(?P<number>[0-9]{1,5})(?:st|nd|rd|th)) "
            r"(?P<unit>century|millennium|siècle|millénaire)",
            _century,
        ),
    )
]
