"""What one cell of a table may mean as a date: "23.12.2007" one day, "03/04/2011" two, "Feb 92" 1992 or the year 92.

A cell is cut into numbers, names of months and signs. Their shape says in which orders day, month and year may stand;
which of them is meant is for its column to say (``column_format``). All that ``parse_end`` reads is read here, too,
but for years after 9999: in a table, 43466 is the number of a day, and 200310 is October 2003.
"""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache

from asof.errors import DateError
from asof.timeline.date import Date, Precision
from asof.timeline.interval import End, Open
from asof.timeline.month_names import month_number
from asof.timeline.parse import DAY_AND_MONTH, parse_end

AS_WRITTEN = "as written"  # a year of two digits is one of the first century
SERIAL = "serial"  # the number of a day, as Excel counts
DIGITS = "digits"  # the sign of a date that is one number of six digits
PERIOD = "period"  # the sign of what is, or may be, two years: 1990-1995, 2010-11
WORD = "word"  # the sign of a date with the name of a month

_OPEN_WORDS = {
    Open.ONGOING: (
        "ongoing", "present", "the present", "at present", "to present", "to the present", "today", "now", "until now",
        "till now", "till date", "to date", "current", "currently", "still", "heute", "bis heute", "laufend", "aktuell",
        "aujourd'hui", "en cours", "à ce jour", "présent", "actuel", "hoy", "actual", "actualidad", "presente", "oggi",
        "in corso", "heden", "hoje", "atual", "infinity",
    ),
    Open.UNKNOWN: ("unknown", "?", "??", "unbekannt", "inconnu", "inconnue", "desconocido", "sconosciuto", "onbekend"),
    Open.NOT_STATED: (
        "", "not stated", "null", "(null)", "<null>", "none", "nil", "n/a", "#n/a", "na", "<na>", "n.a.", "n. a.",
        "nat", "nan", "\\n", "-", "--", "---", "–", "—", "k.a.", "k. a.", "keine angabe", "s.d.", "s/d",
        "-infinity",
    ),
}  # fmt: skip
_OPEN = {word: end for end, words in _OPEN_WORDS.items() for word in words}
_NO_END = 9999  # the year that databases write for "no end"

# Which orders of day, month and year a shape may have: a number by its digits, a month in words as m.
_ORDERS = {
    "224": ("dmy", "mdy"), "222": ("dmy", "mdy", "ymd"), "422": ("ymd",),
    "2m4": ("dmy",), "2m2": ("dmy",), "m24": ("mdy",), "m22": ("mdy",), "4m2": ("ymd",),
    "24": ("my",), "m4": ("my",), "m2": ("my",), "4m": ("ym",), "22": ("my", "ym"),
}  # fmt: skip
_TWO_DIGITS = frozenset(shape for shape in _ORDERS if "4" not in shape)
_GIVEN_ONLY = frozenset(("22",))  # what may be a day and a month without a year, so that only somebody can say it
_NUMERIC = frozenset(("224", "222"))
_PIVOT = 30  # 00 to 29 are 2000 to 2029, 30 to 99 are 1930 to 1999: the rule of Excel and LibreOffice

