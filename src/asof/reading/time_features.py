"""Interval arithmetic in columns: how times in a document lie to the time that is asked about."""

from __future__ import annotations

import numpy as np

from asof.reading.document_features import Column, numbers
from asof.reading.index import NONE, DocumentIndex, Ints
from asof.reading.times.asked import AskedTime

YEAR = 365.25
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
