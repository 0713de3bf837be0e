"""``knowledge_cutoff.json``, for programs: the estimates of all releases. See ``asof schema knowledge-cutoff``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from asof.watches.outcomes import Outcome, Track

VERSION = 1


@dataclass(frozen=True)
class KnowledgeCutoff:
    """The estimate for one release of a model.

    Args:
        cutoff: The period with which its knowledge most likely ends; null where the run cannot tell.
        status: "estimated", "newer" or "older" (at the border of the benchmark or beyond), "unknown".
        beyond: Where the 95 % interval from low to high reaches the border of the benchmark.
        changed_facts: On how many facts that changed it rests.
        known: The share of facts that are answered with an answer that they had at some time.
        base_hash: The facts that the benchmark was made from.
        asked: The day of the last session.
        newest: Whether it is the newest release of the model.
    """

    model: str
    release: str | None
    released: str | None
    newest: bool
    benchmark: str
    probe: str
    cutoff: str | None
    low: str | None
    high: str | None
    beyond: str | None
    status: str
    why: str | None
    changed_facts: int
    known: float | None
    guessing: float | None
    base: str
    base_hash: str
    asked: str | None


@dataclass(frozen=True)
class KnowledgeCutoffs:
    """All estimates of a watch."""

    schema: str
    title: str
    made_by: str
    made_on: str
    estimates: list[KnowledgeCutoff]

    def as_row(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


def knowledge_cutoffs(tracks: Sequence[Track], *, title: str, made_by: str, made_on: str) -> KnowledgeCutoffs:
    """Put the estimates of all releases together."""
    found = [
        estimate
        for track in tracks
        for outcome in track.outcomes
        if (estimate := _estimate(outcome, newest=outcome is track.newest)) is not None
    ]
    return KnowledgeCutoffs(f"urn:asof:knowledge-cutoff:{VERSION}", title, made_by, made_on, found)


def _estimate(outcome: Outcome, *, newest: bool) -> KnowledgeCutoff | None:
    cutoff, record = outcome.cutoff, outcome.kept.record
    if cutoff is None:
        return None
    known = cutoff.controls.known
    return KnowledgeCutoff(
        model=record.model,
        release=record.release or None,
        released=record.released,
        newest=newest,
        benchmark=record.benchmark,
        probe=record.probe,
        cutoff=None if cutoff.best is None else str(cutoff.best),
        low=None if cutoff.low is None else str(cutoff.low),
        high=None if cutoff.high is None else str(cutoff.high),
        beyond=cutoff.beyond,
        status=cutoff.status,
        why=cutoff.why or None,
        changed_facts=cutoff.facts,
        known=round(known.value, 4) if known.n else None,
        guessing=round(cutoff.controls.guessing, 4) if known.n else None,
        base=record.base,
        base_hash=outcome.base_hash,
        asked=record.done,
    )