_EXCEL_DAY_0 = Date.of(1899, 12, 30).first  # so that what Excel counts after its 29 February 1900 is right
_FIRST_SERIAL, _LAST_SERIAL = 10_000, 73_415  # 1927 to 2100: five digits, which years have not
_LAST_YEAR = 9999  # of a table; what is beyond is a number of another kind
_DIGIT_ORDERS = {"ym": (4, 2), "ymd": (2, 2, 2), "dmy": (2, 2, 2), "mdy": (2, 2, 2)}  # of six digits without a sign
_FIRST_OF_SIX = 1800  # 200310 is a month and 110310 is not
_TWO_YEARS = re.compile(r"([0-9]{4})\s?[-–—/]\s?([0-9]{2}|[0-9]{4})?")
_PART_OF_YEAR = re.compile(
    r"(?P<first>[0-9]{4})?[ -]?(?:Q(?P<quarter>[1-4])|H(?P<half>[12]))[ /-]?(?P<year>(?(first)|[0-9]{4}))",
    re.IGNORECASE,
)
_FISCAL = re.compile(r"FY[ '’]?([0-9]{4}|[0-9]{2})(?:[/-][0-9]{2,4})?", re.IGNORECASE)
_WEEK = re.compile(
    r"[0-9]{4}-?W[0-9]{1,2}(?:-[1-7])?|(?:KW|week|wk) ?[0-9]{1,2}[ ./]*(?:of )?(?:[0-9]{4})?", re.IGNORECASE
)
_FROM_TO = re.compile(r"\s*(?:→|➔|->|\s+(?:to|until|till|bis|à|[–—-])\s+)\s*")
_THOUSANDS = re.compile(r"([12])[.,]([0-9]{3})")  # 2,001: a year that a sheet counts
_NEARLY = re.compile(
    r"(?:c|ca|circa|about|around|before|after|early|late|mid|vor|nach|um|vers|avant|après|~|<|>|\(|\[)[. -]*"
    r"([0-9]{4})s?[)\]]?"
    r"|([0-9]{4}) ?(?:\?|\*|\(\?\)|\[[0-9]\]|\(est\.?\))",
    re.IGNORECASE,
)
_DASHES = str.maketrans(dict.fromkeys("‐‑−", "-"))
INVISIBLE = "\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"  # marks that are no letters
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_QUOTED = re.compile(r'="(.*)"', re.DOTALL)  # how a program keeps Excel from changing a cell

_TIME = re.compile(
    r"(?:T|,?\s+)[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:\s*[ap]\.?m\.?)?\s*(?:Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)?",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"([0-9]{4,8})[.,]([0-9]+)")  # 2001.0: a year of a column that has gaps
_TOKEN = re.compile(r"[0-9]+|[^\W\d_]+|[^\w\s]|_")
_FILLING = frozenset((
    "the", "of", "on", "in", "de", "del", "den", "der", "le", "du", "am", "im", "st", "nd", "rd", "th", "er",
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    "mon", "tue", "wed", "thu", "fri", "sat", "sun",
    "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonnabend", "sonntag",
))  # fmt: skip
_SIGNS = frozenset("./-–,'’")


@dataclass(frozen=True, slots=True)
class Readings:
    """What a cell may mean: for each order of day, month and year the date, and the sign between the numbers."""

    text: str
    sign: str
    dates: dict[str, Date]
    numeric: bool = False  # whether it is of numbers with the year last, so that its order tells about its column
    two_digits: bool = False  # whether the year has only two
    parts: tuple[str, ...] = ()  # the numbers, where they are all there is
    may_be_day: bool = False  # "Jan 29", which may be a day of January

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def only(self) -> Date | None:
        """The date, if all readings give the same."""
        return next(iter(self.dates.values())) if len(set(self.dates.values())) == 1 else None


@lru_cache(maxsize=200_000)
def read_cell(text: str) -> End | Readings:
    """Read a cell: an end where there is no doubt, else what it may mean.

    >>> [str(read_cell(text)) for text in ("2001-01-01T00:00:00", "20010101", "2001.0", "9999-12-31", "to date", "n/a")]
    ['2001-01-01', '2001-01-01', '2001', 'ongoing', 'ongoing', 'not stated']
    >>> [str(date) for date in read_cell("03/04/11").dates.values()]
    ['2011-04-03', '2011-03-04', '2003-04-11']
    >>> [str(date) for date in read_cell("27. Dez. 94").dates.values()]
    ['1994-12-27']
    >>> [str(date) for date in read_cell("40000").dates.values()]
    ['2009-07-06']
    >>> quarter = read_cell("Q3 2018")
    >>> str(quarter), str(Date.from_day(quarter.first)), str(Date.from_day(quarter.last))
    ('2018', '2018-07-01', '2018-09-30')
    """
    stripped = plain_cell(text)
    if (word := stripped.casefold().replace("’", "'")) in _OPEN:
        return _OPEN[word]
    if years := _TWO_YEARS.fullmatch(stripped):
        return _two_years(stripped, years)
    if part := _PART_OF_YEAR.fullmatch(stripped):
        return _part_of_year(part)
    written, failed = _as_parsed(stripped)
    plain = stripped
    if written is None and (time := _TIME.search(stripped)) and time.end() == len(stripped):
        plain = stripped[: time.start()]
        written, failed = _as_parsed(plain)
    if isinstance(written, Open):
        return written
    if written is not None and written.year == _NO_END:
        return Open.ONGOING
    if written is not None and written.year > _LAST_YEAR:
        written, failed = None, DateError(f"{text!r} is not a valid date: years of a table end with 9999.")
    found = _numeric(plain, written) or _in_parts(plain, written)
    if found is None:
        if written is not None:
            return written
        raise (_vague(stripped) or failed or DateError(f"{text!r} is not a valid date."))
    alone = found.only
    if alone is not None and alone.year == _NO_END:
        return Open.ONGOING
    doubtful = found.numeric or found.two_digits or found.sign in (SERIAL, DIGITS)
    return found if alone is None or doubtful else alone


