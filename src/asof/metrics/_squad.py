"""SQuAD's normalisation of answers, as Chen et al. 2021 use it: no case, no ASCII punctuation, no articles."""

import re
import string

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def normalised(answer: str) -> str:
    """Return an answer as SQuAD compares it.

    >>> normalised("The Newton D . Baker House"), normalised(" ")
    ('newton d baker house', '')
    """
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION)).split())
