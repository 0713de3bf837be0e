"""Openings of questions, as a kind writes them: "in? which/what year/years"."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from asof.reading.ask.words import ARTICLES


def openings(pattern: str) -> Iterator[tuple[str, ...]]:
    """Walk over the rows of words that a pattern stands for; articles are not among them.

    >>> sorted(openings("in? which/what year"))
    [('in', 'what', 'year'), ('in', 'which', 'year'), ('what', 'year'), ('which', 'year')]
    """
    positions = [
        [*(([""]) if part.endswith("?") else []), *part.removesuffix("?").split("/")]
        for part in pattern.split()
    ]  # fmt: skip
    for row in product(*positions):
        yield tuple(word for word in row if word and word not in ARTICLES)
