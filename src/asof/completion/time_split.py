"""Forecasts: train before, valid and test after, and nothing in train that was not known by then.

A fact belongs to the split in which it begins. Of a fact of train that ends later, the end is not known yet, so it is
left out, as are those of valid that end within the time of test. What has no start could begin at any time: it is in
train if it ended before, and else in no split.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Ints, Protocol, Quadruples
from asof.errors import UserError

_SHARES = (0.8, 0.9)  # of the facts, in the order of their starts: where train ends, where valid ends


@dataclass(frozen=True)
class TimeSplit:
    """A dataset that is split by time.

    Args:
        valid_from: The first year (or day) of valid; train has only what was known before.
        test_from: The first of test.
        left_out: Facts without a start that do not end before valid begins.
        cut_short: Ends that were not known yet.
    """

    dataset: Dataset
    valid_from: int
    test_from: int
    left_out: int
    cut_short: int


def split_by_time(dataset: Dataset, cuts: tuple[int, int] | None = None) -> TimeSplit:
    """Put the facts of all splits together and part them by time.

    Args:
        cuts: The first time of valid and that of test; by default such that about 80, 10 and 10 % of facts begin in
            each, and no time is in two.
    """
    if dataset.protocol is Protocol.JAIN2020:
        raise UserError(
            "A split by time needs --protocol corrected: jain2020 makes one of all entities that train does not have, "
            "and its train is another one."
        )
    facts = dataset.all_facts
    valid_from, test_from = cuts or _cuts(facts.start[facts.start > BEFORE_ALL], dataset.name)
    split = np.digitize(facts.start, [valid_from, test_from])
    unclear = (facts.start == BEFORE_ALL) & (facts.end >= valid_from)
    kept = ~unclear
    parts, goes_on, ends = [], [], []
    cut_short = 0
    for number, border in enumerate((valid_from, test_from, None)):
        chosen = kept & (split == number)
        part = facts[chosen]
        later = np.zeros(len(part), bool) if border is None else (part.end >= border) & (part.end < AFTER_ALL)
        cut_short += int(later.sum())
        parts.append(replace(part, end=np.where(later, AFTER_ALL, part.end)))
        ends.append(part.end)
        goes_on.append(later if dataset.ongoing is None else later | dataset.ongoing[chosen])
    ongoing = np.concatenate(goes_on)
    train = parts[0]
    if not all(len(part) for part in parts):
        raise UserError(
            f"{dataset.name} cannot be split by time: train, valid and test would have "
            f"{', '.join(f'{len(part):,}' for part in parts)} facts. It needs facts that begin at three different "
            "times."
        )
    found = replace(
        dataset,
        train=train,
        valid=parts[1],
        test=parts[2],
        points=_points(train, valid_from, int(dataset.points[-2])),
        ongoing=ongoing if ongoing.any() else None,
        known_until=_last(train),
        later_ends=np.concatenate(ends) if cut_short else None,
    )
    return TimeSplit(found, valid_from, test_from, int(unclear.sum()), cut_short)


def _cuts(starts: Ints, name: str) -> tuple[int, int]:
    """Return two times at which about as many facts have begun as should; each the first of its split."""
    times, counts = np.unique(starts, return_counts=True)
    if len(times) < 3:
        raise UserError(
            f"{name} cannot be split by time: its facts begin at {len(times)} different times, and train, valid and "
            "test need one each."
        )
    before = np.cumsum(counts) / counts.sum()
    first = int(np.clip(np.searchsorted(before, _SHARES[0]) + 1, 1, len(times) - 2))
    second = int(np.clip(np.searchsorted(before, _SHARES[1]) + 1, first + 1, len(times) - 1))
    return int(times[first]), int(times[second])


def _points(train: Quadruples, valid_from: int, last: int) -> Ints:
    """Return the times of train, and beyond them every one of the calendar: which of these facts have is not known."""
    known = np.concatenate([train.start, train.end, [BEFORE_ALL, AFTER_ALL]])
    return np.unique(np.concatenate([known, np.arange(valid_from, max(last, valid_from) + 1)]))


def _last(train: Quadruples) -> int:
    times = np.concatenate([train.start, train.end])
    return int(times[(times > BEFORE_ALL) & (times < AFTER_ALL)].max())
