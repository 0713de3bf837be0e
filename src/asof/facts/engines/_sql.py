"""The tables of an expression, and the one and the same Arrow types of what every engine gives back."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ibis.expr.datatypes as dt
import ibis.expr.operations as ops
import ibis.expr.types as ir
import pyarrow as pa

from asof.errors import UserError
from asof.facts.engines import Bases
from asof.facts.store import FactStore


def schema_of(expression: ir.Table) -> pa.Schema:
    """Return the Arrow schema of an expression, whichever engine runs it."""
    return pa.schema([(name, _arrow(kind)) for name, kind in expression.schema().items()])


def tables_of(expression: ir.Table) -> set[str]:
    """Return the names of the tables that an expression reads."""
    return {table.name for table in expression.op().find(ops.UnboundTable)}


def by_prefix(bases: Bases) -> dict[str, FactStore]:
    """Return the bases by the prefix of their tables; a single one has none."""
    return {"": bases} if isinstance(bases, FactStore) else dict(bases)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Give a folder to write to that takes the place of a new one when all is written, and goes away otherwise."""
    if folder.exists():
        raise UserError(f"{folder} already exists. Give a new folder, so that nothing is overwritten.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(temporary, ignore_errors=True)  # left by a writer that was killed
    try:
        yield temporary
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _arrow(kind: Any) -> pa.DataType:
    if isinstance(kind, dt.Array):
        return pa.list_(_arrow(kind.value_type))
    return _ARROW[type(kind)]


_ARROW = {
    dt.String: pa.string(),
    dt.Boolean: pa.bool_(),
    dt.Int8: pa.int64(),
    dt.Int16: pa.int64(),
    dt.Int32: pa.int32(),
    dt.Int64: pa.int64(),
    dt.Float64: pa.float64(),
}
