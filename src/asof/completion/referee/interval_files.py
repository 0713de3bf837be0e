"""Predicted intervals from files: rows with question, start and end; where a question has several, score or rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from asof.completion.dataset import Dataset, Ints
from asof.completion.interval_prediction import INTERVAL_METRICS
from asof.completion.referee.questions import question_numbers, time_number
from asof.completion.referee.score_files import read_table
from asof.errors import UserError
from asof.metrics import SHARE, holm, interval_of, metric_of, sign_flip_test

AT = (1, 5, 10)


@dataclass(frozen=True)
class IntervalSheet:
    """What somebody predicts for the dates of facts, scored: for each measure and k a value for each dated fact.

    Args:
        depth: The most intervals that a fact has; no k beyond it says more.
    """

    name: str
    values: dict[str, npt.NDArray[np.float64]]
    depth: int
    notes: tuple[str, ...]


def read_intervals(path: Path, dataset: Dataset, split: str) -> IntervalSheet:
    """Read a file of predicted intervals and score them; of the first k, the best for each fact counts."""
    table = read_table(path)
    name = path.name.removesuffix(".gz").rsplit(".", 1)[0]
    missing = {"question", "start", "end"} - set(table.column_names)
    if missing:
        raise UserError(
            f"{path} has no column called {' or '.join(sorted(missing))}. Predicted intervals have question (t0, t1 "
            "...), start and end, and score or rank where a question has several."
        )
    return scored_intervals(name, table, dataset, split)


def scored_intervals(name: str, table: pa.Table, dataset: Dataset, split: str) -> IntervalSheet:
    """Score predicted intervals against the facts of a split that have both ends."""
    facts = dataset.split(split)
    ids = np.array(table["question"].cast(pa.string()).to_pylist(), str)
    fact = question_numbers(ids, len(facts), file=name, dates=True)
    first, last = (_times(table[end], dataset, name) for end in ("start", "end"))
    if (first > last).any():
        row = int(np.flatnonzero(first > last)[0])
        raise UserError(f"{name}, row {row + 1}: the interval of {ids[row]} ends before it starts.")
    place = _places(table, fact, name)
    dated = np.flatnonzero(facts.dated)
    if not len(dated):
        raise UserError(f"No {split} fact of {dataset.name} has both ends, so no interval can be scored.")
    best = {
        f"{measure}@{k}": np.full(len(facts), metric_of(measure).lowest) for measure in INTERVAL_METRICS for k in AT
    }
    gold = (facts.start[fact], facts.end[fact])
    known = facts.dated[fact]
    for measure, function in INTERVAL_METRICS.items():
        scores = np.asarray(function(gold, (first, last)), float)
        for k in AT:
            counts = known & (place < k)
            np.maximum.at(best[f"{measure}@{k}"], fact[counts], scores[counts])
    there = np.isin(dated, fact)
    notes = []
    if not there.all():
        notes.append(
            f"{int((~there).sum()):,} of {len(dated):,} dated facts have no interval; they get the lowest value."
        )
    values = {key: column[dated] for key, column in best.items()}
    return IntervalSheet(name, values, int(place.max(initial=0)) + 1, tuple(notes))


def _times(column: pa.ChunkedArray, dataset: Dataset, file: str) -> Ints:
    words = [None if one is None else str(one) for one in column.to_pylist()]
    if None in words:
        raise UserError(f"{file}, row {words.index(None) + 1}: a predicted interval has a start and an end.")
    unique, where = np.unique(np.array(words, str), return_inverse=True)
    return np.array([time_number(str(one), dataset.granularity, file=file) for one in unique], np.int64)[where]


def _places(table: pa.Table, fact: Ints, file: str) -> Ints:
    """Number the intervals of each fact, the best first."""
    if "score" in table.column_names:
        key = -table["score"].cast(pa.float64()).to_numpy(zero_copy_only=False)
    elif "rank" in table.column_names:
        key = table["rank"].cast(pa.float64()).to_numpy(zero_copy_only=False)
    elif len(np.unique(fact)) < len(fact):
        raise UserError(
            f"{file} has several intervals for a question. Add a column score or rank that says which is best."
        )
    else:
        key = np.zeros(len(fact))
    order = np.lexsort((key, fact))
    starts = np.searchsorted(fact[order], fact[order], side="left")
    found = np.zeros(len(fact), np.int64)
    found[order] = np.arange(len(fact)) - starts
    return found


def interval_rows(sheets: Sequence[IntervalSheet]) -> list[dict[str, Any]]:
    """Give each measure with its 95 % interval, and where there are several files the test against the first."""
    rows = []
    deepest = max(sheet.depth for sheet in sheets)
    told = {str(k) for k, before in zip(AT, (0, *AT), strict=False) if before < deepest}
    for sheet in sheets:
        for key, values in sheet.values.items():
            if key.partition("@")[2] not in told:
                continue
            low, high, _ = interval_of(values, np.ones(len(values)), SHARE)
            figures = {"value": float(values.mean()), "low": low, "high": high}
            row: dict[str, Any] = {"scores": sheet.name, "measure": key, "facts": len(values)}
            row |= {name: round(value, 4) for name, value in figures.items()}
            apart = values - sheets[0].values[key]
            row |= {"difference": round(float(apart.mean()), 4), "p": sign_flip_test(apart)[0]}
            rows.append(row)
    later = [row for row in rows if row["scores"] != sheets[0].name]
    for row, p in zip(later, holm([row["p"] for row in later]), strict=True):
        row["p_holm"] = round(p, 4)
    for row in rows:
        row |= {"p": round(row["p"], 4)} if row in later else {"difference": None, "p": None, "p_holm": None}
    return rows
