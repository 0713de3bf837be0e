"""Facts as a notebook shows them, alone or as the answer to a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from asof.api.frame import Frame
from asof.facts import Fact
from asof.facts.row import FactRow
from asof.timeline import Bounds, Date

# The calendar of Python, and of libraries for tables.
_FIRST_DAY, _LAST_DAY = Date.parse("0001-01-01").first, Date.parse("9999-12-31").last
_TYPES = {"possibly": pa.bool_()} | dict.fromkeys(Bounds._fields, pa.int64())


@dataclass(frozen=True, repr=False)
class FactFrame(Frame):
    """Facts as a frame; ``facts`` has the same as objects."""

    found: Iterable[Fact] = ()

    @property
    def facts(self) -> list[Fact]:
        """The same facts as objects."""
        return list(self.found)

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


def with_dates(table: pa.Table) -> pa.Table:
    """Add start_date and end_date: the first and the last day as dates, where there is one and a calendar has it."""
    for end, day in (("start", "earliest_start"), ("end", "latest_end")):
        days = table[day]
        known = pc.and_(
            pc.is_valid(table[end]), pc.and_(pc.less_equal(_FIRST_DAY, days), pc.less_equal(days, _LAST_DAY))
        )
        dates = pc.if_else(known, days, None).cast(pa.int32()).cast(pa.date32())
        table = table.append_column(f"{end}_date", dates)
    return table
