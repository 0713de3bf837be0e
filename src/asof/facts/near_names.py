"""Which known names a mistyped one may mean: letters missing, too many, wrong, or in the wrong order."""

from collections import Counter
from collections.abc import Iterable, Iterator

_LEAST = 0.7  # of likeness, from which a name counts as meant
_BESIDE_THE_BEST = 0.1  # how much less alike another may be
_OF_A_PART = 0.95  # how much a name of which only some words are alike is worth beside a whole one


def nearest(wrong: str, names: Iterable[str]) -> list[str]:
    """Return the names that are nearly written so, the likeliest first; some words of a longer name are enough.

    >>> nearest("presidnt", ["residence", "president of", "head of state", "prime minister"])
    ['president of']
    >>> nearest("hed of governemnt", ["head of state", "head of government"])
    ['head of government']
    """
    wanted = wrong.casefold().split()
    ranked = [(-_worth(wanted, name.casefold().split()), name) for name in names]
    least = max(_LEAST, -min(ranked, default=(0.0, ""))[0] - _BESIDE_THE_BEST)
    return [name for worth, name in sorted(set(ranked)) if -worth >= least]


def _worth(wanted: list[str], words: list[str]) -> float:
    whole = likeness(" ".join(wanted), " ".join(words))
    parts = (likeness(" ".join(wanted), " ".join(part)) for part in _runs(words, len(wanted)))
    return max(whole, _OF_A_PART * max(parts, default=0.0))


def _runs(words: list[str], length: int) -> Iterator[list[str]]:
    if length < len(words):
        yield from (words[start : start + length] for start in range(len(words) - length + 1))


def likeness(first: str, second: str) -> float:
    """Return 1 for the same text, less for each letter to add, leave out, change or exchange with its neighbour.

    >>> likeness("president", "presidnt"), likeness("president", "persident")
    (0.8888888888888888, 0.8888888888888888)
    """
    longest = max(len(first), len(second))
    shared = sum((Counter(first) & Counter(second)).values())
    if not longest or shared / longest < _LEAST:  # each letter that is not shared costs one at least
        return float(first == second)
    return 1 - _distance(first, second) / longest


def _distance(first: str, second: str) -> int:
    """Count the changes of letters from one text to another (Damerau 1964), each place changed once."""
    before: list[int] = []
    row = list(range(len(second) + 1))
    for number, letter in enumerate(first, start=1):
        above, row = row, [number]
        for index, opposite in enumerate(second, start=1):
            changes = min(above[index] + 1, row[index - 1] + 1, above[index - 1] + (letter != opposite))
            exchanged = number > 1 and index > 1 and letter == second[index - 2] and first[number - 2] == opposite
            row.append(min(changes, before[index - 2] + 1) if exchanged else changes)
        before = above
    return row[-1]
