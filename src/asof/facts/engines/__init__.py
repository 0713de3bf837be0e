"""Who runs the definitions: DuckDB in this process, or Spark on many machines. One file per engine.

An engine gets expressions of ``facts.definitions`` and the bases whose tables they name, and gives rows. ibis writes
the SQL of each engine; it refuses what it cannot translate, so an engine never gives other rows without a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol, TypeAlias

import ibis.expr.types as ir
import pyarrow as pa

from asof.facts.store import FactStore
from asof.registry import engines

Bases: TypeAlias = FactStore | Mapping[str, FactStore]  # one base, or several by the prefix of their tables

DEFAULT = "duckdb"


class Engine(Protocol):
    """Runs expressions over bases."""

    @property
    def name(self) -> str:
        """The word that a user types."""

    def table(self, expression: ir.Table, bases: Bases) -> pa.Table:
        """Return the rows of an expression, in its order, as one table in memory."""

    def batches(self, expression: ir.Table, bases: Bases, *, near: Path) -> Iterator[pa.RecordBatch]:
        """Give the rows batch by batch, however many there are.

        Args:
            near: A folder on whose disk there is room for them, and which all machines of the engine can reach.
        """

    def write_parts(self, expression: ir.Table, bases: Bases, folder: Path) -> int:
        """Write the rows as Parquet files to a new folder, all or nothing, and return how many rows there are."""


def open_engine(name: str = DEFAULT) -> Engine:
    """Start an engine by its name; Spark takes some seconds."""
    engine: Engine = engines.get(name)()
    return engine
