"""The names of months in the languages of tables, whole or cut short, with or without accents."""

import unicodedata

from asof.timeline.words import LANGUAGES

_LEAST = 3  # letters of a month that is cut short
_NAMES = (
    *(" ".join(language.months) for language in LANGUAGES.values()),
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
)
_ODD = {"janner": 1, "jan": 1, "mrz": 3, "maerz": 3, "sept": 9}  # what is no beginning of a name above


def month_number(word: str) -> int | None:
    """Return the month that a word means.

    >>> [month_number(word) for word in ("Feb", "März", "DÉC", "enero", "jui", "month")]
    [2, 3, 12, 1, None, None]
    """
    return _NUMBERS.get(_plain(word))


def _plain(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def _numbers() -> dict[str, int]:
    meant: dict[str, set[int]] = {}
    for names in _NAMES:
        for number, name in enumerate(_plain(names).split(), start=1):
            for length in range(_LEAST, len(name) + 1):
                meant.setdefault(name[:length], set()).add(number)
    return {name: min(numbers) for name, numbers in meant.items() if len(numbers) == 1} | _ODD


_NUMBERS = _numbers()
