"""Columns of the second step: how much candidates matter beside one another, and when, against the asked time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from asof.reading.document_features import Column, numbers
from asof.reading.index import NONE, DocumentIndex
from asof.reading.line_of_time import LineOfTime
from asof.reading.time_features import against
from asof.reading.times.asked import AskedTime


def of_line(
    index: DocumentIndex, asked: AskedTime, matter: Column, texts: npt.NDArray[np.str_], line: LineOfTime
) -> dict[str, Column]:
    """Return columns for each candidate from how much all of them matter, and from the line of time that this makes."""
    wide = line.widened(asked)
    found = {f"line {name}": column for name, column in against(line.first, line.last, asked).items()}
    found |= {f"widened {name}": column for name, column in against(line.first, line.last, wide).items()}
    first, last = np.append(index.first_days, 0), np.append(index.last_days, 0)
    for name in ("near", "left", "right", "before", "heading"):
        which = getattr(index.attached, name)
        shared = against(first[which], last[which], wide)["iou"]
        found[f"widened {name}"] = np.where(which != NONE, shared, np.nan).astype(np.float32)
    return found | _of_matter(index, matter, texts, line) | _of_both(matter, texts, found)


def _of_matter(
    index: DocumentIndex, matter: Column, texts: npt.NDArray[np.str_], line: LineOfTime
) -> dict[str, Column]:
    count, section = len(matter), index.section_of_sentence[index.sentence_of]
    overlapping = best_overlapping(index, matter)
    of_section = np.zeros(len(index.sections), np.float32)
    np.maximum.at(of_section, section, matter)
    in_section = np.bincount(section[line.matters], minlength=len(index.sections))
    return {
        "matter": matter,
        "matter rank": ranks(matter),
        "matter of best": np.full(count, matter.max(initial=0.0), np.float32),
        "matter by best": matter / np.maximum(matter.max(initial=0.0), np.float32(1e-6)),
        "matter of text": best_of_text(texts, matter),
        "matter of overlapping": overlapping,
        "matter over overlapping": matter - overlapping,
        "matter of section": of_section[section],
        "mattering in section": numbers(in_section[section]),
        "mattering": np.full(count, len(line.matters), np.float32),
        "borders": np.full(count, len(line.borders), np.float32),
    }


def _of_both(matter: Column, texts: npt.NDArray[np.str_], columns: dict[str, Column]) -> dict[str, Column]:
    """Weigh matter and time together, against the best candidate that says something else."""
    both = numbers(matter * (0.05 + columns["widened iou"] + 0.5 * np.minimum(1.0, columns["line covers"])))
    best = texts[int(np.argmax(both))]
    rival = both[texts != best].max(initial=0.0)
    return {
        "both": both,
        "both rank": ranks(both),
        "both over rival": numbers(np.where(texts == best, both - rival, both - both.max(initial=0.0))),
    }


def best_overlapping(index: DocumentIndex, matter: Column, *, least: float = 0.0) -> Column:
    """Return for each candidate how much the best other one matters that shares letters with it; least if none does."""
    found = np.full(len(matter), least, np.float32)
    borders = np.searchsorted(index.sentence_of, np.arange(len(index.document.sentences) + 1))
    for low, high in pairwise(borders):
        starts, ends = index.starts[low:high], index.ends[low:high]
        shares = (starts[:, None] < ends[None]) & (starts[None] < ends[:, None])
        np.fill_diagonal(shares, val=False)
        found[low:high] = np.where(shares, matter[None, low:high], least).max(axis=1, initial=least)
    return found


def best_of_text(texts: npt.NDArray[np.str_], values: Column) -> Column:
    """Return for each candidate the best value of those with the same text."""
    names, of = np.unique(texts, return_inverse=True)
    best = np.full(len(names), -np.inf, np.float32)
    np.maximum.at(best, of, values)
    return best[of]


def ranks(values: Column) -> Column:
    """Return the place of each value among all, the largest first, from 0 to 1."""
    order = np.argsort(np.argsort(-values, kind="stable"), kind="stable")
    return numbers(order / max(1, len(values)))
