"""DuckDB: the engine that is always there, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import ibis.expr.types as ir
import pyarrow as pa
import pyarrow.parquet as pq

from asof.errors import UserError
from asof.facts.database import open_database
from asof.facts.definitions.sql import sql_of
from asof.facts.engines import Bases
from asof.facts.engines._sql import by_prefix, new_folder, schema_of, tables_of
from asof.registry import engines

_ROWS_PER_BATCH = 100_000


@engines.register("duckdb")
class DuckDB:
    """DuckDB, in this process: nothing to start, one machine."""

    name = "duckdb"

    def table(self, expression: ir.Table, bases: Bases) -> pa.Table:
        """Return the rows of an expression."""
        stores = list(by_prefix(bases).values())
        return stores[0].sql(self._query(expression, bases)).cast(schema_of(expression))

    def batches(self, expression: ir.Table, bases: Bases, *, near: Path) -> Iterator[pa.RecordBatch]:
        """Give the rows batch by batch as DuckDB finds them."""
        schema = schema_of(expression)
        with open_database() as connection:
            try:
                for batch in connection.sql(self._query(expression, bases)).to_arrow_reader(_ROWS_PER_BATCH):
                    yield from pa.Table.from_batches([batch]).cast(schema).to_batches()
            except duckdb.IOException as error:
                names = " and ".join(str(store.folder) for store in by_prefix(bases).values())
                raise UserError(f"{names} could not be read: {error}. Was it replaced? Run it again.") from error

    def write_parts(self, expression: ir.Table, bases: Bases, folder: Path) -> int:
        """Write the rows as one Parquet file to a new folder."""
        rows = 0
        with new_folder(folder) as staging:
            staging.mkdir()
            with pq.ParquetWriter(staging / "part-0.parquet", schema_of(expression), compression="zstd") as writer:
                for batch in self.batches(expression, bases, near=folder):
                    writer.write_batch(batch)
                    rows += batch.num_rows
        return rows

    def _query(self, expression: ir.Table, bases: Bases) -> str:
        used = tables_of(expression)
        given = [
            f"{prefix}{table} AS ({store.table_sql(table)})"
            for prefix, store in by_prefix(bases).items()
            for table in store.manifest.tables
            if f"{prefix}{table}" in used
        ]
        return f"WITH {', '.join(given)} SELECT * FROM ({sql_of(expression, 'duckdb')})"
