"""Pairs of a right and a wrong statement about one fact, for probes that compare two: which, and how many.

Where items are right and wrong dates of a fact (TimeStress), some dozens of pairs stand for the thousands that there
are. Wrong dates are drawn by strata, before and after the fact, near its ends, further and far away, so that hard dates
are asked about more than their share; each pair carries its weight, so that shares over all pairs are estimated without
bias. The right date of each pair is drawn from all of them. Where items have an answer for one time each, the right
answer stands against the one that was right before.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar

from asof.benchmarks import AnswerTimes, Item
from asof.errors import UserError
from asof.probes import Fit, Row
from asof.probes._shares import VERBS
from asof.wording.dated_questions import question_of, statement_of

PRECISIONS = ("year", "month", "day")
FEWEST_PAIRS = 6  # one for each stratum
NOT_DRAWN = "its date is in no pair that was drawn, or is the right one of a pair"
NO_PAIR = "its fact has no right or no wrong date at some precision"
NO_OTHER = "no other answer was right at another time"
NOT_THIS_TIME = "another time of the same fact was drawn"
_NEAR, _FURTHER = 0.5, 2.0  # lengths of the fact from its end


@dataclass(frozen=True)
class DrawnDate:
    """A wrong date that was drawn, with a right one beside it.

    Args:
        weight: The share of all wrong dates of the fact and precision that it stands for.
        of_pairs: How many pairs the fact has at this precision.
    """

    wrong: Item
    right: Item
    stratum: str
    weight: float
    of_pairs: int


@dataclass(frozen=True, kw_only=True)
class PairProbe:
    """What probes of pairs share: their settings, and which pairs they ask about.

    Args:
        pairs: Of a fact with right and wrong dates, so many pairs at each precision; each is two questions.
        per_fact: Of other facts so many times at most, drawn by seed.
        chat_template: Put prompts into the model's chat template, if it has one.
        most_tokens: Where a model that only writes is cut off; one that reasons first needs 1000 or more.
        tolerance: How many facts win all but this share of their pairs is told from below: a sample cannot show that
            a fact wins all.
    """

    needs: ClassVar[tuple[str, ...]] = VERBS
    score_with: ClassVar[str] = "pairs"
    report_with: ClassVar[str] = "pairs"
    preference: ClassVar[str] = "choices"  # what estimates of a cutoff read it with
    items_per_step: ClassVar[int] = 32

    pairs: int = 8
    per_fact: int | None = None
    chat_template: bool = True
    most_tokens: int = 8
    tolerance: float = 0.1
    seed: int = 0

    def fit(self, items: Sequence[Item], model: Any, *, everything: Iterable[Item]) -> Fit:
        """Choose the pairs."""
        return with_pairs(items, everything, pairs=self.pairs, per_fact=self.per_fact, seed=self.seed)


def drawn(item: Item) -> Row:
    """Return what a row keeps of how its pair was drawn."""
    return {name: item.tags.get(name) for name in ("stratum", "weight", "of_pairs")}


def with_pairs(
    items: Sequence[Item], everything: Iterable[Item], *, pairs: int, per_fact: int | None, seed: int
) -> Fit:
    """Give items the two statements to compare as candidates, the right one first; leave out the others."""
    if pairs < FEWEST_PAIRS:
        raise UserError(
            f"pairs = {pairs} are too few: each precision needs {FEWEST_PAIRS}, one for each stratum of wrong dates."
        )
    if per_fact is not None and per_fact < 1:
        raise UserError(f"per_fact = {per_fact} asks nothing. Give 1 or more, or omit it.")
    if any("verdict" in item.tags for item in items):
        return _of_dates(items, pairs, seed)
    return _of_answers(items, AnswerTimes((item.answers, item.tags) for item in everything), per_fact, seed)


def thinned(items: Sequence[Item], per_fact: int | None, seed: int) -> set[str]:
    """Return the ids of so many items of each fact, drawn by seed; all if no number is given."""
    of_fact: defaultdict[str, list[str]] = defaultdict(list)
    for item in items:
        of_fact[item.group].append(item.id)
    kept: set[str] = set()
    for ids in of_fact.values():
        by_chance = sorted(ids, key=lambda one: hashlib.sha256(f"{seed} {one}".encode()).digest())
        kept |= set(by_chance[:per_fact])
    return kept


def draw(of_precision: Sequence[Item], pairs: int, random: Random) -> list[DrawnDate]:
    """Draw pairs of dates of one fact at one precision; none when it has no right or no wrong one.

    Wrong dates are drawn without replacement, the right date of each pair independently: so the chance to win all
    drawn pairs is never larger than if pairs were drawn one by one, on which ``runs.scores.pairs`` rests.
    """
    rights = [item for item in of_precision if item.tags["verdict"] == "correct"]
    wrongs = [item for item in of_precision if item.tags["verdict"] == "incorrect"]
    if not rights or not wrongs:
        return []
    strata: defaultdict[str, list[Item]] = defaultdict(list)
    for item in wrongs:
        strata[stratum_of(item.tags)].append(item)
    drawn = []
    for name, count in allotted({name: len(some) for name, some in strata.items()}, pairs).items():
        for wrong in random.sample(strata[name], count):
            weight = len(strata[name]) / len(wrongs) / count
            drawn.append(DrawnDate(wrong, random.choice(rights), name, weight, len(rights) * len(wrongs)))
    return drawn


def stratum_of(tags: Mapping[str, object]) -> str:
    """Return where a wrong date lies: before or after the fact, and how many lengths of the fact away.

    >>> stratum_of({"alpha": -0.7}), stratum_of({"alpha": 4.0}), stratum_of({})
    ('near before', 'far after', 'anywhere')
    """
    alpha = tags.get("alpha")
    if not isinstance(alpha, int | float):
        return "anywhere"
    beyond = abs(alpha) - 0.5
    distance = "near" if beyond < _NEAR else "further" if beyond < _FURTHER else "far"
    return f"{distance} {'before' if alpha < 0 else 'after'}"


def allotted(sizes: Mapping[str, int], pairs: int) -> dict[str, int]:
    """Share out pairs among strata: one for each, the next for those that are near, and so on, as far as they have any.

    >>> allotted({"far after": 90, "far before": 90, "near after": 3, "near before": 2, "further after": 20}, 8)
    {'near after': 2, 'near before': 2, 'further after': 2, 'far after': 1, 'far before': 1}
    """
    order = sorted(sizes, key=lambda name: ("near" not in name, "further" not in name, name))
    counts = dict.fromkeys(order, 0)
    left = min(pairs, sum(sizes.values()))
    while left:
        for name in order:
            if left and counts[name] < sizes[name]:
                counts[name] += 1
                left -= 1
    return counts


def _of_dates(items: Sequence[Item], pairs: int, seed: int) -> Fit:
    facts: defaultdict[str, dict[str, list[Item]]] = defaultdict(lambda: {one: [] for one in PRECISIONS})
    for item in items:
        if item.tags.get("precision") in PRECISIONS:
            facts[item.group][str(item.tags["precision"])].append(item)
    made: dict[str, Item] = {}
    complete = set()
    for group, by_precision in facts.items():
        drawn = [draw(some, pairs, Random(f"{seed} {group} {name}")) for name, some in by_precision.items()]
        if all(drawn):
            complete.add(group)
            made |= {one.wrong.id: _pair_of_dates(one) for some in drawn for one in some}
    left_out = {item.id: NOT_DRAWN if item.group in complete else NO_PAIR for item in items if item.id not in made}
    return Fit([made[item.id] for item in items if item.id in made], left_out)


def _pair_of_dates(drawn: DrawnDate) -> Item:
    said = tuple(statement_of(item.prompt, item.tags, item.answers[0]) for item in (drawn.right, drawn.wrong))
    tags = drawn.wrong.tags | {"stratum": drawn.stratum, "weight": drawn.weight, "of_pairs": drawn.of_pairs}
    return replace(drawn.wrong, candidates=said, tags=tags)


def _of_answers(items: Sequence[Item], times: AnswerTimes, per_fact: int | None, seed: int) -> Fit:
    made = []
    reasons = []
    others = [times.other(item.answers, item.tags) if item.answers else None for item in items]
    drawn = thinned([item for item, other in zip(items, others, strict=True) if other], per_fact, seed)
    for item, other in zip(items, others, strict=True):
        made.append(replace(item, candidates=(item.answers[0], other)) if other else item)
        reasons.append(NO_OTHER if not other else "" if item.id in drawn else NOT_THIS_TIME)
    return Fit.parted(made, reasons)


def asked_of_pair(item: Item) -> tuple[str, tuple[str, str], int]:
    """Return what two candidates have in common, the two in an order that says nothing, and the place of the right one.

    Statements with dates have nothing in common; answers have their question.
    """
    right, wrong = item.candidates
    pair = sorted((right, wrong), key=lambda text: hashlib.sha256(f"{item.id} {text}".encode()).digest())
    asked = "" if "stratum" in item.tags else question_of(item.prompt, item.tags)
    return asked, (pair[0], pair[1]), pair.index(right)
