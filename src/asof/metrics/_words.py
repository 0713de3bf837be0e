"""The words of a short text, as metrics compare them: no case, no accents, no signs."""

import re
import unicodedata

_ARTICLES = ("a", "an", "the")


def words(text: str) -> list[str]:
    """Return the words of a text.

    Tokenizers part "F.C." in different ways and some drop accents, so neither may make a difference.

    >>> words("São Paulo F.C."), words("sao paulo f. c .")
    (['sao', 'paulo', 'f', 'c'], ['sao', 'paulo', 'f', 'c'])
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    return re.findall(r"[^\W_]+", "".join(sign for sign in plain if not unicodedata.combining(sign)))


def without_articles(text: str) -> list[str]:
    """Return the words of a text but English articles, unless it has no others.

    >>> without_articles("The Labour Party"), without_articles("The The")
    (['labour', 'party'], ['the', 'the'])
    """
    found = words(text)
    return [word for word in found if word not in _ARTICLES] or found
