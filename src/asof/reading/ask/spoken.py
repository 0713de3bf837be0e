"""Names in the form in which they are compared: lower case, without accents and punctuation.

Names of a base are brought to the same form (``SPOKEN`` in SQL), so that "F.C." is "fc" and "O'Brien" is "obrien".
"""

from __future__ import annotations

import re
import unicodedata

from asof.facts.schema import FOLD_NAME

# The same rule as ``spoken``, for all names of a base at once.
SPOKEN = (
    "trim(regexp_replace(regexp_replace("
    + FOLD_NAME.format("{}")
    + r", '[.''’ʻʼ`´]', '', 'g'), '[^\p{{L}}\p{{N}}]+', ' ', 'g'))"
)
_DROPPED = re.compile(r"[.'’ʻʼ`´]")
_BREAK = re.compile(r"[\W_]+")


def spoken(name: str) -> str:
    """Bring a name into the form in which names are compared.

    >>> spoken("Manchester United F.C."), spoken("Élisabeth Borne"), spoken("Conan O'Brien"), spoken("Spider-Man")
    ('manchester united fc', 'elisabeth borne', 'conan obrien', 'spider man')
    """
    return _BREAK.sub(" ", _DROPPED.sub("", _folded(name))).strip()


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFD", text.lower())
    return unicodedata.normalize("NFC", "".join(letter for letter in plain if not unicodedata.combining(letter)))
