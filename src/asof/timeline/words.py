"""Dates in words: "In 2011", "On March 21, 1983", "In 44 BCE"; English and French.

A date before Christ always says so; ``asof.timeline.parse`` reads all of these back.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from asof.errors import UserError
from asof.timeline.calendar import calendar_day
from asof.timeline.date import MONTHS, Date, Precision, ordinal
from asof.timeline.days import Days
from asof.timeline.period import Granularity, Period


@dataclass(frozen=True, kw_only=True)
class Language:
    """How a language writes a date. In the patterns {era} is empty or " BCE"."""

    months: tuple[str, ...]
    era_before_christ: str
    day: str
    month: str = "{month} {year}{era}"
    year: str = "{year}{era}"
    quarter: str
    quarters: tuple[str, str, str, str]
    decade: str
    century: str
    millennium: str
    prepositions: Mapping[Precision, str]
    quarter_preposition: str
    number: Callable[[int], str]  # the ordinal number of a century or millennium
    day_number: Callable[[int], str] = str


def _roman(number: int) -> str:
    text = ""
    for value, letters in ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        text += letters * (number // value)
        number %= value
    return text


def _french_ordinal(number: int) -> str:
    return _roman(number) + ("er" if number == 1 else "e")


def _everywhere(word: str, *, day: str, decade: str, century: str) -> dict[Precision, str]:
    return {
        Precision.DAY: day,
        Precision.MONTH: word,
        Precision.YEAR: word,
        Precision.DECADE: decade,
        Precision.CENTURY: century,
        Precision.MILLENNIUM: century,
    }


LANGUAGES: Mapping[str, Language] = {
    "en": Language(
        months=MONTHS,
        era_before_christ=" BCE",
        day="{month} {day}, {year}{era}",
        quarter="the {number} quarter of {year}{era}",
        quarters=("first", "second", "third", "fourth"),
        decade="the {year}s{era}",
        century="the {number} century{era}",
        millennium="the {number} millennium{era}",
        prepositions=_everywhere("in", day="on", decade="in", century="in"),
        quarter_preposition="in",
        number=ordinal,
    ),
    "fr": Language(
        months=(
            "janvier", "février", "mars", "avril", "mai", "juin",
            "juillet", "août", "septembre", "octobre", "novembre", "décembre",
        ),
        era_before_christ=" av. J.-C.",
        day="{day} {month} {year}{era}",
        quarter="{number} trimestre {year}{era}",
        quarters=("1er", "2e", "3e", "4e"),
        decade="années {year}{era}",
        century="{number} siècle{era}",
        millennium="{number} millénaire{era}",
        prepositions=_everywhere("en", day="le", decade="dans les", century="au"),
        quarter_preposition="au",
        number=_french_ordinal,
        day_number=lambda day: "1er" if day == 1 else str(day),
    ),
}  # fmt: skip


def in_words(date: Date | Period | Days, language: str = "en") -> str:
    """Write a date in words.

    >>> in_words(Date.parse("1983-03-21")), in_words(Date.parse("-0044-03")), in_words(Period.parse("2021-Q3"))
    ('March 21, 1983', 'March 44 BCE', 'the third quarter of 2021')
    >>> in_words(Date.parse("1983-03-01"), "fr"), in_words(Date.century(19), "fr")
    ('1er mars 1983', 'XIXe siècle')
    """
    speech = language_of(language)
    if isinstance(date, Days):
        return str(date)
    year, month, day = calendar_day(date.first)
    shown, number = (year if year > 0 else 1 - year), ""
    if isinstance(date, Period):
        pattern = {Granularity.QUARTER: speech.quarter, Granularity.MONTH: speech.month}.get(
            date.granularity, speech.year
        )
        number = speech.quarters[(month - 1) // 3]
    elif date.precision >= Precision.YEAR:
        pattern = {Precision.DAY: speech.day, Precision.MONTH: speech.month}.get(date.precision, speech.year)
    elif date.shares_digits:
        return str(date)
    elif date.precision is Precision.DECADE:
        pattern, shown = speech.decade, date.farthest_year // 10 * 10
    else:
        pattern = speech.century if date.precision is Precision.CENTURY else speech.millennium
        number = speech.number(date.ordinal)
    return pattern.format(
        year=shown,
        month=speech.months[month - 1],
        day=speech.day_number(day),
        number=number,
        era="" if year > 0 else speech.era_before_christ,
    )


def when(date: Date | Period, language: str = "en") -> str:
    """Write a date as the beginning of a sentence.

    >>> when(Date.parse("2011")), when(Date.parse("1759-05")), when(Date.parse("1983-03-21")), when(Date.parse("44 BC"))
    ('In 2011', 'In May 1759', 'On March 21, 1983', 'In 44 BCE')
    >>> when(Date.parse("1983-03-21"), "fr"), when(Date.decade(1990), "fr")
    ('Le 21 mars 1983', 'Dans les années 1990')
    """
    phrase = at(date, language)
    return phrase[0].upper() + phrase[1:]


def at(date: Date | Period, language: str = "en") -> str:
    """Write a date as it stands inside a sentence.

    >>> at(Date.parse("2011")), at(Date.parse("1983-03-21"))
    ('in 2011', 'on March 21, 1983')
    """
    speech = language_of(language)
    if isinstance(date, Period):
        quarter = date.granularity is Granularity.QUARTER
        preposition = speech.quarter_preposition if quarter else speech.prepositions[Precision.YEAR]
    else:
        preposition = speech.prepositions[date.precision]
    return f"{preposition} {in_words(date, language)}"


def language_of(language: str) -> Language:
    """Return how a language writes dates, or say which languages there are."""
    if language not in LANGUAGES:
        raise UserError(f"asof has no words for dates in {language!r}. Known: {', '.join(LANGUAGES)}.")
    return LANGUAGES[language]
