"""A Hugging Face dataset folder: Parquet files and the card that says what they are and how they were made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any, ClassVar

import pyarrow as pa

from asof.benchmarks import Benchmark
from asof.export import ExportRequest
from asof.export._about import fenced, first_item, licence_of, made_from, what_it_is
from asof.export._tables import ExportTable, counted, tables
from asof.export._yaml import yaml
from asof.registry import export, probes

_TAGS = ["temporal-knowledge", "factual-knowledge", "asof"]
_USUAL_TASK = "fill-mask"
_SIZES = (("n<1K", 1_000), ("1K<n<10K", 10_000), ("10K<n<100K", 100_000), ("100K<n<1M", 1_000_000))
_MOST_ROWS = 40  # of a table in the card


@export.register("huggingface")
@dataclass(frozen=True, kw_only=True)
class HuggingFace:
    """A dataset folder for Hugging Face's datasets: Parquet and a card."""

    asks: ClassVar[bool] = False

    def write(self, wanted: ExportRequest, folder: Path) -> Sequence[str]:
        """Write each table as Parquet, and the card."""
        found = list(tables(wanted.benchmark))
        (folder / "data").mkdir()
        for table in found:
            table.save(folder / "data" / f"{table.name}.parquet")
        (folder / "README.md").write_text(_card(wanted, found), encoding="utf-8")
        licence, about = licence_of(wanted)
        return [counted(found), *([about] if licence == "unknown" else [])]

    def next_step(self, wanted: ExportRequest, folder: Path) -> str:
        """Return the command that loads the dataset."""
        code = f"import datasets; print(datasets.load_dataset({json.dumps(str(folder))}))"
        return f"python -c {quote(code)}"


def _card(wanted: ExportRequest, tables: list[ExportTable]) -> str:
    benchmark = wanted.benchmark
    licence, about_licence = licence_of(wanted)
    parts = [
        f"---\n{yaml(_header(benchmark, wanted.name, licence, tables))}---\n\n# {wanted.name}\n",
        f"{what_it_is(benchmark)} {_counted(benchmark)}\n",
        "Every item is a test: there is no split for training. Intervals are to be made by `group`, the fact that "
        "an item is about.\n",
        fenced('from datasets import load_dataset\n\nitems = load_dataset(".", "items", split="test")', "python"),
        *(_columns(table) for table in tables),
        f"## The first item\n\n{first_item(benchmark)}",
        *(_statistics(table) for table in tables if table.name == "statistics"),
        made_from(benchmark),
        f"## Licence\n\n{licence}. {about_licence}".rstrip() + "\n",
    ]
    return "\n".join(parts)


def _header(benchmark: Benchmark, name: str, licence: str, tables: list[ExportTable]) -> dict[str, Any]:
    language = benchmark.description.get("language", "en")
    return {
        "pretty_name": name,
        "license": licence,
        "language": [language],
        "task_categories": [_hub_task(benchmark.probe)],
        "tags": [*_TAGS, benchmark.name],
        "size_categories": [next((size for size, most in _SIZES if benchmark.items_count < most), "n>1M")],
        "configs": [
            {
                "config_name": table.name,
                "data_files": [{"split": "test", "path": f"data/{table.name}.parquet"}],
                **({"default": True} if table.name == "items" else {}),
            }
            for table in tables
        ],
    }


def _hub_task(probe: str) -> str:
    """Return what a hub calls such items, as their probe declares; one may be of a package that is not here."""
    return getattr(probes.get(probe), "hub_task", _USUAL_TASK) if probe in probes.names() else _USUAL_TASK


def _counted(benchmark: Benchmark) -> str:
    paper = benchmark.description.get("paper")
    said = f" Paper: {paper}." if paper else ""
    return f"{benchmark.size}.{said}"


def _columns(table: ExportTable) -> str:
    rows = [{"column": name, "type": str(kind), "what": what} for name, kind, what in table.columns]
    return f"## Columns of {table.name}\n\n{_markdown(pa.Table.from_pylist(rows))}"


def _statistics(table: ExportTable) -> str:
    more = table.arrow.num_rows - _MOST_ROWS
    note = f"\nand {more:,} more rows in `data/statistics.parquet`.\n" if more > 0 else ""
    return f"## Statistics\n\n{_markdown(table.arrow.slice(0, _MOST_ROWS))}{note}"


def _markdown(table: pa.Table) -> str:
    r"""Write a table in Markdown; no cell can end its row or become HTML.

    >>> print(_markdown(pa.table({"a": ["x|<b>\n", None]})))
    | a |
    |---|
    | x&#124;&lt;b>  |
    |  |
    <BLANKLINE>
    """
    rows = [table.column_names, *(list(row.values()) for row in table.to_pylist())]
    lines = [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * table.num_columns, *lines[1:]]) + "\n"


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    for sign, written in (("&", "&amp;"), ("<", "&lt;"), ("|", "&#124;"), ("`", "&#96;"), ("\n", " "), ("\r", " ")):
        text = text.replace(sign, written)
    return text
