"""What one cell of a table may mean as a date: "23.12.2007" one day, "03/04/2011" two, "Feb 92" 1992 or the year 92.

A cell is cut into numbers, names of months and signs. Their shape says in which orders day, month and year may stand;
which of them is meant is for its column to say (``column_format``). All that ``parse_end`` reads is read here, too.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from asof.errors import DateError
from asof.timeline.date import Date
from asof.timeline.interval import End, Open
from asof.timeline.month_names import month_number
from asof.timeline.parse import DAY_AND_MONTH, parse_end

AS_WRITTEN = "as written"  # a year of two digits is one of the first century, five digits are a year
SERIAL = "serial"  # the number of a day, as Excel counts
WORD = "word"  # the sign of a date with the name of a month

_OPEN_WORDS = {
    Open.ONGOING: (
        "ongoing", "present", "the present", "at present", "to present", "to the present", "today", "now", "until now",
        "till now", "till date", "to date", "current", "currently", "still", "heute", "bis heute", "laufend", "aktuell",
        "aujourd'hui", "en cours", "à ce jour", "présent", "actuel", "hoy", "actual", "actualidad", "presente", "oggi",
        "in corso", "heden", "hoje", "atual",
    ),
    Open.UNKNOWN: ("unknown", "?", "??", "unbekannt", "inconnu", "inconnue", "desconocido", "sconosciuto", "onbekend"),
    Open.NOT_STATED: (
        "", "not stated", "null", "(null)", "<null>", "none", "nil", "n/a", "#n/a", "na", "<na>", "n.a.", "n. a.",
        "nat", "nan", "\\n", "-", "--", "---", "–", "—", "k.a.", "k. a.", "keine angabe", "s.d.", "s/d",
    ),
}  # fmt: skip
_OPEN = {word: end for end, words in _OPEN_WORDS.items() for word in words}
_NO_END = 9999  # the year that databases write for "no end"

# Which orders of day, month and year a shape may have: a number by its digits, a month in words as m.
_ORDERS = {
    "224": ("dmy", "mdy"), "222": ("dmy", "mdy", "ymd"), "422": ("ymd",),
    "2m4": ("dmy",), "2m2": ("dmy",), "m24": ("mdy",), "m22": ("mdy",), "4m2": ("ymd",),
    "24": ("my",), "m4": ("my",), "m2": ("my",), "4m": ("ym",),
}  # fmt: skip
_TWO_DIGITS = frozenset(shape for shape in _ORDERS if "4" not in shape)
_NUMERIC = frozenset(("224", "222"))
_PIVOT = 30  # 00 to 29 are 2000 to 2029, 30 to 99 are 1930 to 1999: the rule of Excel and LibreOffice

_EXCEL_DAY_0 = Date.of(1899, 12, 30).first  # so that what Excel counts after its 29 February 1900 is right
_FIRST_SERIAL, _LAST_SERIAL = 10_000, 73_415  # 1927 to 2100: five digits, which years have not

_TIME = re.compile(
    r"(?:T|,?\s+)[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:\s*[ap]\.?m\.?)?\s*(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"([0-9]{4,8})[.,]([0-9]+)")  # 2001.0: a year of a column that has gaps
_TOKEN = re.compile(r"[0-9]+|[^\W\d_]+|[^\w\s]|_")
_FILLING = frozenset(
    ("the", "of", "on", "in", "de", "del", "den", "der", "le", "du", "am", "im", "st", "nd", "rd", "th", "er")
)
_SIGNS = frozenset("./-,'’")


@dataclass(frozen=True, slots=True)
class Readings:
    """What a cell may mean: for each order of day, month and year the date, and the sign between the numbers."""

    text: str
    sign: str
    dates: dict[str, Date]
    numeric: bool = False  # whether it is of numbers with the year last, so that its order tells about its column
    two_digits: bool = False  # whether the year has only two

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
    ['2009-07-06', '40000']
    """
    stripped = " ".join(text.split())
    if (word := stripped.casefold().replace("’", "'")) in _OPEN:
        return _OPEN[word]
    written, failed = _as_parsed(stripped)
    plain = stripped
    if written is None and (time := _TIME.search(stripped)) and time.end() == len(stripped):
        plain = stripped[: time.start()]
        written, failed = _as_parsed(plain)
    if isinstance(written, Date) and written.year == _NO_END:
        return Open.ONGOING
    if isinstance(written, Open):
        return written
    found = _numeric(plain, written) or _in_parts(plain, written)
    if found is None:
        if written is not None:
            return written
        raise failed or DateError(f"{text!r} is not a valid date.")
    alone = found.only
    if alone is not None and alone.year == _NO_END:
        return Open.ONGOING
    doubtful = found.numeric or found.two_digits or SERIAL in found.dates
    return found if alone is None or doubtful else alone


def _as_parsed(text: str) -> tuple[End | None, DateError | None]:
    try:
        return parse_end(text), None
    except DateError as error:
        return None, error


def _numeric(text: str, written: Date | None) -> Readings | None:
    """Read what is one number: 2001.0, 20010101, the number of a day."""
    decimal = _DECIMAL.fullmatch(text)
    digits = decimal[1] if decimal else text
    if not digits.isdecimal() or not digits.isascii():
        return None
    whole = not decimal or not decimal[2].strip("0")
    dates: dict[str, Date] = {}
    if len(digits) == 5 and _FIRST_SERIAL <= int(digits) <= _LAST_SERIAL:
        dates[SERIAL] = Date.from_day(_EXCEL_DAY_0 + int(digits))
    with suppress(DateError):
        if whole and len(digits) == 8:
            dates["ymd"] = Date.of(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
        elif whole:
            dates[AS_WRITTEN] = written or Date.parse(digits)
    return Readings(text, SERIAL, dates) if dates else None


def _in_parts(text: str, written: Date | None) -> Readings | None:
    """Read what has several parts, such as 23.12.2007, Feb-92 or 27. Januar 1994."""
    cut = _cut(text)
    if cut is None:
        return None
    shape, numbers, sign = cut
    two_digits = shape in _TWO_DIGITS
    if shape not in _ORDERS or (written is not None and not two_digits and shape not in _NUMERIC):
        return None
    dates = {}
    for order in _ORDERS[shape]:
        with suppress(DateError):
            parts = dict(zip(order, numbers, strict=True))
            year = parts["y"] + (0 if not two_digits else 2000 if parts["y"] < _PIVOT else 1900)
            dates[order] = Date.of(year, parts["m"], parts.get("d"))
    if written is not None and two_digits:
        dates[AS_WRITTEN] = written
    if not dates:
        if unclear := DAY_AND_MONTH.fullmatch(text):
            raise DateError(f"{unclear[0]!r} is not a valid date. Write the year first: 2011-03-20.")
        return None
    return Readings(text, sign, dates, shape in _NUMERIC, two_digits)


def _cut(text: str) -> tuple[str, list[int], str] | None:
    """Return the shape of a text, its numbers and the sign between them; None where it is no date in parts."""
    shape, sign, numbers = "", "", list[int]()
    for token in _TOKEN.findall(text):
        if token.isdecimal():
            shape += "2" if len(token) < 3 else str(len(token))
            numbers.append(int(token))
        elif month := month_number(token):
            shape += "m"
            sign = WORD
            numbers.append(month)
        elif token in _SIGNS:
            sign = sign or token
        elif token.casefold() not in _FILLING:
            return None
    return shape, numbers, sign or " "
