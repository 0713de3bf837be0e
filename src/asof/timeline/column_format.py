"""How one column of dates is written: what its cells alone do not say, found from the column as a whole.

Which of day and month comes first is settled by cells that allow one order only, for each sign between the numbers by
itself: people who write 23.12.2007 and people who write 11/22/1963 may have filled the same column. A sign that says
nothing follows the others of its column, where they agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from asof.errors import DateError, UserError
from asof.timeline.date import MONTHS, Date
from asof.timeline.interval import End, Open
from asof.timeline.readings import AS_WRITTEN, SERIAL, WORD, Readings

_SAID = {"dmy": "day, month, year", "mdy": "month, day, year", "ymd": "year, month, day"}
_FIRST_YEAR = 1000  # before it, years are not written with four digits, and those with two are no short ones
_EXAMPLES = "'dd/mm/yyyy' or 'mm/dd/yyyy'"


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
        if order not in (*_SAID, "my", "ym", "y"):
            raise UserError(
                f"--date-format {text!r} is no order of day, month and year. Write {_EXAMPLES}, or as in '%d.%m.%Y'."
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
        if given and cell.numeric and given.order in _SAID:
            if given.order in cell.dates:
                return cell.dates[given.order]
            raise DateError(
                f"{cell.text!r} is not a valid date in the order {_SAID[given.order]} (--date-format {given.text})."
            )
        if SERIAL in cell.dates:
            return self._day_or_year(cell)
        if cell.only is not None:
            return cell.only
        order = self.orders.get(cell.sign) or (self._of_other_signs() if cell.numeric else WORD)
        if order == WORD:
            order = next(name for name in cell.dates if name != AS_WRITTEN)
        if order in cell.dates:
            return cell.dates[order]
        raise UnsettledDateError(self._why_not(cell))

    def following(self, others: Iterable[ColumnFormat]) -> ColumnFormat:
        """Return this format with what only the other columns of the table say, where they agree."""
        said: dict[str, set[str]] = {}
        for other in others:
            for sign, order in other.orders.items():
                if order in _SAID:
                    said.setdefault(sign, set()).add(order)
        agreed = {sign: min(orders) for sign, orders in said.items() if len(orders) == 1}
        own = {sign for sign in agreed if sign not in self.orders and not self._contradicts(sign)}
        orders = dict(self.orders) | {sign: agreed[sign] for sign in own if self._of_other_signs() is None}
        return ColumnFormat(orders, self.settled_by, self.given, self.column)

    def _day_or_year(self, cell: Readings) -> Date:
        order = self.orders.get(SERIAL, AS_WRITTEN)
        if order in cell.dates:
            return cell.dates[order]
        raise DateError(
            f"{cell.text!r} is not a valid date. It may be the number of a day, as Excel counts, but its column is not."
        )

    def _of_other_signs(self) -> str | None:
        orders = {order for order in self.orders.values() if order in _SAID}
        return orders.pop() if len(orders) == 1 else None

    def _contradicts(self, sign: str) -> bool:
        return len(self.settled_by.get(sign, ())) > 1

    def _why_not(self, cell: Readings) -> str:
        ways = " or ".join(f"{date.day} {MONTHS[date.month - 1]} {date.year}" for date in _distinct(cell))
        name = f" {self.column!r}" if self.column else ""
        why = f"no other cell of the column{name} settles it"
        if self._contradicts(cell.sign):
            why = f"the column{name} has both {' and '.join(map(repr, self.settled_by[cell.sign]))}"
        return f"{cell.text!r} can be read as {ways}, and {why}. Say which with --date-format {_EXAMPLES}."


@dataclass
class _Evidence:
    """What the cells of a column say about its order: for each sign the orders that all of them allow."""

    possible: dict[str, set[str]] = field(default_factory=dict)
    decisive: dict[str, dict[str, str]] = field(default_factory=dict)  # for each sign and order a cell that needs it
    ancient: bool = False
    serials: int = 0
    others: int = 0

    def add(self, cell: End | Readings) -> None:
        if isinstance(cell, Open):
            return
        if isinstance(cell, Date):
            self.others += 1
            self.ancient |= cell.year < _FIRST_YEAR
            return
        is_serial = SERIAL in cell.dates
        self.serials += is_serial
        self.others += not is_serial
        if not cell.numeric:
            return
        orders = set(cell.dates) & set(_SAID)
        self.possible[cell.sign] = self.possible.get(cell.sign, orders) & orders
        usual = orders - {"ymd"} or orders
        if len(usual) == 1:
            self.decisive.setdefault(cell.sign, {}).setdefault(min(usual), cell.text)

    def orders(self) -> dict[str, str]:
        """Return the order for each sign that has one."""
        settled = {WORD: AS_WRITTEN if self.ancient else WORD}
        if self.serials and not self.others:
            settled[SERIAL] = SERIAL
        for sign, orders in self.possible.items():
            usual = orders - {"ymd"} or orders
            if self.ancient and sign == "-":
                settled[sign] = AS_WRITTEN
            elif len(usual) == 1:
                settled[sign] = min(usual)
        return settled

    def examples(self) -> dict[str, tuple[str, ...]]:
        return {sign: tuple(cells.values())[:2] for sign, cells in self.decisive.items()}


def said_order(order: str) -> str:
    """Say an order in words.

    >>> said_order("dmy")
    'day, month, year'
    """
    return _SAID[order]


def _distinct(cell: Readings) -> list[Date]:
    return list(dict.fromkeys(date for name, date in cell.dates.items() if name != AS_WRITTEN))
