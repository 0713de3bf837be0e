"""Facts whose missing date became known: the same subject, relation and object, and the same other date."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Ints, Quadruples

Row = tuple[int, ...]


def rows_of(facts: Quadruples) -> list[Row]:
    """Return facts as tuples that can be compared."""
    columns = (facts.subject, facts.relation, facts.object, facts.start, facts.end)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def without_one_date(facts: Quadruples) -> dict[Row, Row]:
    """Return facts that have both dates by what they were while one of them was missing."""
    found: dict[Row, Row] = {}
    for fact in rows_of(facts[facts.dated]):
        found[(*fact[:4], AFTER_ALL)] = fact
        found[(*fact[:3], BEFORE_ALL, fact[4])] = fact
    return found


def with_dates_filled(dataset: Dataset, added: int) -> Dataset:
    """Give facts the dates that the last ``added`` facts of train know, each in its own split; these are said once."""
    new = len(dataset.train) - added
    later = without_one_date(dataset.train[new:])
    every = dataset.all_facts
    start, end = every.start.copy(), every.end.copy()
    undated = np.flatnonzero(~every.dated & np.isin(every.subject, dataset.train[new:].subject))
    filled = [place for place, fact in zip(undated.tolist(), rows_of(every[undated]), strict=True) if fact in later]
    if not filled:
        return dataset
    now = [later[fact] for fact in rows_of(every[np.array(filled)])]
    start[filled], end[filled] = [fact[3] for fact in now], [fact[4] for fact in now]
    said = set(now)
    keep = np.ones(len(every), bool)
    keep[new : new + added] = [fact not in said for fact in rows_of(dataset.train[new:])]
    keep[filled] = True
    return _with(dataset, replace(every, start=start, end=end), np.array(filled), keep)


def _with(dataset: Dataset, every: Quadruples, filled: Ints, keep: npt.NDArray[np.bool_]) -> Dataset:
    train, valid = len(dataset.train), len(dataset.train) + len(dataset.valid)
    ongoing, later_ends = dataset.ongoing, dataset.later_ends
    if ongoing is not None:
        ongoing = ongoing.copy()
        ongoing[filled] = False
    if later_ends is not None:
        later_ends = later_ends.copy()
        later_ends[filled] = every.end[filled]
    return replace(
        dataset,
        train=every[:train][keep[:train]],
        valid=every[train:valid],
        test=every[valid:],
        ongoing=None if ongoing is None else ongoing[keep],
        later_ends=None if later_ends is None else later_ends[keep],
    )
