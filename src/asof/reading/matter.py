"""How likely each candidate of a document answers a question at some time: by trees, and by a network that read it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from asof.reading.document_features import Column, numbers
from asof.reading.index import DocumentIndex, Ints

UNREAD = -10.0  # log-odds of a candidate that the network was not shown
_SENTENCES = 30  # that the network is shown
_LEAST = 1e-6


@dataclass(frozen=True)
class Matter:
    """What both say of each candidate.

    Args:
        trees: Probabilities.
        network: Log-odds, UNREAD where it has not read; without a network the trees decide alone.
    """

    trees: Column
    network: Column | None = None

    @cached_property
    def both(self) -> Column:
        """The probability of each candidate, from the mean of the two log-odds.

        What the network says counts against what it says of the others of the document: a network that was taught
        by other pages has another scale.

        >>> Matter(numbers([0.5, 0.9]), numbers([2.0, UNREAD])).both.round(2).tolist()
        [0.5, 0.019999999552965164]
        """
        if self.network is None:
            return self.trees
        trees = np.clip(self.trees, _LEAST, 1 - _LEAST)
        read = self.network > UNREAD
        others = np.logaddexp.reduce(self.network[read]) if read.any() else 0.0
        network = np.where(read, np.maximum(self.network - others, UNREAD), UNREAD)
        return numbers(1 / (1 + np.exp(-(np.log(trees / (1 - trees)) + network) / 2)))

    @property
    def columns(self) -> dict[str, Column]:
        """Each by itself, as columns of the second step."""
        return {} if self.network is None else {"matter by trees": self.trees, "matter by network": self.network}


def worth_reading(index: DocumentIndex, trees: Column) -> Ints:
    """Return the sentences with the likeliest candidates, the best first."""
    best = np.full(len(index.document.sentences), -1.0, np.float32)
    np.maximum.at(best, index.sentence_of, trees)
    order = np.argsort(-best, kind="stable")[:_SENTENCES]
    return order[best[order] >= 0]
