"""The dates of a table: each column has a format, which is found from the whole column when a cell needs it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from asof.timeline import Date, End, Precision
from asof.timeline.column_format import ColumnFormat, GivenFormat, said_order
from asof.timeline.readings import AS_WRITTEN, DIGITS, PERIOD, SERIAL, Readings, read_cell

_SHORTEST_YEAR = 300  # days; what has fewer is a quarter or a half
_SIGN_NAMES = {".": "dots", "/": "slashes", "-": "hyphens", " ": "spaces"}


@dataclass(eq=False)
class DateColumn:
    """Reads the cells of one column; looks at the whole of it only where a cell alone does not say what it means.

    Args:
        name: The name of the column in the table.
        formats: Finds the formats of all columns of dates of the table.
    """

    name: str
    formats: Callable[[], Mapping[str, ColumnFormat]]
    given: GivenFormat | None = None
    _parts: dict[str, Date] = field(default_factory=dict)  # quarters and halves of years
    _used: dict[str, tuple[str, Date]] = field(default_factory=dict)  # for each order a cell and what it was read as

    def __call__(self, text: str) -> End:
        """Read a cell."""
        cell = read_cell(text)
        if not isinstance(cell, Readings):
            if isinstance(cell, Date) and cell.precision is Precision.YEAR and cell.last - cell.first < _SHORTEST_YEAR:
                self._parts.setdefault(text, cell)
            return cell
        of_column = self.given or cell.two_digits or cell.sign in (SERIAL, DIGITS, PERIOD)
        if not of_column and (alone := cell.only) is not None:
            return alone
        date = self._format.choose(cell)
        chosen = next(name for name, meant in cell.dates.items() if meant == date)
        if len(set(cell.dates.values())) > 1 or cell.two_digits or cell.sign == SERIAL:
            self._used.setdefault(f"{cell.sign} {chosen} {cell.two_digits}", (text, date))
        return date

    @cached_property
    def _format(self) -> ColumnFormat:
        return replace(self.formats()[self.name], given=self.given)

    def assumed(self) -> list[str]:
        """Say what cells were taken for that could have meant something else."""
        parts = [
            f"{self.name}: a part of a year is kept as its days ({text!r} is {Date.from_day(date.first)} to "
            f"{Date.from_day(date.last)}), and written as the year, {date}"
            for text, date in list(self._parts.items())[:1]
        ]
        return parts + [
            f"{self.name}: {_reason(*key.rsplit(' ', 2))}, so {text!r} is {date}"
            for key, (text, date) in self._used.items()
            if not self.given
        ]


def _reason(sign: str, order: str, two_digits: str) -> str:
    if order == SERIAL:
        return "the days are numbers, as Excel counts them"
    if order == AS_WRITTEN:
        return "years before 1000 stand in this column" if two_digits == "True" else "numbers are years"
    if sign == DIGITS:
        return f"the order is {said_order(order)}"
    years = "two digits are years from 1930 to 2029"
    if sign not in _SIGN_NAMES or order not in ("dmy", "mdy", "ymd"):
        return years
    said = f"with {_SIGN_NAMES[sign]}, the order is {said_order(order)}"
    return f"{said}, and {years}" if two_digits == "True" else said
