"""Small datasets made of numbers, without files."""

from collections.abc import Sequence

import numpy as np

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Granularity, Protocol, Quadruples

Row = tuple[int, int, int, int, int]  # subject, relation, object, start, end

POSTS, HOLDERS, TOWNS, YEARS = 4, 8, 4, 4


def quadruples(rows: Sequence[Row]) -> Quadruples:
    """Turn rows into columns."""
    return Quadruples(*np.array(rows, np.int64).reshape(-1, 5).T)


def dataset_of(
    train: Sequence[Row],
    *,
    valid: Sequence[Row] = (),
    test: Sequence[Row] = (),
    entities: int,
    relations: int,
    protocol: Protocol = Protocol.CORRECTED,
    granularity: Granularity = "year",
) -> Dataset:
    """Make a dataset of rows; entities and relations are called by their numbers."""
    ends = [end for row in (*train, *valid, *test) for end in row[3:]]
    return Dataset(
        name="toy",
        entities=tuple(f"entity {number}" for number in range(entities)),
        relations=tuple(f"relation {number}" for number in range(relations)),
        points=np.unique(np.array([*ends, BEFORE_ALL, AFTER_ALL], np.int64)),
        train=quadruples(train),
        valid=quadruples(valid),
        test=quadruples(test),
        granularity=granularity,
        protocol=protocol,
    )


def terms_of_office() -> Dataset:
    """Posts with eight holders each, one after the other from 1980 on, and the town of every holder; train only."""
    rows: list[Row] = []
    for post in range(POSTS):
        for turn in range(HOLDERS):
            holder = POSTS + HOLDERS * post + turn
            start = 1980 + YEARS * turn
            rows.append((post, 0, holder, start, start + YEARS - 1))
            rows.append((holder, 1, POSTS + POSTS * HOLDERS + (post + turn) % TOWNS, start, start))
    return dataset_of(rows, entities=POSTS + POSTS * HOLDERS + TOWNS, relations=2)
