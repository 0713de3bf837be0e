"""A search for several tokens from left to right, whatever kind of model is asked: greedy, beam or drawn at random.

The model is asked for the likeliest next tokens of many beginnings at a time, each different one once. Draws depend on
the seed and the text only, not on the neighbours, so that a run that was stopped goes on to the same end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random
from typing import NamedTuple

from asof.models._blank import Filling, Search


class Path(NamedTuple):
    """Tokens that were chosen, and their log-probabilities."""

    tokens: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()

    @property
    def total(self) -> float:
        """The log-probability of all of them."""
        return sum(self.logprobs)

    def then(self, token: int, logprob: float) -> Path:
        """Go on by a token."""
        return Path((*self.tokens, token), (*self.logprobs, logprob))


class Beginning(NamedTuple):
    """Tokens that were chosen so far for one of several texts."""

    text: int
    tokens: tuple[int, ...]


Next = list[tuple[int, float]]  # tokens with their log-probabilities, the likeliest first
Likeliest = Callable[[Sequence[Beginning], int], list[Next]]


def fillings(
    blanks: int,
    best: Sequence[tuple[int, Path]],
    ends: Sequence[float | None],
    said: Callable[[Sequence[int]], str],
) -> list[list[Filling]]:
    """Put the best path of each length to its blank, in the order in which they come.

    Args:
        best: The number of a blank, and a path for it.
        ends: How likely each ends there.
        said: Writes tokens as text.
    """
    found: list[list[Filling]] = [[] for _ in range(blanks)]
    for (index, path), end in zip(best, ends, strict=True):
        found[index].append(Filling(said(path.tokens), path.logprobs, end))
    return found


def paths(names: Sequence[str], length: int, search: Search, likeliest: Likeliest) -> list[list[list[Path]]]:
    """Return for each text and each number of tokens up to a length the paths that a search found, the best first.

    Args:
        names: Texts by which draws differ.
        likeliest: Gives for each beginning so many of its likeliest next tokens.

    >>> toss = lambda begun, most: [[(0, -0.5), (1, -1.0)][:most] for _ in begun]
    >>> [best[0].tokens for best in paths(["a coin"], 2, Search(), toss)[0]]
    [(0,), (0, 0)]
    >>> [path.tokens for path in paths(["a coin"], 2, Search(way="beam", width=3), toss)[0][1]]
    [(0, 0), (0, 1), (1, 0)]
    """
    alive = [[Path()] * (search.width if search.way == "sample" else 1) for _ in names]
    draws = [Random(f"{search.seed} {length} {name}") for name in names]
    most = {"greedy": 1, "beam": search.width, "sample": search.among}[search.way]
    found: list[list[list[Path]]] = [[] for _ in names]
    for _ in range(length):
        begun = dict.fromkeys(Beginning(text, path.tokens) for text, some in enumerate(alive) for path in some)
        answers = dict(zip(begun, likeliest(list(begun), most), strict=True))
        for text, some in enumerate(alive):
            following = [answers[Beginning(text, path.tokens)] for path in some]
            if search.way == "sample":
                grown = [
                    path.then(*_drawn(after, search.temperature, draws[text]))
                    for path, after in zip(some, following, strict=True)
                ]
            else:
                every = [path.then(*one) for path, after in zip(some, following, strict=True) for one in after]
                grown = sorted(every, key=_best_first)[: search.width if search.way == "beam" else 1]
            alive[text] = grown
            found[text].append(sorted(dict.fromkeys(grown), key=_best_first))
    return found


def _best_first(path: Path) -> tuple[float, tuple[int, ...]]:
    return -path.total, path.tokens


def _drawn(among: Next, temperature: float, random: Random) -> tuple[int, float]:
    highest = among[0][1]
    sums = list(accumulate(math.exp((logprob - highest) / temperature) for _, logprob in among))
    point = random.random() * sums[-1]
    return next(one for one, reached in zip(among, sums, strict=True) if point < reached or reached == sums[-1])
