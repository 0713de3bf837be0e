"""The verdict on a claim, whether it is sure, and the facts that it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from asof.facts import Fact
from asof.timeline import Date


class ClaimVerdict(StrEnum):
    """What the base says of a claim."""

    HOLDS = "holds"
    OUTDATED = "outdated"
    NOT_YET = "not yet"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class ClaimJudgement:
    """A verdict, whether it is sure, why, and the facts that it rests on.

    Args:
        held_until: Of what is outdated, its end.
        holds_from: Of what does not hold yet, its start.
        instead: The facts that hold in the place of what is claimed.
    """

    verdict: ClaimVerdict
    possibly: bool = False
    why: str = ""
    facts: tuple[Fact, ...] = ()
    instead: tuple[Fact, ...] = ()
    held_until: Date | None = None
    holds_from: Date | None = None


def judged(
    verdict: ClaimVerdict, facts: tuple[Fact, ...], *, why: str = "", possibly: bool = False,
    instead: tuple[Fact, ...] = (), held_until: Date | None = None, holds_from: Date | None = None,
) -> ClaimJudgement:  # fmt: skip
    """Return a verdict on some facts."""
    return ClaimJudgement(
        verdict=verdict,
        possibly=possibly,
        why=why,
        facts=facts,
        instead=instead,
        held_until=held_until,
        holds_from=holds_from,
    )
