"""The likelihood of the first answer of each period (answer-likelihood): the answers of all periods are compared."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from asof.probes import Row
from asof.registry import preferences
from asof.runs.cutoff_answers import ModelAnswer, ReadingSettings, with_all_rows
from asof.runs.cutoff_contrast import Candidates
from asof.runs.cutoff_history import FactHistory
from asof.runs.preferences.candidates import preferred_candidate


@preferences.register("likelihoods")
class LikelihoodPreferences:
    """The likeliest of the answers that were first in some period."""

    compared: ClassVar[bool] = False
    own_only: ClassVar[bool] = False

    def read(self, facts: Sequence[FactHistory], rows: Mapping[str, Row], how: ReadingSettings) -> list[ModelAnswer]:
        """Compare the first answers of all periods, each with its own likelihood."""
        found = []
        for fact in with_all_rows(facts, rows):
            worth: dict[str, float] = {}
            for index in fact.asked:
                worth.setdefault(str(fact.firsts[index]), float(rows[str(fact.items[index])]["logprob"]))
            some = Candidates(tuple(worth), np.array(list(worth.values())))
            found.append(preferred_candidate(fact, some, "answered", some, some))
        return found
