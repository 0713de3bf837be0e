"""A knowledge cutoff as people give it: a time, a run, or what ``asof cutoff --json`` printed; and what lies beside it.

An estimate has an interval. What is after a cutoff is after the end of the interval, and what is before it is before
its beginning, so that neither is in doubt.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from asof.benchmarks import declared
from asof.errors import DateError, UserError
from asof.runs.cutoff import CutoffOf
from asof.runs.cutoff_rows import cutoff_rows
from asof.runs.folder import read_run
from asof.timeline import parse_when


@dataclass(frozen=True)
class CutoffBounds:
    """The days between which a model's knowledge ends.

    Args:
        low: The last day that it surely knows of.
        high: The last day that it may know of.
        text: What to call it.
    """

    low: int
    high: int
    text: str


def read_cutoff(given: str, *, side: str) -> CutoffBounds:
    """Read a time, the folder of a run, or a file with the JSON of ``asof cutoff``.

    Args:
        side: "after" or "before": which side of it is wanted, and so which border must be known.
    """
    place = Path(given)
    if place.is_dir():
        (row,) = cutoff_rows(CutoffOf(read_run(place)))
        return _of_row(row, given, side)
    if place.is_file():
        try:
            lines = place.read_text(encoding="utf-8").splitlines()
            row = dict(json.loads(lines[0]))
        except (ValueError, IndexError, TypeError) as error:
            raise UserError(f"{given} is not what 'asof cutoff RUN --json' prints ({error}).") from error
        return _of_row(row, given, side)
    try:
        time = parse_when(given)
    except DateError as error:
        raise UserError(
            f"{error} --{side} takes a time, a run folder, or a file with the output of: asof cutoff RUN --json"
        ) from error
    return CutoffBounds(time.last, time.last, given)


def _of_row(row: Mapping[str, Any], given: str, side: str) -> CutoffBounds:
    low, high = row.get("low"), row.get("high")
    if not low or not high:
        why = f": {row['why']}" if row.get("why") else ""
        raise UserError(f"{given} cannot tell a cutoff{why}. Give a period to --{side}.")
    open_end = {"after": "later", "before": "earlier"}[side]
    if row.get("beyond") in (open_end, "both"):
        raise UserError(
            f"The cutoff of {given} may be {open_end} than its benchmark asks about ({low} to {high}). Ask about "
            f"{open_end} periods, or give a period to --{side}."
        )
    bounds = [parse_when(str(one)).last for one in (low, high)]
    return CutoffBounds(bounds[0], bounds[1], str(low) if low == high else f"{low} to {high}")


@dataclass(frozen=True)
class KnowledgeSelection:
    """Keeps items whose answers began after a cutoff, before it, or between two."""

    benchmark: str
    after: CutoffBounds | None = None
    before: CutoffBounds | None = None

    def __post_init__(self) -> None:
        """See that items of this benchmark say since when their answers are right."""
        if not declared(self.benchmark).known_from:
            raise UserError(
                f"Items of {self.benchmark} do not say since when their answers are right, so --after and --before "
                "cannot select them. They can for: dynamic-templama, templama, timestress."
            )

    @property
    def described(self) -> dict[str, str]:
        """What is put on record of it."""
        return {name: one.text for name, one in (("after", self.after), ("before", self.before)) if one}

    def kept(self, items: pa.Table) -> pa.Table:
        """Return the items that were known after or before the cutoff; where that is not stated, none."""
        starts = items[declared(self.benchmark).known_from].to_pylist()
        keeps = {start: self._keeps(start) for start in set(starts)}
        return items.filter(pa.array([keeps[start] for start in starts], pa.bool_()))

    def _keeps(self, start: str | None) -> bool:
        if start is None:
            return False
        began = parse_when(start)
        late = self.after is None or began.first > self.after.high
        return late and (self.before is None or began.last <= self.before.low)