def plain_cell(text: str) -> str:
    """Return a cell without what cannot be seen, without superfluous space, and without ="..." around it.

    >>> plain_cell('="00123"'), plain_cell(" 2001\u20112\u20113\u200b ")
    ('00123', '2001-2-3')
    """
    if not text.isascii():
        text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).translate(_DASHES)
    if quoted := _QUOTED.fullmatch(text):
        text = quoted[1]
    return " ".join(text.split())


def _as_parsed(text: str) -> tuple[End | None, DateError | None]:
    try:
        return parse_end(text), None
    except DateError as error:
        return None, error


def _numeric(text: str, written: Date | None) -> Readings | None:
    """Read what is one number: 2001.0, 20010101, the number of a day."""
    text = _THOUSANDS.sub(r"\1\2", text) if _THOUSANDS.fullmatch(text) else text
    decimal = _DECIMAL.fullmatch(text)
    digits = decimal[1] if decimal else text
    if not digits.isdecimal() or not digits.isascii():
        return None
    whole = not decimal or not decimal[2].strip("0")
    if len(digits) == 5 and _FIRST_SERIAL <= int(digits) <= _LAST_SERIAL:
        return Readings(text, SERIAL, {SERIAL: Date.from_day(_EXCEL_DAY_0 + int(digits))})
    if not whole:
        return None
    if len(digits) == 6:
        dates = _six_digits(digits)
        return Readings(text, DIGITS, dates) if dates else None
    with suppress(DateError):
        if len(digits) == 8:
            day = Date.of(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
            return Readings(text, AS_WRITTEN, {"ymd": day}) if int(digits[:4]) else None
        if len(digits) <= 4:
            year = written or Date.parse(digits)
            return Readings(text, AS_WRITTEN, {AS_WRITTEN: year}, two_digits=len(digits) < 3)
    return None


def _six_digits(digits: str) -> dict[str, Date]:
    """Read 200310 or 311203, in all orders that are possible."""
    dates = {}
    for order, lengths in _DIGIT_ORDERS.items():
        with suppress(DateError):
            places = [sum(lengths[:number]) for number in range(len(lengths) + 1)]
            parts = {name: int(digits[places[at] : places[at + 1]]) for at, name in enumerate(order)}
            year = parts["y"] if order == "ym" else _full_year(parts["y"])
            if year >= _FIRST_OF_SIX:
                dates[order] = Date.of(year, parts["m"], parts.get("d"))
    return dates


def _two_years(text: str, years: re.Match[str]) -> Readings | Date:
    """Read 1990-1995 and 2012-13, which are no date, and 2010-11 and 2010/11, which may be two years or a month."""
    first, last = int(years[1]), years[2] or ""
    if not first or len(last) != 2 or not 1 <= int(last) <= 12:
        return Readings(text, PERIOD, {})
    month = Date.of(first, int(last))
    if len(text) == 7 and "-" in text and int(last) <= first % 100:
        return month
    return Readings(text, PERIOD, {"ym": month}, parts=(years[1], last))


def _part_of_year(part: re.Match[str]) -> Date:
    """Read "Q3 2018" or "2018 H1": exactly its days; for want of a precision it is written as the year it lies in."""
    year, months = int(part["year"] or part["first"]), 6 if part["half"] else 3
    last = months * int(part["half"] or part["quarter"])
    return Date(Date.of(year, last - months + 1).first, Date.of(year, last).last, Precision.YEAR)


def _vague(text: str) -> DateError | None:
    """Say how to write what is no date but nearly one: "c. 1890", "before 1900"."""
    if fiscal := _FISCAL.fullmatch(text):
        return DateError(
            f"{text!r} is a fiscal year, and begins where its company says. Write the month in which it began, such as "
            f"{fiscal[1] if len(fiscal[1]) == 4 else '20' + fiscal[1]}-10, or the year."
        )
    if _WEEK.fullmatch(text):
        return DateError(f"{text!r} is a week, not a date. Write its first day, such as 2005-03-07, or its month.")
    if len(two := _FROM_TO.split(text)) == 2 and all(any(map(str.isdigit, one)) for one in two):
        return DateError(f"{text!r} is two dates in one cell. Give start and end in columns of their own.")
    if near := _NEARLY.fullmatch(text):
        year = near[1] or near[2]
        return DateError(
            f"{text!r} is not a valid date: how sure a date is cannot be kept. Write {year} or {year[:3]}0s if that is "
            "near enough, else 'unknown'."
        )
    return None


def _full_year(short: int) -> int:
    return short + (2000 if short < _PIVOT else 1900)


def _in_parts(text: str, written: Date | None) -> Readings | None:
    """Read what has several parts, such as 23.12.2007, Feb-92 or 27. Januar 1994."""
    cut = _cut(text)
    if cut is None:
        return None
    shape, tokens, sign = cut
    two_digits = shape in _TWO_DIGITS
    if shape not in _ORDERS or (written is not None and not two_digits and shape not in _NUMERIC):
        return None
    dates, reasons = {}, dict[str, None]()
    for order in _ORDERS[shape]:
        with _noted(reasons):
            parts = dict(zip(order, tokens, strict=True))
            year = int(parts["y"])
            if len(parts["y"]) < 2 or not (year or two_digits):  # 1/1/1, and there is no year 0
                continue
            month = month_number(parts["m"]) or int(parts["m"])
            dates[order] = Date.of(
                _full_year(year) if two_digits else year, month, int(parts["d"]) if "d" in parts else None
            )
    if written is not None and two_digits:
        dates[AS_WRITTEN] = written
    if not dates:
        if unclear := DAY_AND_MONTH.fullmatch(text):
            because = f": {' and '.join(reasons)}" if reasons else ""
            raise DateError(f"{unclear[0]!r} is not a valid date{because}. Write the year first: 2011-03-20.")
        return None
    numbers = tuple(tokens) if all(token.isdecimal() for token in tokens) else ()
    may_be_day = shape == "m2" and 1 <= int(tokens[1]) <= 31 and not any(mark in text for mark in "-–/'’")
    return Readings(text, sign, dates, shape in _NUMERIC, two_digits, numbers, may_be_day)


@contextmanager
def _noted(reasons: dict[str, None]) -> Iterator[None]:
    """Note why an order is impossible."""
    try:
        yield
    except DateError as error:
        reasons[str(error).partition(": ")[2].removesuffix(".")] = None


def _cut(text: str) -> tuple[str, list[str], str] | None:
    """Return the shape of a text, its numbers and month, and the sign between them; None where it is no such date."""
    shape, sign, parts = "", "", list[str]()
    for token in _TOKEN.findall(text):
        if token.isdecimal() and token.isascii():
            shape += "2" if len(token) < 3 else str(len(token))
            parts.append(token)
        elif month_number(token):
            shape += "m"
            sign = WORD
            parts.append(token)
        elif token in _SIGNS:
            sign = sign or token.replace("–", "-")
        elif token.casefold() not in _FILLING:
            return None
    return shape, parts, sign or " "
