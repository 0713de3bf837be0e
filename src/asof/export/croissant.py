"""Croissant 1.0 metadata (mlcommons.org/croissant): JSON-LD that tells files, hashes, tables and their columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any, ClassVar

import pyarrow as pa

from asof.export import ExportRequest
from asof.export._about import command_of, licence_of, what_it_is
from asof.export._tables import ExportTable, counted, tables
from asof.facts.manifest import sha256_of
from asof.registry import export

_CROISSANT = "http://mlcommons.org/croissant/"
# The context that version 1.0 prescribes: these words are Croissant's own, all others are schema.org's.
_WORDS = (
    "citeAs", "column", "extract", "field", "fileObject", "fileProperty", "fileSet", "format", "includes",
    "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex", "repeated",
    "replace", "samplingRate", "separator", "source", "subField", "transform", "equivalentProperty",
)  # fmt: skip
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": _CROISSANT,
    "rai": f"{_CROISSANT}RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{word: f"cr:{word}" for word in _WORDS},
}


@export.register("croissant")
@dataclass(frozen=True, kw_only=True)
class Croissant:
    """Parquet files with Croissant 1.0 metadata (JSON-LD)."""

    asks: ClassVar[bool] = False

    def write(self, wanted: ExportRequest, folder: Path) -> Sequence[str]:
        """Write each table as Parquet, and what they are as croissant.json."""
        found = list(tables(wanted.benchmark))
        for table in found:
            table.save(folder / f"{table.name}.parquet")
        content = _metadata(wanted, found, folder)
        (folder / "croissant.json").write_text(
            json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
        licence, about = licence_of(wanted)
        return [counted(found), *([about] if licence == "unknown" else [])]

    def next_step(self, wanted: ExportRequest, folder: Path) -> str:
        """Return the command that checks the metadata."""
        return f"mlcroissant validate --jsonld {quote(str(folder / 'croissant.json'))}"


def _metadata(wanted: ExportRequest, tables: list[ExportTable], folder: Path) -> dict[str, Any]:
    benchmark = wanted.benchmark
    licence, about_licence = licence_of(wanted)
    base = benchmark.description["base"]
    made = f"Made with: {command_of(benchmark)} (base {base['name']}, {base['hash']}). {about_licence}".rstrip()
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": f"{_CROISSANT}1.0",
        "name": wanted.name,
        "description": f"{what_it_is(benchmark)} {made}",
        "license": licence,
        "version": "1.0.0",
        "inLanguage": benchmark.description.get("language", "en"),
        "keywords": ["temporal knowledge", "facts", benchmark.name],
        **({"citeAs": benchmark.description["paper"]} if benchmark.description.get("paper") else {}),
        "distribution": [_file(table, folder) for table in tables],
        "recordSet": [_records(table) for table in tables],
    }


def _file(table: ExportTable, folder: Path) -> dict[str, str]:
    name = f"{table.name}.parquet"
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{(folder / name).stat().st_size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": sha256_of(folder / name),
    }


def _records(table: ExportTable) -> dict[str, Any]:
    key = {"key": {"@id": f"{table.name}/id"}} if "id" in table.arrow.column_names else {}
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        **key,
        "field": [_field(table.name, *column) for column in table.columns],
    }


def _field(table: str, name: str, kind: pa.DataType, what: str) -> dict[str, Any]:
    repeated = pa.types.is_list(kind)
    return {
        "@type": "cr:Field",
        "@id": f"{table}/{name}",
        "name": name,
        "description": what,
        "dataType": _data_type(kind.value_type if repeated else kind),
        **({"repeated": True} if repeated else {}),
        "source": {"fileObject": {"@id": f"{table}.parquet"}, "extract": {"column": name}},
    }


def _data_type(kind: pa.DataType) -> str:
    """Return schema.org's name of a type; a column without any value counts as text.

    >>> [_data_type(kind) for kind in (pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.null())]
    ['sc:Text', 'sc:Integer', 'sc:Float', 'sc:Boolean', 'sc:Text']
    """
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
