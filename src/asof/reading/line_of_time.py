"""When each candidate of a document holds, if those that matter to a question follow one another.

The end of a state is seldom told: it ended when the next one began. So the candidates that matter to what is asked, at
any time, are put in the order of their starts; each holds until the next one starts (Chen et al. 2021, section 4.6).
The borders between them also say which dates of a question mean the same: all those between two borders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from asof.reading.document_features import Column
from asof.reading.index import FAR_FUTURE, FAR_PAST, NONE, DocumentIndex, Ints
from asof.reading.times.asked import AskedTime

_SHARE = 0.25  # of the best: candidates below it do not matter
_LEAST = 0.02
_MOST = 80  # candidates that can matter
_APART = 200  # days: starts that are nearer are the same event
_MONTH = 31
_MARGIN = 3650  # days: how far a time reaches that lies before the first border or after the last


@dataclass(frozen=True)
class LineOfTime:
    """First and last day of each candidate, which of them matter, and the days on which one of these begins or ends."""

    first: Ints
    last: Ints
    matters: Ints
    borders: Ints

    def widened(self, asked: AskedTime) -> AskedTime:
        """Stretch a time to the borders around it: whatever date of a state is asked about, the state is meant."""
        before = self.borders[self.borders <= asked.first + _MONTH]
        first = int(before[-1]) if len(before) else asked.first - _MARGIN
        after = self.borders[(self.borders >= asked.last - _MONTH) & (self.borders > first)]
        return replace(asked, first=first, last=int(after[0]) if len(after) else max(first, asked.last) + _MARGIN)


def line_of_time(index: DocumentIndex, matter: Column, texts: npt.NDArray[np.str_]) -> LineOfTime:
    """Put the candidates of a document on one line of time.

    Args:
        matter: How likely each candidate answers the question at some time.
        texts: The candidates as answers are compared.
    """
    own, kinds = index.own_times, index.own_kinds
    first, last = index.own_days
    matters = np.array([position for position in _apart(index, matter) if own[position] != NONE], dtype=np.int64)
    starting = matters[kinds[matters] != "until"]
    starting = starting[np.argsort(first[starting], kind="stable")]
    starts, whose = first[starting], texts[starting]
    until_next = np.isin(kinds, ("at", "from"))
    last = np.where(until_next, _next(starts, whose, first + _APART, texts), last)
    first = np.where(kinds == "until", _previous(starts, whose, last, texts), first)
    timed = own != NONE
    ended = matters[np.isin(kinds[matters], ("range", "until"))]
    borders = np.unique(np.concatenate([starts, last[ended] + 1])).astype(np.int64)
    return LineOfTime(
        np.where(timed, first, FAR_PAST), np.where(timed, last, FAR_FUTURE), matters, borders[borders > FAR_PAST]
    )


def _apart(index: DocumentIndex, matter: Column) -> Sequence[int]:
    """Choose the candidates that matter; of those that share letters only the best."""
    least = max(_SHARE * float(matter.max(initial=0.0)), _LEAST)
    kept: list[int] = []
    for position in np.argsort(-matter, kind="stable")[:_MOST]:
        if matter[position] < least:
            break
        overlaps = (
            index.sentence_of[other] == index.sentence_of[position]
            and index.starts[position] < index.ends[other]
            and index.starts[other] < index.ends[position]
            for other in kept
        )
        if not any(overlaps):
            kept.append(int(position))
    return kept


def _next(starts: Ints, whose: npt.NDArray[np.str_], days: Ints, texts: npt.NDArray[np.str_]) -> Ints:
    """Return for each candidate the first start of another one that is not before a day."""
    index = np.searchsorted(starts, days)
    names = np.append(whose, "")
    while (same := (index < len(starts)) & (names[index] == texts)).any():
        index = index + same
    return np.append(starts, FAR_FUTURE)[index]


def _previous(starts: Ints, whose: npt.NDArray[np.str_], days: Ints, texts: npt.NDArray[np.str_]) -> Ints:
    """Return for each candidate the last start of another one that is before a day."""
    index = np.searchsorted(starts, days)
    names = np.append("", whose)
    while (same := (index > 0) & (names[index] == texts)).any():
        index = index - same
    return np.append(FAR_PAST, starts)[index]
