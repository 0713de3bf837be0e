"""What tools give back: rows as every door gives them, with the base that they are from and what to know beside.

The text of a docstring here is what an assistant reads about a result.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from asof.facts.change_row import ChangeRow
from asof.facts.problem_row import ProblemRow
from asof.facts.row import FactRow
from asof.web.suggestions import Suggestion


@dataclass(frozen=True)
class Facts:
    """Facts that fit, in the order of time. ``known_to`` is the day up to which "ongoing" is known to be true."""

    base: str
    known_to: str | None
    total: int
    facts: list[FactRow]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Changes:
    """What changed from one time to another; ``counts`` is of all changes, also those that are not listed."""

    base: str
    known_to: str | None
    earlier: str
    later: str
    total: int
    counts: dict[str, int]
    changes: list[ChangeRow]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Problems:
    """What cannot be in the base, or is suspicious; ``counts`` is of all kinds, also of rows that are not listed."""

    base: str
    known_to: str | None
    total: int
    counts: dict[str, int]
    problems: list[ProblemRow]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Things:
    """What a name may mean, the likeliest first; give an id to other tools when a name means several."""

    base: str
    found: list[Suggestion]
    notes: list[str] = field(default_factory=list)
