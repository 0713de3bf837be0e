"""Interval arithmetic in columns: how times in a document lie to the time that is asked about."""

from __future__ import annotations

import numpy as np

from asof.reading.document_features import Column, numbers
from asof.reading.index import NONE, DocumentIndex, Ints
from asof.reading.times.asked import AskedTime

YEAR = 365.25
_TYPES = ("from-to", "between", "in", "in part of decade", "before", "after", "none")
_KINDS = {"at": 0, "range": 1, "from": 2, "until": 3}
_FAR = 40.0  # years: further away is all the same


def against(first: Ints, last: Ints, asked: AskedTime) -> dict[str, Column]:
    """Compare intervals with the asked one: shared time, and how far start and end lie apart in years."""
    shared = np.maximum(0, np.minimum(last, asked.last) - np.maximum(first, asked.first) + 1)
    hull = np.maximum(last, asked.last) - np.minimum(first, asked.first) + 1
    start = np.clip((first - asked.first) / YEAR, -_FAR, _FAR)
    end = np.clip((last - asked.last) / YEAR, -_FAR, _FAR)
    return {
        "covers": numbers(shared / (asked.last - asked.first + 1)),
        "iou": numbers(shared / np.maximum(1, hull)),
        "start": numbers(start),
        "end": numbers(end),
        "start far": numbers(np.abs(start)),
        "end far": numbers(np.abs(end)),
        "start to end": numbers(np.clip((first - asked.last) / YEAR, -_FAR, _FAR)),
    }


def best_in_sentence(index: DocumentIndex, asked: AskedTime) -> Column:
    """Return for each sentence how much its best time shares with the asked one."""
    best = np.zeros(max(1, len(index.document.sentences)), np.float32)
    inside = index.time_sentences != NONE
    iou = against(index.first_days[inside], index.last_days[inside], asked)["iou"]
    np.maximum.at(best, index.time_sentences[inside], iou)
    return best


def of_times(index: DocumentIndex, asked: AskedTime) -> dict[str, Column]:
    """Return columns on how the times that candidates may hang on lie to the asked one."""
    attached = index.attached
    count = len(index.candidates)
    found: dict[str, Column] = {
        "asked type": np.full(count, _TYPES.index(asked.type), np.float32),
        "asked years": np.full(count, (asked.last - asked.first) / YEAR, np.float32),
    }
    first, last = np.append(index.first_days, 0), np.append(index.last_days, 0)
    for name in ("left", "right", "near", "before", "after", "heading"):
        which = getattr(attached, name)
        for measure, column in against(first[which], last[which], asked).items():
            found[f"{name} {measure}"] = np.where(which != NONE, column, np.nan).astype(np.float32)
    for measure, column in against(*index.inferred, asked).items():
        found[f"inferred {measure}"] = column
    best = best_in_sentence(index, asked)
    found["best in sentence"] = best[index.sentence_of]
    found["best in sentence before"] = np.append(np.float32(0), best[:-1])[index.sentence_of]
    found["best in sentence after"] = np.append(best[1:], np.float32(0))[index.sentence_of]
    return found


def of_attached(index: DocumentIndex) -> dict[str, Column]:
    """Return columns on the times that candidates may hang on, whatever is asked."""
    kind = np.array([_KINDS[located.time.kind] for located in index.times] + [NONE])
    stated = np.array([located.time.stated for located in index.times] + [False])
    starts = np.array([located.time.start for located in index.times] + [0])
    ends = np.array([located.time.end for located in index.times] + [0])
    years = np.minimum(np.append(index.last_days - index.first_days, 0) / YEAR, 2 * _FAR)
    found = {}
    for name in ("left", "right", "near"):
        which = getattr(index.attached, name)
        found[f"{name} kind"] = numbers(kind[which])
        found[f"{name} stated"] = numbers(stated[which])
        found[f"{name} years"] = np.where(which != NONE, years[which], np.nan).astype(np.float32)
        far = np.where(starts[which] >= index.ends, starts[which] - index.ends, index.starts - ends[which])
        found[f"{name} letters"] = np.where(which != NONE, far, 999).astype(np.float32)
    return found
