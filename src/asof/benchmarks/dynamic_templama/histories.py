"""What an engine found, in numbers: which answer each subject and relation had, from which period to which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from asof.benchmarks.dynamic_templama.spells import AnswerSpells, Numbers
from asof.facts.definitions.selections import PAIR
from asof.timeline import Granularity
from asof.timeline.calendar import calendar_day


@dataclass(frozen=True)
class PairHistories:
    """Pairs of a subject and a relation, the most popular first, and which answer each had when.

    ``pairs`` has subject, relation and subject_label; ``names`` label and aliases of each answer.
    """

    pairs: pa.Table
    names: pa.Table
    held: AnswerSpells


def read_histories(
    table: pa.Table, things: pa.Table, by: Granularity, *, by_name: bool, merge_subjects: bool
) -> PairHistories:
    """Number pairs and answers, the most popular pairs first.

    Args:
        table: What ``facts.definitions.histories`` gave.
        things: The entities in it: id, label, aliases, popularity.
        by_name: Answers with the same name are one answer.
        merge_subjects: Subjects with the same name are one subject.
    """
    row_of = {id: number for number, id in enumerate(things["id"].to_pylist())}
    labels = things["label"].to_pylist()
    known = np.array([row_of.get(id, -1) for id in table["subject"].to_pylist()], np.int64)
    popularity = np.append(things["popularity"].fill_null(0.0).to_numpy(), 0.0)[known]
    order = np.argsort(-popularity, kind="stable")
    table, known = table.take(pa.array(order)), known[order]
    subjects = table["subject"].to_pylist()
    names = [labels[number] if number >= 0 else id for number, id in zip(known.tolist(), subjects, strict=True)]
    pairs = table.select(PAIR).append_column("subject_label", pa.array(names, pa.string()))
    objects = table["objects"].combine_chunks()
    pair = np.repeat(np.arange(table.num_rows), objects.value_lengths().to_numpy())
    if merge_subjects:
        pairs, pair = _merged(pairs, pair)
    codes = objects.flatten().dictionary_encode()
    answers, answer = _names(codes.dictionary.to_pylist(), things, row_of, by_name=by_name)
    start, end = (
        period_of(table[name].combine_chunks().flatten().to_numpy().astype(np.int64), by) for name in ("starts", "ends")
    )
    held = AnswerSpells(pair, answer[codes.indices.to_numpy()], start, end)
    inorder = np.lexsort((held.end, held.start, held.pair))
    return PairHistories(pairs, answers, AnswerSpells(*(column[inorder] for column in held)))


def _names(ids: Sequence[str], things: pa.Table, row_of: dict[str, int], *, by_name: bool) -> tuple[pa.Table, Numbers]:
    """Return label and aliases of answers, and which of them each id means."""
    labels, aliases = things["label"].to_pylist(), things["aliases"].to_pylist()
    known = [row_of.get(id, -1) for id in ids]
    rows = [
        (labels[number], aliases[number]) if number >= 0 else (id, []) for number, id in zip(known, ids, strict=True)
    ]
    codes = np.arange(len(rows))
    if by_name:
        first: dict[str, int] = {}
        codes = np.array([first.setdefault(label, number) for number, (label, _) in enumerate(rows)], np.int64)
    table = {"label": pa.array([label for label, _ in rows], pa.string())}
    table["aliases"] = pa.array([others for _, others in rows], pa.list_(pa.string()))
    return pa.table(table), codes


def _merged(pairs: pa.Table, pair: Numbers) -> tuple[pa.Table, Numbers]:
    """Make one pair of those whose subjects have the same name; it goes by the id of the most popular one."""
    first: dict[tuple[str, str], int] = {}
    keys = zip(pairs["subject_label"].to_pylist(), pairs["relation"].to_pylist(), strict=True)
    same = np.array([first.setdefault(key, number) for number, key in enumerate(keys)], np.int64)
    return pairs, same[pair]


def period_of(days: Numbers, granularity: Granularity) -> Numbers:
    """Return the index of the period in which each day lies, as ``Period.containing`` does for one."""
    year, month, _ = calendar_day(days)
    return (year * 12 + month - 1) // int(granularity)
