"""What is taught, what only has to stay as it is, and what is held out so that it can be asked about."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from asof.facts import FactStore
from asof.teaching.date_pool import PRECISIONS, DatePool, HoldOut
from asof.teaching.drill import FactDrawer
from asof.teaching.facts import FactsWanted, TeachingFact, facts_of, refuse_none
from asof.teaching.prose import passages
from asof.timeline import Precision
from asof.wording import Wording

OTHERS = 40  # facts that are not taught, of which the score is measured before and after
ANCHORS = 80  # facts that are not taught, and on which the model is to stay close to the original
_NOT_TAUGHT = "had no right or no wrong date that is known"


@dataclass(frozen=True)
class TeachingLesson:
    """The facts of a teaching.

    Args:
        taught: To be learnt.
        anchors: To stay as they are: other subjects or relations than those taught.
        others: Neither; they are only measured.
        prose: Passages; every other one is for staying close, the rest for measuring.
        left_out: How many facts could not be taught, by the reason.
    """

    base: str
    language: str
    taught: Sequence[DatePool]
    anchors: Sequence[DatePool]
    others: Sequence[DatePool]
    prose: Sequence[str]
    hold_out: HoldOut
    hold_out_wording: bool
    left_out: dict[str, int] = field(default_factory=dict)

    def questions(self, fact: TeachingFact) -> Sequence[str]:
        """Return the wordings that are taught."""
        held = self.held_out_question(fact)
        return [question for question in fact.questions if question != held]

    def held_out_question(self, fact: TeachingFact) -> str | None:
        """Return the wording that is not taught; none where a fact has only one."""
        return fact.questions[-1] if self.hold_out_wording and len(fact.questions) > 1 else None

    def drawer(
        self,
        pool: DatePool,
        precisions: Sequence[Precision],
        seed: int,
        number: tuple[int, ...],
        hardness: npt.NDArray[np.float32] | None = None,
    ) -> FactDrawer:
        """Make what draws the dates of a fact.

        Args:
            number: Of the step, or of another occasion: it and the seed decide what is drawn.
            hardness: See ``FactDrawer``; nothing was seen yet, if not given.
        """
        unseen = np.full((max(1, len(pool.years)), len(PRECISIONS)), np.nan, np.float32)
        return FactDrawer(
            fact=pool.fact,
            pool=pool,
            questions=self.questions(pool.fact),
            precisions=precisions,
            language=self.language,
            hardness=unseen if hardness is None else hardness,
            random=np.random.default_rng([seed, *number, *pool.fact.id.encode()[-16:]]),
        )

    @property
    def prose_to_keep(self) -> Sequence[str]:
        """The passages on which a model is to stay close to the original."""
        return self.prose[::2]

    @property
    def prose_to_measure(self) -> Sequence[str]:
        """The passages whose perplexity is measured."""
        return self.prose[1::2]

    @cached_property
    def sha256(self) -> str:
        """A hash of all facts that are taught and measured."""
        facts = [[repr(pool.fact) for pool in pools] for pools in (self.taught, self.anchors, self.others)]
        return _hash([self.language, facts])

    @cached_property
    def prose_sha256(self) -> str:
        """A hash of the prose; asof's own is another one in another version of asof."""
        return _hash(list(self.prose))


def _hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def lesson_of(
    store: FactStore,
    say: Wording,
    wanted: FactsWanted,
    *,
    limit: int | None,
    hold_out: HoldOut,
    hold_out_wording: bool,
    prose: Path | None = None,
) -> TeachingLesson:
    """Choose what is taught, and what only has to stay as it is.

    Args:
        limit: At most so many facts are taught.
        prose: A text of the user's in the place of asof's own.
    """
    left_out: Counter[str] = Counter()
    found = _teachable(facts_of(store, say, wanted), hold_out, left_out)
    taught = list(islice(found, limit))
    refuse_none([pool.fact for pool in taught], store.manifest.name, dict(left_out))
    pairs = {pool.fact.pair for pool in taught}
    beside = FactsWanted(seed=wanted.seed)
    unseen = _teachable(facts_of(store, say, beside), hold_out, Counter())
    rest = (pool for pool in unseen if pool.fact.pair not in pairs)
    others = list(islice(rest, OTHERS + ANCHORS))
    measured = others[: -(-len(others) * OTHERS // (OTHERS + ANCHORS))]
    half = len({pool.fact.pair for pool in others}) // 2  # in a small base a few facts may be about all that there is
    seen = set(list(dict.fromkeys(pool.fact.pair for pool in measured))[: max(1, half)])
    anchors = [pool for pool in others if pool.fact.pair not in seen]
    return TeachingLesson(
        base=store.manifest.name,
        language=say.language,
        taught=taught,
        anchors=anchors,
        others=[pool for pool in measured if pool.fact.pair in seen],
        prose=passages(prose),
        hold_out=hold_out,
        hold_out_wording=hold_out_wording,
        left_out=dict(left_out),
    )


def _teachable(facts: Iterator[TeachingFact], hold_out: HoldOut, left_out: Counter[str]) -> Iterator[DatePool]:
    for fact in facts:
        pool = DatePool.of(fact, hold_out)
        if pool.can_be_taught:
            yield pool
        else:
            left_out[_NOT_TAUGHT] += 1
