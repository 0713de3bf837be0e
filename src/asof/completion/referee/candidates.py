"""From the words with which a file names entities to the numbers of a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import Dataset, Ints
from asof.errors import UserError, did_you_mean


@dataclass(frozen=True)
class CandidateNames:
    """The entities of a dataset, and the order that a file may count them in.

    Args:
        order: Names by the number that the files use; None where they use names, or the order of the dataset.
    """

    dataset: Dataset
    order: Sequence[str] | None = None
    drop_unknown: bool = False

    def columns(self, width: int, file: str) -> tuple[Ints | None, tuple[str, ...]]:
        """Return for each entity its column in a matrix, and what to say of those that have none."""
        entities = self.dataset.entities
        if self.order is None:
            if width != len(entities):
                raise UserError(
                    f"{file} has {width:,} columns and {self.dataset.name} {len(entities):,} entities. Give the "
                    "entities of the columns with --entities FILE: a name on each line, or names and numbers."
                )
            return None, ()
        if width != len(self.order):
            raise UserError(f"{file} has {width:,} columns, and the list of entities {len(self.order):,}.")
        place = {name: number for number, name in enumerate(self.order)}
        found = np.array([place.get(name, -1) for name in entities], np.int64)
        if (found < 0).all():
            raise UserError(
                f"No entity of {self.dataset.name} is in the list of entities of {file}: it begins with "
                f"{self.order[0]!r}, the dataset with {entities[0]!r}. Give the list of the same dataset."
            )
        notes = []
        if (found < 0).any():
            lost = int((found < 0).sum())
            notes.append(f"{lost:,} entities of {self.dataset.name} have no column; they count as missing.")
        if len(place) > (found >= 0).sum():
            more = len(place) - int((found >= 0).sum())
            notes.append(f"{more:,} columns are of entities that {self.dataset.name} does not have; they do not count.")
        return found, tuple(notes)

    def numbers(self, words: npt.NDArray[np.str_], file: str) -> tuple[Ints, tuple[str, ...]]:
        """Return the number of each word, -1 where a word is no entity and such words may be dropped."""
        unique, where = np.unique(words.astype(str), return_inverse=True)
        known = {name: number for number, name in enumerate(self.dataset.entities)}
        order = self.order or ()
        found = np.array([_number(str(word), known, order) for word in unique], np.int64)
        unknown = unique[found < 0]
        if not len(unknown):
            return found[where], ()
        rows = int((found < 0)[where].sum())
        if not self.drop_unknown:
            word = str(unknown[0])
            hint = did_you_mean(word, known)
            if word.isdecimal() and not order:
                hint = " Numbers need --entities FILE, which says whose they are."
            raise UserError(
                f"{file}: {word!r} is not an entity of {self.dataset.name}.{hint} {len(unknown):,} such names in "
                f"{rows:,} rows. Correct them, or leave them out with --drop-unknown."
            )
        return found[where], (f"{rows:,} rows are left out: they name no entity of {self.dataset.name}.",)


def _number(word: str, known: dict[str, int], order: Sequence[str]) -> int:
    if word not in known and word.isdecimal() and int(word) < len(order):
        word = order[int(word)]
    return known.get(word, -1)
