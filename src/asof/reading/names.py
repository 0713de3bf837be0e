"""Mentions of one name speak together, and so do its longer and shorter forms.

Each mention has its own probability. That a name is right is that one of its mentions is; forms of a name ("Zapp",
"Kapitänleutnant Zapp") help each other by half. First the group is chosen, then the form in it that matters most at any
time, so that the words of an answer do not change with the asked date.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asof.reading.encoder import Vectors
from asof.reading.index import Ints

_OF_OTHER_FORMS = 0.5  # of what another form of a name is worth
_SURE = 1 - 1e-6


@dataclass(frozen=True)
class NameRanking:
    """Names in their order, the answer first: for each the place of its best mention, and how likely its group is.

    Args:
        is_answer: Whether the first may be given as the answer; its own time may speak against it.
    """

    indices: Ints
    likely: Vectors
    is_answer: bool = True


def choose(probabilities: Vectors, matter: Vectors, texts: npt.NDArray[np.str_]) -> NameRanking:
    """Choose among mentions.

    Args:
        probabilities: That each mention answers the question.
        matter: How likely each answers it at any time.
        texts: The mentions as answers are compared.

    >>> texts = np.array(["bo ek", "lee", "ann lee", "ann lee"])
    >>> choice = choose(np.array([0.5, 0.3, 0.25, 0.3]), np.array([0.5, 0.1, 0.4, 0.4]), texts)
    >>> [(str(texts[index]), round(float(likely), 2)) for index, likely in zip(choice.indices, choice.likely)]
    [('ann lee', 0.55), ('bo ek', 0.5), ('lee', 0.47)]
    """
    names, of = np.unique(texts, return_inverse=True)
    likely, matters = _any_of(probabilities, of), _any_of(matter, of)
    forms = _forms(names)
    others = np.log1p(-_OF_OTHER_FORMS * likely)
    groups = 1 - (1 - likely) * np.exp(np.where(forms, others[None], 0.0).sum(axis=1) - others)
    answer = int(np.argmax(np.where(forms[int(np.argmax(groups))], likely * np.sqrt(matters), -1.0)))
    groups[answer] = groups.max()
    order = np.lexsort((-groups, np.arange(len(names)) != answer))
    mentions = np.lexsort((-probabilities, of))
    best = mentions[np.searchsorted(of[mentions], np.arange(len(names)))]
    return NameRanking(best[order], groups[order].astype(np.float32))


def different(texts: Iterable[str], *, most: int) -> list[int]:
    """Return the places of the first texts that are no forms of one before.

    >>> different(["ann lee", "lee", "bo ek", "mrs ann lee", "cy dee"], most=3)
    [0, 2, 4]
    """
    kept: dict[int, str] = {}
    for place, text in enumerate(texts):
        spaced = f" {text} "
        if len(kept) < most and not any(spaced in one or one in spaced for one in kept.values()):
            kept[place] = spaced
    return list(kept)


def _any_of(probabilities: Vectors, of: Ints) -> npt.NDArray[np.float64]:
    """Return for each name how likely at least one of its mentions is right, as if none knew of another."""
    wrong = np.bincount(of, weights=np.log1p(-np.minimum(probabilities, _SURE)))
    return 1 - np.exp(wrong.astype(np.float64))


def _forms(names: npt.NDArray[np.str_]) -> npt.NDArray[np.bool_]:
    """Tell which names are forms of which: the words of one stand in the other."""
    spaced = [f" {name} " for name in names]
    return np.array([[one in other or other in one for other in spaced] for one in spaced], dtype=bool)
