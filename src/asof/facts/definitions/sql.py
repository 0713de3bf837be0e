"""A definition in the SQL of an engine."""

from __future__ import annotations

from typing import Literal

import ibis
import ibis.expr.types as ir
from ibis.backends.sql.compilers import DuckDBCompiler, PySparkCompiler
from ibis.config import Config

# Only ibis's compilers are used, not its connections: those would bring pandas along and copy every result.
_COMPILERS = {"duckdb": DuckDBCompiler, "spark": PySparkCompiler}


class _SparkOptions(Config):  # type: ignore[misc]
    """What the compiler for Spark asks for; ibis's own connection would set it."""

    treat_nan_as_null: bool = False


def sql_of(expression: ir.Table, dialect: Literal["duckdb", "spark"]) -> str:
    """Write an expression in the SQL of an engine."""
    if ibis.options.pyspark is None:
        ibis.options.pyspark = _SparkOptions()
    return str(_COMPILERS[dialect]().to_sqlglot(expression).sql(dialect))
