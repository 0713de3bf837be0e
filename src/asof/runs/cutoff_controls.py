"""What stands beside a cutoff: what a model knows of facts that never change, and what it would get by guessing.

Invented facts are sentences with the answers of another subject. For texts: how often is what was written about one
subject right for another of the same relation? For candidates: how often is one of a sentence's own answers the best by
lot, and how often is the newer of two answers of a wrong subject preferred to the older?
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from asof.metrics import Result, mean_of_facts
from asof.runs.cutoff_answers import ModelAnswer
from asof.runs.cutoff_history import FactHistory

_NEVER = float("nan")


@dataclass(frozen=True)
class Controls:
    """Shares with their intervals.

    Args:
        unchanged: Facts that had one answer in all periods: the share that is answered rightly.
        known: All facts: the share that is answered with an answer they had at some time.
        guessing: What guessing gives instead of ``known``.
        newer: Changed facts: the share that prefers the last answer to the first.
        invented: The same of answers of wrong subjects; without candidates there are none.
    """

    unchanged: Result
    known: Result
    guessing: float
    newer: Result
    invented: Result

    @property
    def knows_something(self) -> bool:
        """Whether the model knows surely more than guessing gives."""
        return self.known.n > 0 and self.known.low > self.guessing

    @property
    def prefers_newer(self) -> bool:
        """Whether it prefers last answers surely more than it does for wrong subjects."""
        return self.newer.low > (self.invented.high if self.invented.n else 0.5)

    @property
    def prefers_older(self) -> bool:
        """Whether it prefers first answers surely more than it does for wrong subjects."""
        return self.newer.high < (self.invented.low if self.invented.n else 0.5)


def controls(answers: Sequence[ModelAnswer]) -> Controls:
    """Compute the controls of a run, or of a part of it."""
    unchanged = [_right(one.fact, one.text) for one in answers if not one.fact.changes]
    known = [_right(one.fact, one.text) for one in answers]
    ends = [one for one in answers if one.fact.changes and one.preferred is not None]
    newer = [
        float(one.preferred == len(one.fact.names) - 1) for one in ends if one.preferred in (0, len(one.fact.names) - 1)
    ]
    return Controls(
        mean_of_facts(unchanged),
        mean_of_facts(known),
        mean_of_facts(_guesses(answers)).value,
        mean_of_facts(newer),
        mean_of_facts(_invented(answers)),
    )


def _right(fact: FactHistory, text: str) -> float:
    return float(fact.verdict(text, fact.asked[-1])[0] != "wrong")


def _guesses(answers: Sequence[ModelAnswer]) -> list[float]:
    """Return for each fact how likely an answer that it had is without knowledge of it."""
    found = []
    for relation in _by_relation(answers).values():
        for index, one in enumerate(relation):
            if one.candidates is not None:
                names = one.candidates.names
                found.append(sum(one.fact.answer(name) is not None for name in names) / len(names))
            elif len(relation) > 1:
                found.append(_right(one.fact, relation[index - 1].text))
    return found


def _invented(answers: Sequence[ModelAnswer]) -> list[float]:
    """Return for each sentence the share of wrong subjects of whom the newer answer is preferred to the older."""
    found = []
    for relation in _by_relation(answers).values():
        changed = [(one.fact.names[0], one.fact.names[-1]) for one in relation if one.fact.changes]
        for one in relation:
            if one.candidates is None:
                return []
            worth = dict(zip(one.candidates.names, one.candidates.worth, strict=True))
            own = set(one.fact.names)
            pairs = [(old, new) for old, new in changed if old in worth and new in worth and not own & {old, new}]
            found.append(sum(worth[new] > worth[old] for old, new in pairs) / len(pairs) if pairs else _NEVER)
    return found


def _by_relation(answers: Sequence[ModelAnswer]) -> dict[str, list[ModelAnswer]]:
    found: defaultdict[str, list[ModelAnswer]] = defaultdict(list)
    for one in answers:
        found[one.fact.relation].append(one)
    return found
