"""Kinds of facts that questions ask for, and the words with which English tells them (``en.toml``)."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from asof.reading.index import words_of

_ORDER_MATTERS = 1.5  # the weight of a phrase of n words is n to this power
_HINT = 0.25  # of the weight of a word that asks: it also stands in questions for other kinds
_MISFIT = 0.25  # of its weight keeps a kind of people when nobody is asked for, and the other way round
_PEOPLE = frozenset(("who", "whom", "person", "man", "woman"))


@dataclass(frozen=True)
class FactKind:
    """A kind of fact: how it is asked for and told; words without their endings."""

    name: str
    asks: tuple[tuple[str, ...], ...]
    hints: tuple[tuple[str, ...], ...]
    wants: frozenset[str]
    tells: frozenset[str]
    headings: frozenset[str]
    leads: frozenset[str]
    heads: frozenset[str]


@cache
def kinds() -> tuple[FactKind, ...]:
    """Return all kinds in the order of their file."""
    text = (resources.files("asof.reading.cues") / "en.toml").read_text(encoding="utf-8")
    return tuple(
        FactKind(
            name=name,
            asks=_phrases(told["asks"]),
            hints=_phrases(told["hints"]),
            wants=frozenset(told["wants"]),
            tells=frozenset(words_of(" ".join(told["tells"]))),
            headings=frozenset(words_of(" ".join(told["headings"]))),
            leads=frozenset(told["leads"]),
            heads=frozenset(told["heads"]),
        )
        for name, told in tomllib.loads(text).items()
    )


def _phrases(phrases: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(words_of(phrase)) for phrase in phrases)


def weigh_kinds(asked: str, whole: str = "") -> npt.NDArray[np.float32]:
    """Return how well each kind fits a question without names and time; the weights sum to one, or all are zero.

    Args:
        whole: The question with its names, for where the rest says nothing: "Mayor" may be taken for one.
    """
    words = words_of(asked)
    if whole and not any(_fit(kind, words) for kind in kinds()):
        words = words_of(whole)
    people = bool(_PEOPLE & set(words))
    found = np.array([_fit(kind, words) * _of_people(kind, people) for kind in kinds()], dtype=np.float32)
    found = found**2
    return found / max(float(found.sum()), 1e-6)


def _of_people(kind: FactKind, people: bool) -> float:
    return 1.0 if people == ("person" in kind.wants) or (not people and len(kind.wants) > 1) else _MISFIT


def _fit(kind: FactKind, words: Sequence[str]) -> float:
    asks: float = sum(
        len(phrase) ** _ORDER_MATTERS * _rarity(phrase) for phrase in kind.asks if _in_order(phrase, words)
    )
    return asks + _HINT * sum(_in_order(phrase, words) for phrase in kind.hints)


def _in_order(phrase: Sequence[str], words: Sequence[str]) -> bool:
    rest = iter(words)
    return all(word in rest for word in phrase)


@cache
def _asked_by() -> Counter[tuple[str, ...]]:
    return Counter(phrase for kind in kinds() for phrase in kind.asks)


def _rarity(phrase: tuple[str, ...]) -> float:
    return 1 / _asked_by()[phrase]


@cache
def rarity_of(part: str) -> dict[str, float]:
    """Return for each word of a part of the file how much it tells: more when few kinds have it."""
    counts = Counter(word for kind in kinds() for word in getattr(kind, part))
    return {word: math.log(1 + len(kinds()) / count) / math.log(1 + len(kinds())) for word, count in counts.items()}
