"""Facts as a notebook shows them, alone or as the answer to a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import Any, Self

import pyarrow as pa

from asof.api.frame import NO_ROWS, Frame
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

    def _rows_at(self, positions: Any) -> Self:
        facts = self.facts
        return replace(super()._rows_at(positions), found=[facts[index] for index in positions.to_pylist()])

    def _order_of(self, column: str) -> str:
        """Let dates sort by their first day, not as texts: "-0044" comes before "1066"."""
        days = {"start": "earliest_start", "end": "latest_end"}.get(column, column)
        return days if days in self.columns else column

    def plot(self) -> Any:
        """Draw when each object held, and return the matplotlib figure."""
        from asof.api.time_plots import plot_facts

        known = [Date.parse(day).last for day in set(self["known_to"]) if day]
        return plot_facts(self.to_pylist(), max(known, default=None))

    def _shown_rows(self, most: int) -> list[dict[str, Any]]:
        """Show why an end is no date in its place."""
        return [
            row | {end: row[end] or row.get(f"{end}_precision") for end in ("start", "end") if end in row}
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
        return f"{self.text}\n{super().__repr__().removeprefix(NO_ROWS).lstrip()}".rstrip()

    def _repr_html_(self) -> str:
        return f"<p><strong>{escape(self.text)}</strong></p>{super()._repr_html_()}"


def table_of(rows: Sequence[FactRow]) -> pa.Table:
    """Make a table of rows of facts."""
    columns = {one.name: [getattr(row, one.name) for row in rows] for one in fields(FactRow)}
    return with_dates(
        pa.table({name: pa.array(values, _TYPES.get(name, pa.string())) for name, values in columns.items()})
    )
