"""How one column of dates is written: what its cells alone do not say, found from the column as a whole.

Which of day and month comes first is settled by cells that allow one order only, for each sign between the numbers by
itself: people who write 23.12.2007 and people who write 11/22/1963 may have filled the same column. A sign that says
nothing follows the others of its column, where they agree. What a cell allows is told by the sizes of its numbers, not
by the calendar: 31.04.03 is a day that is not there, and no reason to read the rest of its column year first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from asof.errors import DateError, UserError
from asof.timeline.date import MONTHS, Date, Precision
from asof.timeline.interval import End, Open
from asof.timeline.readings import AS_WRITTEN, DIGITS, PERIOD, SERIAL, WORD, Readings

_SAID = {"dmy": "day, month, year", "mdy": "month, day, year", "ymd": "year, month, day"}
_FIRST_MODERN = 1900
_UNSURE = "unsure"  # what short years are
_OF_TWO = {"my": "month, year", "ym": "year, month", "y": "year"}
_FIRST_YEAR = 1000  # before it, years are not written with four digits, and those with two are no short ones
_EXAMPLES = "'dd/mm/yyyy' or 'mm/dd/yyyy'"
_YEAR_LAST = "./"  # with these, short years come last unless a number says otherwise
_SEASONS = 3  # so many 2008-09, 2009-10, 2010-11 are seasons, where no cell is a month


class UnsettledDateError(DateError):
    """A date that may be read in several ways, where its column does not say which."""


@dataclass(frozen=True, slots=True)
class GivenFormat:
    """What somebody said about the dates of a table.

    >>> GivenFormat.parse("%d.%m.%y").order, GivenFormat.parse("MM/DD/YYYY").order
    ('dmy', 'mdy')
    """

    text: str
    order: str
    whole_years: bool  # two digits are then a year of the first century

    @classmethod
    def parse(cls, text: str) -> GivenFormat:
        """Read a format as strptime has it (%d/%m/%Y), as spreadsheets have it (dd.mm.yyyy), or an order (dmy)."""
        plain = text.replace("%Y", "yyyy").replace("%B", "m").replace("%b", "m")
        letters = re.sub("jj+|aa+", lambda years: "y" * len(years[0]), plain.casefold()).replace("t", "d")
        order = "".join(dict.fromkeys(letter for letter in letters if letter in "dmy"))
        if order not in (*_SAID, *_OF_TWO):
            raise UserError(
                f"--date-format {text!r} is not an order of day, month and year. Write {_EXAMPLES}, or as in "
                "'%d.%m.%Y'."
            )
        return cls(text, order, "yyyy" in letters)


@dataclass(frozen=True)
class ColumnFormat:
    """How the dates of a column are read.

    >>> from asof.timeline.readings import read_cell
    >>> column = ColumnFormat.found_in(map(read_cell, ["03/04/2011", "23/12/2007", "1999"]))
    >>> str(column.choose(read_cell("03/04/2011")))
    '2011-04-03'
    """

    orders: Mapping[str, str] = field(default_factory=dict)  # for each sign
    settled_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # for each sign: cells; two contradict
    given: GivenFormat | None = None
    column: str = ""

    @classmethod
    def found_in(cls, cells: Iterable[End | Readings], *, column: str = "") -> ColumnFormat:
        """Find the format of a column from all of its cells."""
        evidence = _Evidence()
        for cell in cells:
            evidence.add(cell)
        return cls(evidence.orders(), evidence.examples(), column=column)

    def choose(self, cell: Readings) -> Date:
        """Return what a cell means in this column, or say why nobody can tell."""
        given = self.given
        if given and given.whole_years and cell.two_digits and AS_WRITTEN in cell.dates:
            return cell.dates[AS_WRITTEN]
        if given and (given.order in cell.dates or cell.numeric):
            return self._as_given(cell, given)
        if cell.sign in _OF_COLUMN:
            return _OF_COLUMN[cell.sign](self, cell)
        if cell.two_digits and len(cell.parts) == 2:
            raise UnsettledDateError(
                f"{cell.text!r} may be a day without a year, or a month of a short year. Say with --date-format mm/yy "
                "that it is a month, or write the year in full."
            )
        if cell.two_digits and not cell.numeric and self.orders.get(WORD) != AS_WRITTEN:
            self._see_that_its_year_is_clear(cell)
        allowed = _orders_of(cell.parts) if cell.numeric else frozenset()
        if cell.only is not None and len(allowed) < 2:
            return cell.only
        order = self.orders.get(cell.sign) or (self._of_other_signs() if cell.numeric else WORD)
        if order == WORD:
            order = next(name for name in cell.dates if name != AS_WRITTEN)
        if order in cell.dates:
            return cell.dates[order]
        if cell.numeric and order in _SAID:
            raise DateError(f"{cell.text!r} is not a valid date in the order {_SAID[order]}, as its column has it.")
        raise UnsettledDateError(self._why_not(cell))

    def following(self, others: Iterable[ColumnFormat]) -> ColumnFormat:
        """Return this format with what only the other columns of the table say, where they agree."""
        said: dict[str, set[str]] = {}
        settled_by = dict(self.settled_by)
        for other in others:
            if PERIOD in other.settled_by:  # where the end is 2012-13, the start 2010-11 is no month
                settled_by.setdefault(PERIOD, other.settled_by[PERIOD])
            for sign, order in other.orders.items():
                if order in _SAID or sign == DIGITS:
                    said.setdefault(sign, set()).add(order)
        agreed = {sign: min(orders) for sign, orders in said.items() if len(orders) == 1}
        own = {sign for sign in agreed if sign not in self.orders and not self._contradicts(sign)}
        orders = dict(self.orders) | {
            sign: agreed[sign] for sign in own if sign == DIGITS or self._of_other_signs() is None
        }
        return ColumnFormat(orders, settled_by, self.given, self.column)

    def _as_given(self, cell: Readings, given: GivenFormat) -> Date:
        if given.order in cell.dates:
            return cell.dates[given.order]
        raise DateError(
            f"{cell.text!r} is not a valid date in the order {said_order(given.order)} (--date-format {given.text})."
        )

    def _see_that_its_year_is_clear(self, cell: Readings) -> None:
        """Refuse "92", "May 5", "Jan 29", and any short year where some years are before 1000, but most are not."""
        short = [date for name, date in cell.dates.items() if name != AS_WRITTEN]
        if short and self.orders.get(WORD) != _UNSURE and (not cell.may_be_day or WORD in self.settled_by):
            return
        ways = [f"the year {cell.dates[AS_WRITTEN].year}"] if AS_WRITTEN in cell.dates else []
        ways += [f"{MONTHS[date.month - 1]} {date.year}" for date in short]
        ways += (
            ["a short year" if cell.text.isdecimal() else "a day without a year"]
            if not short or cell.may_be_day
            else []
        )
        raise UnsettledDateError(
            f"{cell.text!r} may be {' or '.join(ways)}, and no other cell of the column{self._named} settles it. Write "
            "the year in full."
        )

    def _day_number(self, cell: Readings) -> Date:
        if SERIAL in self.orders:
            return cell.dates[SERIAL]
        raise DateError(
            f"{cell.text!r} is not a valid date. As Excel counts days it would be {cell.dates[SERIAL]}, but the column"
            f"{self._named} has dates of other forms. Write them all in one form."
        )

    def _six_digits(self, cell: Readings) -> Date:
        if (order := self.orders.get(DIGITS)) in cell.dates:
            return cell.dates[order]
        ways = " or ".join(map(str, dict.fromkeys(cell.dates.values())))
        raise UnsettledDateError(f"{cell.text!r} may be {ways}. Say which with --date-format yyyymm, yymmdd or ddmmyy.")

    def _month_or_years(self, cell: Readings) -> Date:
        if not cell.dates:
            raise DateError(
                f"{cell.text!r} is a period of years, not a date. Give its first and its last year in columns of their "
                "own."
            )
        month = cell.dates["ym"]
        if PERIOD not in self.settled_by and "-" in cell.text:
            return month
        like = f", as {self.settled_by[PERIOD][0]!r} in the column{self._named}" if PERIOD in self.settled_by else ""
        raise UnsettledDateError(
            f"{cell.text!r} may be {MONTHS[month.month - 1]} {month.year} or a period of years{like}. Say with "
            "--date-format yyyy-mm that it is a month; or give the first and the last year in columns of their own."
        )

    @property
    def _named(self) -> str:
        return f" {self.column!r}" if self.column else ""

    def _of_other_signs(self) -> str | None:
        orders = {order for order in self.orders.values() if order in _SAID}
        return orders.pop() if len(orders) == 1 else None

    def _contradicts(self, sign: str) -> bool:
        return len(self.settled_by.get(sign, ())) > 1

    def _why_not(self, cell: Readings) -> str:
        ways = " or ".join(f"{date.day} {MONTHS[date.month - 1]} {date.year}" for date in _distinct(cell))
        why = f"no other cell of the column{self._named} settles it"
        if self._contradicts(cell.sign):
            why = f"the column{self._named} has both {' and '.join(map(repr, self.settled_by[cell.sign]))}"
        return f"{cell.text!r} can be read as {ways}, and {why}. Say which with --date-format {_EXAMPLES}."


_OF_COLUMN = {
    SERIAL: ColumnFormat._day_number,
    DIGITS: ColumnFormat._six_digits,
    PERIOD: ColumnFormat._month_or_years,
}


@dataclass
class _Evidence:
    """What the cells of a column say about its order: for each sign the orders that all of them allow."""

    possible: dict[str, set[str]] = field(default_factory=dict)
    hinted: dict[str, set[str]] = field(default_factory=dict)  # for each sign the orders that two digits make unlikely
    decisive: dict[str, dict[str, str]] = field(default_factory=dict)  # for each sign and order a cell that needs it
    ancient: int = 0
    modern: int = 0
    serials: int = 0
    others: int = 0
    months: int = 0
    seasons: list[str] = field(default_factory=list)

    def add(self, cell: End | Readings) -> None:
        if isinstance(cell, Open):
            return
        if isinstance(cell, Date):
            self.others += 1
            self.months += cell.precision == Precision.MONTH
            self.ancient += cell.year < _FIRST_YEAR
            self.modern += cell.year >= _FIRST_MODERN
            return
        self.serials += cell.sign == SERIAL
        self.others += cell.sign != SERIAL
        if cell.sign == PERIOD:
            self._add_period(cell)
        elif cell.sign == DIGITS:
            self.possible[DIGITS] = self.possible.get(DIGITS, set(cell.dates)) & set(cell.dates)
        elif cell.sign == WORD and cell.two_digits and not cell.may_be_day:
            self.decisive.setdefault(WORD, {})[WORD] = cell.text
        elif cell.numeric:
            self._add_numbers(cell)

    def _add_period(self, cell: Readings) -> None:
        if not cell.dates:
            self.decisive.setdefault(PERIOD, {})[PERIOD] = cell.text
        elif (int(cell.parts[0]) + 1) % 100 == int(cell.parts[1]):
            self.seasons.append(cell.text)
        else:
            self.months += 1

    def _add_numbers(self, cell: Readings) -> None:
        orders = _orders_of(cell.parts)
        self.possible[cell.sign] = set(self.possible.get(cell.sign, orders) & orders)
        self.hinted.setdefault(cell.sign, set()).update(_unlikely(cell.parts))
        if len(usual := orders - {"ymd"} or orders) == 1:
            self.decisive.setdefault(cell.sign, {}).setdefault(min(usual), cell.text)

    def orders(self) -> dict[str, str]:
        """Return the order for each sign that has one."""
        ancient = self.ancient >= max(1, self.modern)  # one 0203 for 2003 makes no column ancient, but doubtful
        settled = {WORD: AS_WRITTEN if ancient else _UNSURE if self.ancient else WORD}
        if self.serials and not self.others:
            settled[SERIAL] = SERIAL
        for sign, orders in self.possible.items():
            left = orders - self.hinted.get(sign, set()) or orders
            left = left - {"ymd"} or left if sign in _YEAR_LAST else left
            if ancient and sign == "-":
                settled[sign] = AS_WRITTEN
            elif len(left) == 1:
                settled[sign] = min(left)
        return settled

    def examples(self) -> dict[str, tuple[str, ...]]:
        found = {sign: tuple(cells.values())[:2] for sign, cells in self.decisive.items()}
        if len(self.seasons) >= _SEASONS and not self.months:
            found.setdefault(PERIOD, (self.seasons[0],))
        return found


@lru_cache(maxsize=100_000)
def _orders_of(parts: tuple[str, ...]) -> frozenset[str]:
    """Return the orders that the sizes of three numbers allow; a year has four digits or two.

    >>> [sorted(_orders_of(parts)) for parts in (("31", "04", "03"), ("4", "31", "2003"), ("99", "12", "31"))]
    [['dmy', 'ymd'], ['mdy'], ['ymd']]
    """
    sizes = [int(part) for part in parts]

    def fits(order: str) -> bool:
        year, month, day = (order.index(letter) for letter in "ymd")
        return len(parts[year]) > 1 and 1 <= sizes[month] <= 12 and 1 <= sizes[day] <= 31

    return frozenset(order for order in _SAID if fits(order) and not (order == "ymd" and len(parts[2]) > 2))


def _unlikely(parts: tuple[str, ...]) -> set[str]:
    """Return the orders that would make a number a year that is far from those around now: 30 and 31 are days."""
    unlikely = {"ymd"} if parts[0] in ("30", "31") else set[str]()
    return unlikely | ({"dmy", "mdy"} if parts[2] in ("30", "31") else set())


def said_order(order: str) -> str:
    """Say an order in words.

    >>> said_order("dmy")
    'day, month, year'
    """
    return (_SAID | _OF_TWO)[order]


def _distinct(cell: Readings) -> list[Date]:
    return list(dict.fromkeys(date for name, date in cell.dates.items() if name != AS_WRITTEN))
