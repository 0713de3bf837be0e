"""Facts that a user brings, as a base in the cache: a table on disk, or a data frame in memory."""

from __future__ import annotations

import hashlib
import json
import tempfile
import warnings
from collections.abc import Mapping, Sized
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from asof.api.python_words import says_it_in_python
from asof.cache import cache_folder
from asof.errors import UserError, did_you_mean
from asof.facts import FactStore, InversionPolicy, Source, write_base
from asof.facts.described import described_beside, read_described
from asof.facts.manifest import FORMAT
from asof.facts.rewrite import propose
from asof.sources import open_source
from asof.sources.table.content import see_that_it_is_a_file
from asof.sources.table.typed_columns import text_column
from asof.timeline import Date
from asof.whole_file import whole_file

_OF_TABLES = ("columns", "relation", "separator", "encoding", "sheet", "date_format", "keep_spellings")
_OF_BASES = (
    "name",
    "relations",
    "known_by",
    "inverted",
    "max_rejects",
    "most_lost",
)  # the last is what max_rejects was called
_READ_AS = 3  # goes up when tables are read otherwise, so that what was cached before is not taken for it
_ASSUMED = "assumed.json"
_REASONS_SHOWN = 3
_NO_ROWS = "There are no facts to open. Give at least one row with subject, relation, object, start, end."
_NO_COMMON_TYPE = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError)


def base_of_file(path: Path, *, in_shell: bool = False, **options: Any) -> FactStore:
    """Mine a table (CSV, TSV, JSON lines, Parquet, Excel) or a dataset folder into the cache, once for each content.

    Args:
        in_shell: Errors name the options of the command line rather than the arguments of ``asof.open``.
    """
    with nullcontext() if in_shell else says_it_in_python():
        source = open_source(str(path), **_settings(options))
        contents = [path] if not path.is_dir() else sorted(one for one in path.rglob("*") if one.is_file())
        digest = hashlib.sha256()
        for one in contents:
            see_that_it_is_a_file(one)
            digest.update(one.name.encode())
            with one.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return _mined(source, digest.hexdigest(), path.stem, options)


def base_of_frame(frame: Any, **options: Any) -> FactStore:
    """Mine a data frame (pandas, polars, Arrow, or whatever gives itself as Arrow) into the cache."""
    table = _arrow(frame)
    if not table.num_rows:
        raise UserError(_NO_ROWS)
    texts = pa.Table.from_arrays([_as_text(column) for column in table.columns], names=table.column_names)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.parquet"
        pq.write_table(texts, path)
        with says_it_in_python({str(path): "The data frame", f"{path.name}, line ": "line "}):
            source = open_source(str(path), **_settings(options))
            return _mined(source, hashlib.sha256(path.read_bytes()).hexdigest(), "facts", options)


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write a column as text; one that cannot be is left, and refused if it is needed."""
    try:
        return pa.chunked_array(map(text_column, column.chunks), pa.string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return column


def see_options(options: Mapping[str, Any]) -> None:
    """Refuse an option that ``asof.open`` does not have."""
    unknown = [name for name in options if name not in (*_OF_TABLES, *_OF_BASES)]
    if unknown:
        known = (*_OF_TABLES, *_OF_BASES[:-1])
        raise UserError(
            f"asof.open has no option {unknown[0]!r}.{did_you_mean(unknown[0], known)} It has: {', '.join(known)}."
        )


def _settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a source reads; the others are for writing the base."""
    see_options(options)
    return {name: options[name] for name in _OF_TABLES if options.get(name)}


def _mined(source: Source, digest: str, stem: str, options: Mapping[str, Any]) -> FactStore:
    known_by, inverted = options.get("known_by"), options.get("inverted") or "reject"
    max_rejects = options.get("max_rejects", options.get("most_lost"))
    table = options.get("relations")
    described = [
        read_described(path)
        for path in ([Path(table)] if table else described_beside([str(getattr(source, "path", ""))]))
    ]
    day = Date.parse(known_by) if known_by else None
    # The day on which a table is read is a part of its base: what is ongoing is known up to then.
    settings = json.dumps(_settings(options), sort_keys=True, ensure_ascii=False)
    name, known = options.get("name") or stem, str(day or source.known_by)
    key = repr(
        (
            FORMAT,
            _READ_AS,
            digest,
            settings,
            known,
            inverted,
            max_rejects,
            name,
            [batch.to_pylist() for batch in described],
        )
    )
    folder = cache_folder() / "bases" / f"{stem}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if not (folder / "manifest.json").is_file():
        how: dict[str, Any] = {
            "name": name,
            "inverted": InversionPolicy(inverted),
            "known_by": day,
            "max_rejects": max_rejects,
            "all_or_none": True,
        }
        write_base(folder, [source], relations=described, **how)
        propose(folder)
        assumed = source.notes() if hasattr(source, "notes") else []
        with whole_file(folder / _ASSUMED) as temporary:
            temporary.write_text(json.dumps(assumed, ensure_ascii=False), encoding="utf-8")
    store = FactStore(folder)
    _tell_lost(store)
    return store


