"""Who follows: learnt from all that followed before, each asked about on a day since the change before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from asof.completion.dataset import Ints
from asof.completion.forecast.candidates import ANOTHER, FEATURES, NOT_KNOWN, Scene, Shares
from asof.completion.forecast.choice import OptionSet, chances, fitted_weights
from asof.completion.forecast.past_view import PastView
from asof.completion.forecast.waiting import Floats
from asof.completion.trained.calibration import expected_calibration_error

_LEARNT_FROM = 1000  # changes of a role, the latest
_ENOUGH = 300  # of them; where there are fewer, other roles teach, too
_WARM_UP = 0.2  # of the changes, from which only shares are counted
_HELD_OUT = 0.3  # of the rest, the latest, on which probabilities are checked
_FIRST_GUESS = {"share of its origin": 1.0, "many elsewhere": 1.0, "link that leads here": 0.5}


class Succession(NamedTuple):
    """Something began in a timeline in which there had been something before.

    Args:
        asked: When it is asked who follows: what had begun before that is known. Some time since the change before, as
            people ask on any day, and not just on the last.
        answers: All that began then.
    """

    entity: int
    role: int
    time: int
    asked: int
    answers: Ints


@dataclass(frozen=True)
class Backtest:
    """How right answers were about changes that had not been learnt from, asked from the day before.

    Args:
        right: The share in which the likeliest was right.
        sure: The mean probability of the likeliest.
        repeats: The share in which the last one before was right; ``usual`` that in which the role's most frequent was.
    """

    changes: int
    right: float
    sure: float
    expected_calibration_error: float
    repeats: float
    log_loss: float


@dataclass(frozen=True)
class SuccessorChances:
    """Who may follow, the likeliest first; NOT_KNOWN for whoever the facts do not know."""

    candidates: Ints
    chances: Floats


@dataclass(frozen=True)
class Successors:
    """Learns who follows in one role."""

    scene: Scene
    role: int

    @classmethod
    def of(cls, known: PastView, role: int) -> Successors:
        """Prepare to learn."""
        return cls(Scene.of(known), role)

    def ask(self, entity: int) -> SuccessorChances:
        """Tell who follows after the day."""
        shares, _, weights = self._learnt
        options = self.scene.options(entity, self.role, self.scene.known.day + 1, shares)
        found = chances(options.features, weights)
        order = np.argsort(-found, kind="stable")
        return SuccessorChances(options.candidates[order], found[order])

    @property
    def learnt_from(self) -> int:
        """How many changes of the role it has learnt from; of none nothing can be said."""
        return len(self._learnt[1])

    @cached_property
    def backtest(self) -> Backtest | None:
        """Learn from the earlier changes of the role and foretell the latest; None where there are too few."""
        lessons = self._learnt[1]
        cut = int(len(lessons) * (1 - _HELD_OUT))
        if len(lessons) - cut < 20:
            return None
        weights = self._weights([one for _, one, _ in lessons[:cut]])
        sure, right, loss = [], [], []
        for _, lesson, _ in lessons[cut:]:
            found = chances(lesson.features, weights)
            best = int(found.argmax())
            sure.append(found[best])
            right.append(lesson.chosen[best])
            loss.append(-float(lesson.chosen @ np.log(found + 1e-300)))
        return Backtest(
            changes=len(sure),
            right=float(np.mean(right)),
            sure=float(np.mean(sure)),
            expected_calibration_error=expected_calibration_error(np.array(sure), np.array(right)),
            repeats=float(np.mean([again for _, _, again in lessons[cut:]])),
            log_loss=float(np.mean(loss)),
        )

    @cached_property
    def _learnt(self) -> tuple[Shares, list[tuple[Succession, OptionSet, float]], Floats]:
        shares = Shares.none()
        changes = successions(self.scene.known, self.role)[-_LEARNT_FROM:]
        lessons = list(self._lessons(changes, shares))
        return shares, lessons, self._weights([lesson for _, lesson, _ in lessons])

    def _weights(self, lessons: list[OptionSet]) -> Floats:
        guess = np.array([_FIRST_GUESS.get(name, 0.0) for name in FEATURES])
        if len(lessons) < _ENOUGH:
            guess = fitted_weights(self._other_lessons, guess)
        return fitted_weights(lessons, guess)

    @cached_property
    def _other_lessons(self) -> list[OptionSet]:
        """Lessons of other roles, the same way round, for a role that has few."""
        known = self.scene.known
        same_way = (known.role < known.roles // 2) == (self.role < known.roles // 2)
        found: list[OptionSet] = []
        for role, count in zip(*np.unique(known.role[same_way], return_counts=True), strict=True):
            if role != self.role and count > _ENOUGH // 10:
                changes = successions(known, int(role))[-_ENOUGH // 4 :]
                found += [lesson for _, lesson, _ in self._lessons(changes, Shares.none())]
        return found[-_LEARNT_FROM:]

    def _lessons(self, changes: list[Succession], shares: Shares) -> Iterator[tuple[Succession, OptionSet, float]]:
        for number, change in enumerate(changes):
            options = self.scene.options(change.entity, change.role, change.asked, shares)
            chosen = np.zeros(len(options.candidates))
            for answer in change.answers.tolist():
                at = np.flatnonzero(options.candidates == answer)
                heard = self.scene.known.last_heard_of(np.array([answer]), change.asked)[0]
                other = ANOTHER if heard > -_NEVER else NOT_KNOWN
                place = int(at[0]) if len(at) else int(np.flatnonzero(options.candidates == other)[0])
                chosen[place] += 1 / len(change.answers)
            if number >= _WARM_UP * len(changes):
                was_last = options.features[:, FEATURES.index("was last")]
                yield change, OptionSet(options.features, chosen), float(chosen @ was_last)
            self._note(change, options.origins, options.candidates, chosen, shares)

    def _note(self, change: Succession, origins: Ints, candidates: Ints, chosen: Floats, shares: Shares) -> None:
        """Count what came, after it has been asked for."""
        for place in np.flatnonzero(chosen):
            shares.note(change.entity, change.role, int(origins[place]), float(chosen[place]))
        linked, roles = self.scene.links(change.entity, change.role, change.asked)
        right = np.isin(linked, candidates[chosen > 0])
        for role in np.unique(roles):
            seen = roles == role
            counts = shares.through.setdefault((change.role, int(role)), np.zeros(2))
            counts += (float(right[seen].any()), float(len(np.unique(linked[seen]))))


_NEVER = 10**6


def successions(known: PastView, role: int) -> list[Succession]:
    """Return what began in timelines of a role, but for the first of each, in the order of time."""
    rows = np.flatnonzero(known.role == role)
    timeline, start = known.timeline_of[rows], known.start[rows]
    begins = np.flatnonzero((np.diff(timeline, prepend=-1) != 0) | (np.diff(start, prepend=known.day + 1) != 0))
    ends = np.append(begins[1:], len(rows))
    number = np.cumsum(known.met)  # among those heard of by the day: whoever comes later changes nothing
    later = np.flatnonzero(timeline[begins] == np.concatenate([[-1], timeline[begins][:-1]])) if len(begins) else begins
    found = []
    for one in later:
        entity, time, before = (
            int(known.entity[rows[begins[one]]]),
            int(start[begins[one]]),
            int(start[begins[one - 1]]),
        )
        asked = before + 1 + (int(number[entity]) * 2_654_435_761 + before * 40_503) % (time - before)
        found.append(Succession(entity, role, time, asked, np.unique(known.answer[rows[begins[one] : ends[one]]])))
    return sorted(found, key=lambda one: (one.time, one.entity))
