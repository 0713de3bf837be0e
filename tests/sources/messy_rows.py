"""300 rows as people fill them in over the years: in each column of dates several habits, and what each row means."""

import random
from collections.abc import Callable
from datetime import date, timedelta

_EN = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DE = (
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
)
_PEOPLE = (
    "Mehmet Aydın",
    "Lucía Ortega",
    "Søren Holm",
    "Nguyễn Thị Hoa",
    "Oksana Bondar",
    "Kwame Mensah",
    "Chloé Lefèvre",
)
_PLACES = ("Riverside Clinic", "Institut für Physik", "Teatro Sur", "Harbour Board", "FC Nordstern", "Cloud Team")
_ROLES = ("Head of Department", "Deputy", "Treasurer")

# How a day is written, and how much of it that says: the day, the month or the year.
_WAYS: tuple[tuple[Callable[[date], str], str], ...] = (
    (lambda day: day.isoformat(), "day"),
    (lambda day: f"{day.isoformat()}T00:00:00", "day"),
    (lambda day: f"{day.isoformat()} 00:00:00", "day"),
    (lambda day: f"{day.day:02}.{day.month:02}.{day.year}", "day"),
    (lambda day: f"{day.month}/{day.day}/{day.year}", "day"),
    (lambda day: f"{day.year}{day.month:02}{day.day:02}", "day"),
    (lambda day: f"{day.day}. {_DE[day.month - 1]} {day.year}", "day"),
    (lambda day: f"{day.day}-{_EN[day.month - 1]}-{day.year % 100:02}", "day"),
    (lambda day: f"{_EN[day.month - 1]}-{day.year % 100:02}", "month"),
    (lambda day: f"{_EN[day.month - 1]} {day.year}", "month"),
    (lambda day: f"{day.month:02}/{day.year}", "month"),
    (lambda day: f"{day.year}.0", "year"),
    (lambda day: str(day.year), "year"),
)
_CUT = {"day": 10, "month": 7, "year": 4}
_NO_END = {
    "present": "ongoing",
    "to date": "ongoing",
    "9999-12-31": "ongoing",
    "12/31/9999": "ongoing",
    "heute": "ongoing",
}
_NOTHING = {"NULL": "not stated", "n/a": "not stated", "NaT": "not stated", "-": "not stated", "": "not stated"}
_HOPELESS = ("soon", "31.02.2007", "before the move", "2011/12")

Row = tuple[str, str, str, str, str]


def messy_rows(*, rows: int = 300, hopeless: int = 9, seed: int = 11) -> tuple[list[Row], dict[int, Row]]:
    """Return rows as they stand in the file, and of all but the hopeless ones what each means, by its number."""
    chance = random.Random(seed)
    spoilt = set(chance.sample(range(rows), hopeless))
    written, meant = [], dict[int, Row]()
    for number in range(rows):
        start = date(1965, 1, 1) + timedelta(days=chance.randrange(16_000))
        end = start + timedelta(days=chance.randrange(800, 5_000))
        role = chance.choice(_ROLES)
        person = f"{chance.choice(_PEOPLE)} {number // 3}"
        said = (person, chance.choice((role, role, f"{role} ", role.lower())), chance.choice(_PLACES))
        first = _written(start, chance)
        last = _written(end, chance) if chance.random() < 0.7 else chance.choice(list((_NO_END | _NOTHING).items()))
        if number in spoilt:
            first = (chance.choice(_HOPELESS), "")
        else:
            meant[number] = (said[0], role.lower(), said[2], first[1], last[1])
        written.append((*said, first[0], last[0]))
    return written, meant


def _written(day: date, chance: random.Random) -> tuple[str, str]:
    write, precision = chance.choice(_WAYS)
    return write(day), day.isoformat()[: _CUT[precision]]
