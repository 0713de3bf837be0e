"""Which facts after a date does a model know? An audit for people who test forecasts on the past.

In: a run on dynamic-templama, and a date. A fact is asked about the time after it when one of its answers began later.
The model knows such a fact when it takes an answer that began after the date; how often it would do so by guessing is
measured on wrong subjects; a small share more is allowed, as names of the same subject are alike and some changes could
be foreseen. A model that knows nothing at all would pass, so it must first show that it knows facts from
before the date.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any, Literal

import numpy as np

from asof.errors import UserError
from asof.metrics import Result, mean_of_facts
from asof.runs.cutoff import CutoffOf
from asof.runs.cutoff_answers import ModelAnswer
from asof.runs.cutoff_history import FactHistory
from asof.timeline import Date, Period

FEWEST = 20  # facts that changed after the date: with less even a model that knows a tenth of them would often pass
ALLOWED = 0.02  # a small BERT whose text ends with a quarter seemed to know 3 of 135 facts from after it
_ALPHA = 0.05
_EXPOSED = 3.0

AuditStatus = Literal["passed", "failed", "cannot tell"]


@dataclass(frozen=True)
class LaterFact:
    """A fact with an answer that began after the date.

    Args:
        known: Whether the model takes such an answer, from 0 to 1 where a fact was asked several times.
        answer: The newest answer that it takes, or what it said.
        evidence: Why it counts as known or not, in words.
    """

    fact: FactHistory
    known: float
    answer: str
    since: Period | None
    evidence: str


class LookAheadAudit:
    """A run, read for what it shows of the time after a date.

    Args:
        allowed: The share of facts that may seem to be known, beyond guessing.
    """

    def __init__(self, cutoff: CutoffOf, after: Date | Period, *, allowed: float = ALLOWED) -> None:
        self.cutoff, self.after, self.allowed = cutoff, after, allowed
        self.periods = cutoff.histories.periods
        later = [index for index, period in enumerate(self.periods) if period.first > after.last]
        if not later or later[0] == 0:
            raise UserError(
                f"{cutoff.run.folder} asks about {self.periods[0]} to {self.periods[-1]}, not to both sides "
                f"of {after}. Build a benchmark with --from before and --until after it."
            )
        self.first_later = later[0]

    @cached_property
    def facts(self) -> list[LaterFact]:
        """The facts with an answer from after the date, those that the model knows first."""
        by_group: dict[str, list[ModelAnswer]] = {}
        for one in self.cutoff.answers:
            if one.fact.changes and self._new(one.fact).any() and not self._new(one.fact).all():
                by_group.setdefault(one.fact.group, []).append(one)
        found = [self._later_fact(some) for some in by_group.values()]
        return sorted(found, key=lambda one: -one.known)

    @cached_property
    def _changed_later(self) -> defaultdict[str, list[FactHistory]]:
        """The facts with answers from before and from after the date, by relation."""
        found: defaultdict[str, dict[str, FactHistory]] = defaultdict(dict)
        for one in self.cutoff.answers:
            if self._new(one.fact).any() and not self._new(one.fact).all():
                found[one.fact.relation][one.fact.group] = one.fact
        return defaultdict(list, {relation: list(facts.values()) for relation, facts in found.items()})

    @cached_property
    def guessing(self) -> float:
        """How often a model without knowledge takes an answer from after the date."""
        if self.cutoff.own_only:
            return 0.5
        pairs: list[float] = []
        for one in self.cutoff.answers:
            pairs += self._by_guess(one)
        return (sum(pairs) + 1) / (len(pairs) + 1)  # one more, so that what was not seen is not ruled out

    @cached_property
    def known(self) -> Result:
        """The share of these facts that the model knows."""
        return mean_of_facts([one.known for one in self.facts])

    @cached_property
    def known_before(self) -> Result:
        """The share of facts that the model answers with an answer which began by the date, or changes it knows."""
        values = [
            float(one.preferred is not None and not self._new(one.fact)[one.preferred])
            for one in self.cutoff.answers
            if not self._new(one.fact).all()
        ]
        return mean_of_facts(values)

    @property
    def p(self) -> float:
        """How often guessing, and what is allowed, would give so many answers from after the date, or more."""
        return tail(round(self.known.value * len(self.facts)), len(self.facts), min(1.0, self.guessing + self.allowed))

    @property
    def status(self) -> AuditStatus:
        """Whether the model was shown to know the time after the date, or not, or whether the run cannot tell."""
        if self.facts and self.p <= _ALPHA:
            return "failed"
        return "cannot tell" if self.why else "passed"

    @property
    def why(self) -> str:
        """Why a run that shows no look-ahead does not show that there is none."""
        if len(self.facts) < FEWEST:
            facts, were = ("fact", "was") if len(self.facts) == 1 else ("facts", "were")
            return f"only {len(self.facts)} {facts} changed after {self.after} and {were} asked; {FEWEST} are needed"
        if not self.cutoff.own_only and not self.cutoff.overall.controls.knows_something:
            return "the model knows no more than guessing gives of any time, so this run could not have shown it"
        if self.cutoff.own_only and self.cutoff.overall.best is None:
            return f"the model shows no knowledge of any time: {self.cutoff.overall.why}"
        return ""

    def row(self) -> dict[str, Any]:
        """Return the result as one row."""
        there = bool(self.facts)
        return {
            "run": self.cutoff.run.name,
            "after": str(self.after),
            "status": self.status,
            "why": self.why or None,
            "facts": len(self.facts),
            "known": round(self.known.value, 3) if there else None,
            "low": round(self.known.low, 3) if there else None,
            "high": round(self.known.high, 3) if there else None,
            "guessing": round(self.guessing, 3),
            "allowed": self.allowed,
            "p": round(self.p, 4) if there else None,
            "known_before": round(self.known_before.value, 3) if self.known_before.n else None,
        }

    def fact_rows(self) -> list[dict[str, Any]]:
        """Return a row for each fact that changed after the date."""
        return [
            {
                "subject": one.fact.subject,
                "relation": one.fact.relation_label,
                "known": round(one.known, 2),
                "answer": one.answer,
                "since": one.since and str(one.since),
                "evidence": one.evidence,
            }
            for one in self.facts
        ]

    def _new(self, fact: FactHistory) -> Any:
        """Tell which answers began after the date."""
        return fact.holds.argmax(1) >= self.first_later

    def _later_fact(self, answers: Sequence[ModelAnswer]) -> LaterFact:
        fact = answers[0].fact
        new = self._new(fact)
        taken = [one.preferred for one in answers if one.preferred is not None and new[one.preferred]]
        shown = max(taken, default=None)
        if shown is None:
            said = answers[0].text or "no answer"
            return LaterFact(
                fact, 0.0, said, None, "takes an older answer" if answers[0].preferred is not None else "-"
            )
        best = next(one for one in answers if one.preferred == shown)
        since = self.periods[int(fact.holds[shown].argmax())]
        return LaterFact(fact, len(taken) / len(answers), fact.names[shown], since, _evidence(best, shown))

    def _by_guess(self, answer: ModelAnswer) -> list[float]:
        """Tell for wrong subjects of the relation whether the model would count as knowing them."""
        others = [fact for fact in self._changed_later[answer.fact.relation] if fact.group != answer.fact.group]
        if answer.candidates is None:
            return [float(self._says_new(other, answer.text)) for other in others]
        worth = dict(zip(answer.candidates.names, answer.candidates.worth, strict=True))
        return [
            float(self._takes_new(other, worth))
            for other in others
            if set(other.names) <= set(worth) and not set(other.names) & set(answer.fact.names)
        ]

    def _says_new(self, fact: FactHistory, text: str) -> bool:
        named = fact.named_in(text) if text else None
        return named is not None and bool(self._new(fact)[named])

    def _takes_new(self, fact: FactHistory, worth: dict[str, float]) -> bool:
        values = np.array([worth[name] for name in fact.names])
        if self.cutoff.reading == "exposed":
            return bool((values[self._new(fact)] >= _EXPOSED).any())
        return bool(self._new(fact)[int(values.argmax())])


def _evidence(answer: ModelAnswer, shown: int) -> str:
    if answer.candidates is not None:
        worth = dict(zip(answer.candidates.names, answer.candidates.worth, strict=True))
        value = worth.get(answer.fact.names[shown], float("nan"))
        return f"{value:.1f} standard deviations likelier than for wrong subjects"
    shares = [choice.weight for choice in answer.choices if choice.given == shown and choice.offered is not None]
    if shares:
        return f"chosen in {max(shares) * answer.wordings:.0%} of askings"
    return f"wrote: {answer.likeliest[:80]}"


def tail(known: int, facts: int, chance: float) -> float:
    """Return how often so many successes or more come by chance.

    >>> tail(2, 2, 0.5), tail(0, 9, 0.1)
    (0.25, 1.0)
    """
    if known <= 0:
        return 1.0
    return float(sum(comb(facts, n) * chance**n * (1 - chance) ** (facts - n) for n in range(known, facts + 1)))
