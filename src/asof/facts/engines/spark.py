"""Spark: the same definitions on many machines, for bases that do not fit one.

Spark finds its machines by its own settings (``MASTER``, ``SPARK_CONF_DIR``, ``spark-submit``); without any it uses the
cores of this one. The base, and what is written, must lie on a disk that all machines share.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

import ibis.expr.types as ir
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from asof.errors import UserError
from asof.facts.definitions.sql import sql_of
from asof.facts.engines import Bases
from asof.facts.engines._sql import by_prefix, new_folder, schema_of, tables_of
from asof.facts.manifest import Part
from asof.facts.schema import FACTS
from asof.facts.store import FactStore, bounds_sql
from asof.registry import engines

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@engines.register("spark")
class Spark:
    """Spark, on as many machines as it is given; needs pyspark and Java."""

    name = "spark"

    def __init__(self) -> None:
        self.session = spark_session()

    def table(self, expression: ir.Table, bases: Bases) -> pa.Table:
        """Return the rows of an expression."""
        with _explained():
            return self._frame(expression, bases).toArrow().cast(schema_of(expression))

    def batches(self, expression: ir.Table, bases: Bases, *, near: Path) -> Iterator[pa.RecordBatch]:
        """Let Spark write the rows beside a folder and read them from there, so that they need not fit the memory."""
        parts = near.with_name(f".{near.name}.parts")
        shutil.rmtree(parts, ignore_errors=True)  # left by a run that was killed
        try:
            files = self._write(expression, bases, parts)
            yield from ds.dataset(files, schema=schema_of(expression), format="parquet").to_batches()
        finally:
            shutil.rmtree(parts, ignore_errors=True)

    def write_parts(self, expression: ir.Table, bases: Bases, folder: Path) -> int:
        """Write the rows as Parquet files, one or more for each machine, to a new folder."""
        with new_folder(folder) as staging:
            files = self._write(expression, bases, staging)
            return sum(pq.read_metadata(file).num_rows for file in files)

    def _frame(self, expression: ir.Table, bases: Bases) -> DataFrame:
        used = tables_of(expression)
        for prefix, store in by_prefix(bases).items():
            for table in store.manifest.tables:
                if f"{prefix}{table}" in used:
                    self._read(store, table).createOrReplaceTempView(f"{prefix}{table}")
        return self.session.sql(sql_of(expression, "spark"))

    def _read(self, store: FactStore, table: str) -> DataFrame:
        if table != "facts":
            return self.session.read.parquet(*_addresses(store, store.manifest.tables[table]))
        frames = []
        for parts, condition in store.fact_files():
            rows = self.session.read.parquet(*_addresses(store, parts))
            frames.append((rows.filter(condition) if condition else rows).select(*FACTS.names))
        frame = reduce(lambda one, other: one.unionByName(other), frames)
        return self.session.sql(f"SELECT *, {bounds_sql(store.known_by)} FROM {{raw}}", raw=frame)

    def _write(self, expression: ir.Table, bases: Bases, folder: Path) -> list[Path]:
        from pyspark.sql import Observation
        from pyspark.sql.functions import count, lit

        written = Observation()
        with _explained():
            counting = self._frame(expression, bases).observe(written, count(lit(1)).alias("rows"))
            counting.write.parquet(folder.resolve().as_uri())
            rows = int(written.get["rows"])
        files = sorted(folder.glob("*.parquet"))
        here = sum(pq.read_metadata(file).num_rows for file in files)
        if not files or here != rows:  # some machine wrote to a disk of its own
            raise UserError(
                f"Spark wrote {rows:,} rows to {folder}, and {here:,} of them are here. Give a folder on a disk that "
                "all its machines share."
            )
        return files


def _addresses(store: FactStore, parts: Sequence[Part]) -> list[str]:
    return [(store.folder / part.path).resolve().as_uri() for part in parts]


def spark_session() -> SparkSession:
    """Start Spark, or join the session that is there, or say what is missing."""
    try:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise UserError("The engine spark needs pyspark. Install it with: pip install 'asof[spark]'") from None
    if not _java():
        raise UserError(
            "Spark needs Java 17 or 21, and none was found. Install it (Debian: apt-get install "
            "openjdk-17-jre-headless) or set JAVA_HOME to its folder."
        )
    running = SparkSession.getActiveSession()
    if running:
        return running
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else workers take the first python3 that they find
    quiet = {"spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(), "spark.log.level": "ERROR"}
    builder = SparkSession.builder.appName("asof")
    for key, value in quiet.items():
        builder = builder.config(key, value)
    try:
        session = builder.getOrCreate()
    except (PySparkException, Py4JError) as error:
        raise UserError(f"Spark does not start: {error}") from error
    context = session.sparkContext
    if (context.master or "").startswith("local"):  # 200 pieces, Spark's default, are meant for many machines
        session.conf.set("spark.sql.shuffle.partitions", 2 * context.defaultParallelism)
    return session


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what Java throws into one line for a person; the whole of it stays behind it as the cause."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        reason = next((line.strip() for line in str(error).splitlines() if "Exception: " in line), str(error))
        raise UserError(f"Spark did not finish: {reason}") from error


def _java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