def assumed_of(store: FactStore) -> list[str]:
    """Return what was assumed of the table that a base was made of: its form, columns, dates and spellings."""
    path = store.folder / _ASSUMED
    return list(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else []


def rejected_rows(store: FactStore) -> list[dict[str, Any]]:
    """Return the rows that could not be taken into a base, each with its file, line and reason."""
    part = store.manifest.rejects
    if part is None:
        return []
    with (store.folder / part.path).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _tell_lost(store: FactStore) -> None:
    refused = rejected_rows(store)
    if refused:
        total = store.manifest.rows("facts") + len(refused)
        first = "\n".join(f"  line {row['line']}: {row['reason']}" for row in refused[:_REASONS_SHOWN])
        told = f"Could not read {len(refused):,} of {total:,} rows. The first:\n{first}"
        warnings.warn(f"{told}\nSee base.rejects() for all of them.", stacklevel=5)


def _arrow(frame: Any) -> pa.Table:
    if isinstance(frame, pa.Table):
        return frame
    if type(frame).__module__.split(".")[0] == "pandas":
        return _of_pandas(frame)
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.table(frame)
    if isinstance(frame, dict):
        return _of_columns(frame)
    if isinstance(frame, list) and all(isinstance(row, dict) for row in frame):
        return _of_columns({name: [row.get(name) for row in frame] for name in dict.fromkeys(chain(*frame))})
    if hasattr(frame, "collect"):
        raise UserError("asof.open cannot read a frame that is not computed yet. Give frame.collect().")
    raise UserError(
        f"asof.open cannot read an object of type {type(frame).__name__}. Give a name, a path, a data frame "
        "(pandas, polars, Arrow), a dictionary of columns or a list of rows, with subject, relation, "
        "object, start, end."
    )


def _of_columns(columns: Mapping[str, Any]) -> pa.Table:
    if not columns:
        raise UserError(_NO_ROWS)
    lists = {str(name): values for name, values in columns.items() if isinstance(values, Sized)}
    lists = {name: values for name, values in lists.items() if not isinstance(values, str)}
    lengths = {name: len(values) for name, values in lists.items()}
    if not lists:
        first, value = next(iter(columns.items()))
        raise UserError(f"{first!r} is {value!r}, not a column. Give a list with one value for each row.")
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{name} {length:,}" for name, length in lengths.items())
        raise UserError(f"The columns have different numbers of rows: {counts}. Give each as many.")
    rows = next(iter(lengths.values()))
    arrays = [_of_values(lists[str(name)] if str(name) in lists else [value] * rows) for name, value in columns.items()]
    return pa.Table.from_arrays(arrays, names=[str(name) for name in columns])


def _of_pandas(frame: Any) -> pa.Table:
    """Take a frame of pandas column by column: one of objects may mix days, numbers and texts."""
    if not hasattr(frame, "columns"):
        raise UserError("asof.open cannot read one column of pandas. Give the whole data frame.")
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    arrays = [_of_series(frame.iloc[:, index]) for index in range(len(frame.columns))]
    return pa.Table.from_arrays(arrays, names=[str(name) for name in frame.columns])


def _of_series(series: Any) -> pa.ChunkedArray | pa.Array:
    try:
        return pa.Array.from_pandas(series)
    except _NO_COMMON_TYPE:
        empty = series.isna().tolist()
        return pa.array([None if gap else _written(value) for value, gap in zip(series.tolist(), empty, strict=True)])


def _of_values(values: Any) -> pa.ChunkedArray | pa.Array:
    if type(values).__module__.split(".")[0] == "pandas":
        return _of_series(values)
    try:
        return pa.array(values)
    except _NO_COMMON_TYPE:
        return pa.array([None if value is None else _written(value) for value in values])


def _written(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
