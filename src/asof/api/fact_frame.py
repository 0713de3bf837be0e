"""Facts as a notebook shows them, alone or as the answer to a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import Any

import pyarrow as pa

from asof.api.frame import Frame
from asof.facts import Fact
from asof.facts.row import FactRow
from asof.facts.row_table import with_dates
from asof.timeline import Bounds, Date

_TYPES = {"possibly": pa.bool_()} | dict.fromkeys(Bounds._fields, pa.int64())


@dataclass(frozen=True, repr=False)
class FactFrame(Frame):
    """Facts as a frame; ``facts`` has the same as objects."""

    found: Iterable[Fact] = ()

    @property
    def facts(self) -> list[Fact]:
        """The same facts as objects."""
        return list(self.found)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return replace(super().__getitem__(key), found=self.facts[key])
        return super().__getitem__(key)

    def plot(self) -> Any:
        """Draw when each object held, and return the matplotlib figure."""
        from asof.api.time_plots import plot_facts

        known = [Date.parse(day).last for day in set(self["known_to"]) if day]
        return plot_facts(self.to_pylist(), max(known, default=None))

    def _shown_rows(self, most: int) -> list[dict[str, Any]]:
        """Show why an end is no date in its place."""
        return [
            {**row, **{end: row[end] or row[f"{end}_precision"] for end in ("start", "end")}}
            for row in self.table.slice(0, most).to_pylist()
        ]


@dataclass(frozen=True, repr=False)
class AnswerFrame(FactFrame):
    """The answer to a question: ``text`` says it in a line, the rows are the facts that say so.

    ``answer`` has everything, as ``asof ask --json`` gives it: the status, each answer by itself, how the question was
    read.
    """

    text: str = ""
    answer: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"{self.text}\n{super().__repr__()}"

    def _repr_html_(self) -> str:
        return f"<p><strong>{escape(self.text)}</strong></p>{super()._repr_html_()}"


def table_of(rows: Sequence[FactRow]) -> pa.Table:
    """Make a table of rows of facts."""
    columns = {one.name: [getattr(row, one.name) for row in rows] for one in fields(FactRow)}
    return with_dates(
        pa.table({name: pa.array(values, _TYPES.get(name, pa.string())) for name, values in columns.items()})
    )
