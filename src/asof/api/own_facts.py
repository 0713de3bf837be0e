"""Facts that a user brings, as a base in the cache: a table on disk, or a data frame in memory."""

from __future__ import annotations

import hashlib
import json
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from asof.cache import cache_folder
from asof.errors import UserError
from asof.facts import FactStore, InversionPolicy, write_base
from asof.facts.losses import MOST_ROWS
from asof.facts.manifest import FORMAT
from asof.sources import open_source
from asof.timeline import Date

_REASONS_SHOWN = 3


def base_of_file(path: Path, **options: Any) -> FactStore:
    """Mine a table (CSV, TSV, JSON lines, Parquet) or a dataset folder into the cache, once for each content."""
    contents = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
    digest = hashlib.sha256()
    for one in contents:
        digest.update(one.name.encode())
        with one.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return _mined(str(path), digest.hexdigest(), path.stem, **options)


def base_of_frame(frame: Any, **options: Any) -> FactStore:
    """Mine a data frame (pandas, polars, Arrow, or whatever gives itself as Arrow) into the cache."""
    table = _texts(_arrow(frame))
    given = options.get("columns") or {}
    for wanted in ("subject", "relation", "object"):
        if given.get(wanted, wanted) not in table.column_names:
            raise UserError(
                f"The data frame has no column {given.get(wanted, wanted)!r}. It has: {', '.join(table.column_names)}. "
                f"Name the right one with: asof.open(frame, columns={{{wanted!r}: NAME}})"
            )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.parquet"
        pq.write_table(table, path)
        return _mined(str(path), hashlib.sha256(path.read_bytes()).hexdigest(), "facts", **options)


def _mined(
    location: str,
    digest: str,
    stem: str,
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    known_by: str | None = None,
    inverted: str = "reject",
    most_lost: float | None = None,
) -> FactStore:
    day = Date.parse(known_by) if known_by else None
    settings: dict[str, Any] = {"columns": dict(columns)} if columns else {}
    source = open_source(location, **settings)
    # The day on which a table is read is a part of its base: what is ongoing is known up to then.
    key = repr(
        (FORMAT, digest, sorted((columns or {}).items()), str(day or source.known_by), inverted, most_lost, name)
    )
    folder = cache_folder() / "bases" / f"{stem}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if not (folder / "manifest.json").is_file():
        write_base(
            folder, [source], name=name or stem, inverted=InversionPolicy(inverted), known_by=day, most_lost=most_lost
        )
    store = FactStore(folder)
    _see_that_little_is_lost(store, MOST_ROWS if most_lost is None else most_lost)
    return store


def rejected_rows(store: FactStore) -> list[dict[str, Any]]:
    """Return the rows that could not be taken into a base, each with its file, line and reason."""
    part = store.manifest.rejects
    if part is None:
        return []
    with (store.folder / part.path).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _see_that_little_is_lost(store: FactStore, most: float) -> None:
    refused = rejected_rows(store)
    if not refused:
        return
    total = store.manifest.rows("facts") + len(refused)
    first = "\n".join(f"  line {row['line']}: {row['reason']}" for row in refused[:_REASONS_SHOWN])
    told = f"Could not read {len(refused):,} of {total:,} rows. The first:\n{first}"
    if len(refused) / total > most:
        raise UserError(f"{told}\nCorrect the table, or continue without these rows: asof.open(..., most_lost=1.0)")
    warnings.warn(f"{told}\nSee base.rejects() for all of them.", stacklevel=5)


def _arrow(frame: Any) -> pa.Table:
    if isinstance(frame, pa.Table):
        return frame
    if hasattr(frame, "__arrow_c_stream__") or isinstance(frame, dict):
        return pa.table(frame)
    if isinstance(frame, list) and all(isinstance(row, dict) for row in frame):
        return pa.Table.from_pylist(frame)
    if type(frame).__module__.split(".")[0] == "pandas":
        return pa.Table.from_pandas(frame, preserve_index=False)
    raise UserError(
        f"asof.open cannot read a {type(frame).__name__}. Give a name, a path, a data frame (pandas, polars, Arrow), "
        "a dictionary of columns or a list of rows, with subject, relation, object, start, end."
    )


def _texts(table: pa.Table) -> pa.Table:
    """Write every column as the text that a table on disk would have: days as 2021-03-15, years without a point."""
    return pa.table({name: _text_column(table[name]) for name in table.column_names})


def _text_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _text_column(pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], kind.value_type))
    if pa.types.is_temporal(kind):
        return pc.strftime(column.cast(pa.date32(), safe=False).cast(pa.timestamp("s")), "%Y-%m-%d")
    if pa.types.is_floating(kind):  # pandas makes years with a gap among them floats
        whole = pc.all(pc.equal(pc.floor(column), column), min_count=0).as_py()
        return pc.cast(pc.cast(column, pa.int64()) if whole else column, pa.string())
    return pc.cast(column, pa.string())
