"""What stands beside a cutoff: what a model knows of facts that never change, and what it would get by guessing.

Invented facts are sentences with the answers of another subject. For texts: how often is what was written about one
subject right for another of the same relation? For candidates: how often is one of a sentence's own answers the best by
lot, and how often is the newer of two answers of a wrong subject preferred to the older?
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from asof.metrics import Result, mean_of_facts, mean_of_items
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
        refused: All facts that were asked in words: the share that got no answer.
    """

    unchanged: Result
    known: Result
    guessing: float
    newer: Result
    invented: Result
    refused: Result

    @property
    def knows_something(self) -> bool:
        """Whether the model knows surely more than guessing gives.

        A choice between answers of the same fact does not show it; there the test of a cutoff alone decides.
        """
        return not self.known.n or self.known.low > self.guessing

    @property
    def prefers_newer(self) -> bool:
        """Whether it prefers last answers surely more than it does for wrong subjects."""
        return self.newer.low > (self.invented.high if self.invented.n else 0.5)

    @property
    def prefers_older(self) -> bool:
        """Whether it prefers first answers surely more than it does for wrong subjects."""
        return self.newer.high < (self.invented.low if self.invented.n else 0.5)


def controls(answers: Sequence[ModelAnswer], *, own_only: bool = False) -> Controls:
    """Compute the controls of a run, or of a part of it; a fact counts once, in however many wordings it was asked.

    Args:
        own_only: The model could take no answer but those that a fact itself had.
    """
    ends = [one for one in answers if one.fact.changes and one.preferred is not None]
    return Controls(
        unchanged=_by_fact([] if own_only else [one for one in answers if not one.fact.changes], _right),
        known=_by_fact([] if own_only else answers, _right),
        guessing=mean_of_facts([] if own_only else _guesses(answers)).value,
        newer=_by_fact([one for one in ends if one.preferred in (0, len(one.fact.names) - 1)], _newest),
        invented=mean_of_facts(_invented(answers)),
        refused=_by_fact([one for one in answers if one.candidates is None and not own_only], _refused),
    )


def _by_fact(answers: Sequence[ModelAnswer], value: Callable[[ModelAnswer], float]) -> Result:
    return mean_of_items([value(one) for one in answers], [one.fact.group for one in answers], within=(0.0, 1.0))


def _right(answer: ModelAnswer) -> float:
    return _is_answer(answer.fact, answer.text)


def _newest(answer: ModelAnswer) -> float:
    return float(answer.preferred == len(answer.fact.names) - 1)


def _refused(answer: ModelAnswer) -> float:
    return float(not answer.text.strip())


def _is_answer(fact: FactHistory, text: str) -> float:
    return float(fact.verdict(text, fact.asked[-1])[0] not in ("wrong", "no answer"))


def _guesses(answers: Sequence[ModelAnswer]) -> list[float]:
    """Return for each fact how likely an answer that it had is without knowledge of it."""
    found = []
    for relation in _by_relation(answers).values():
        for index, one in enumerate(relation):
            if one.candidates is not None:
                names = one.candidates.names
                found.append(sum(one.fact.answer(name) is not None for name in names) / len(names))
            elif len(relation) > 1:
                found.append(_is_answer(one.fact, relation[index - 1].text))
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


def _by_relation(answers: Sequence[ModelAnswer]) -> dict[tuple[str, int], list[ModelAnswer]]:
    """Part answers by relation and wording, so that a fact stands beside other facts and not beside itself."""
    found: defaultdict[tuple[str, int], list[ModelAnswer]] = defaultdict(list)
    for one in answers:
        found[one.fact.relation, one.wording].append(one)
    return found
