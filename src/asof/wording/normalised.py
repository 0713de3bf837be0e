"""Short texts as answers are compared: in words without case, accents and signs, or as SQuAD has them."""

import re
import string
import unicodedata
from functools import lru_cache

_ARTICLES = ("a", "an", "the")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SQUAD_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


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


@lru_cache(maxsize=1 << 18)  # names come up in every period
def plain(text: str) -> str:
    """Return a text in plain words, as answers are compared.

    >>> plain("The Juventus F.C.")
    'juventus f c'
    """
    return " ".join(without_articles(text))


def normalised(answer: str) -> str:
    """Return an answer as SQuAD compares it, and with it Chen et al. 2021: no case, no ASCII punctuation, no articles.

    >>> normalised("The Newton D . Baker House"), normalised(" ")
    ('newton d baker house', '')
    """
    return " ".join(_SQUAD_ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION)).split())
