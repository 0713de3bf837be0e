"""A run as a folder: ``settings.toml``, ``versions.json`` and ``predictions.jsonl``, a line for each prediction.

Scores are always made again from the predictions. A last line that was cut by a crash is dropped when the run goes on.
An item that the probe could not put to the model has a line, too, which says why; so has one that was lost to an error.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import tomli_w

from asof.benchmarks import Benchmark, BenchmarkDeclaration, declared, read_benchmark
from asof.errors import UserError
from asof.models.usage import Usage
from asof.places.folders import local_folder
from asof.probes import FAILED, LEFT_OUT, Probe, Row, open_probe
from asof.whole_file import write_text

_SETTINGS, _VERSIONS, _PREDICTIONS = "settings.toml", "versions.json", "predictions.jsonl"
_FIRST_PROBE = "answer-likelihood"  # of folders that do not name theirs: there was one


@dataclass(frozen=True)
class Run:
    """A run folder and what it says of itself."""

    folder: Path
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """A short name for tables and charts."""
        model = short_name(str(self.settings["model"]))
        way = self.settings.get("format", self.settings["probe"])
        return model if way == "raw" else f"{model} ({way})"

    @cached_property
    def probe(self) -> Probe:
        """The way in which items were put to the model."""
        return open_probe(str(self.settings["probe"]), self.settings)

    @property
    def declared(self) -> BenchmarkDeclaration:
        """What its benchmark says of its scores and its report."""
        return declared(str(self.settings.get("benchmark_name")))

    @property
    def report_with(self) -> str:
        """The page that shows it: that of the benchmark for its own probe, and that of another probe that has one."""
        of_probe = getattr(self.probe, "report_with", None)
        return str(of_probe) if of_probe and self.probe.name != self.benchmark().probe else self.declared.report_with

    @property
    def predictions_path(self) -> Path:
        """The file of predictions."""
        return self.folder / _PREDICTIONS

    def benchmark(self) -> Benchmark:
        """Open the benchmark of the run, and see that it is still the same."""
        benchmark = read_benchmark(Path(self.settings["benchmark"]))
        if benchmark.items_sha256 != self.settings["items_sha256"]:
            raise UserError(
                f"{benchmark.folder} was rebuilt since {self.folder} ran on it. Build it again as it was, "
                "or run into a new folder."
            )
        return benchmark

    @cached_property
    def versions(self) -> dict[str, Any]:
        """What was written down of the model and the programs; nothing when the file is gone."""
        path = self.folder / _VERSIONS
        return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}

    def predictions(self) -> dict[str, Any]:
        """Return what metrics are made from, by item: a log-probability, a rank, a text, as the probe has it."""
        return {id: row[self.probe.scored] for id, row in self.rows().items() if LEFT_OUT not in row}

    def left_out(self) -> dict[str, int]:
        """Count the items that could not be asked, by the reason."""
        return dict(Counter(row[LEFT_OUT] for row in self.rows().values() if LEFT_OUT in row))

    def lost(self) -> dict[str, int]:
        """Count the items that were lost to an error, by the error; the same command asks them again."""
        return dict(Counter(row[LEFT_OUT] for row in self.rows().values() if FAILED in row))

    def rows(self) -> dict[str, Row]:
        """Read the rows of the probe by item; of an item that stands twice the first counts that did not fail."""
        found: dict[str, Row] = {}
        if self.predictions_path.is_file():
            with self.predictions_path.open(encoding="utf-8") as file:
                for number, line in enumerate(file, start=1):
                    if not line.endswith("\n"):
                        break  # cut by a crash; mend() takes it away
                    try:
                        row = json.loads(line)
                        if LEFT_OUT not in row:
                            row[self.probe.scored]  # a row without it is broken, too
                        id = row.pop("id")
                        if id not in found or FAILED in found[id]:
                            found[id] = row
                    except (ValueError, KeyError, TypeError, AttributeError) as error:
                        raise UserError(
                            f"{self.predictions_path}, line {number} is broken ({error}). Delete it."
                        ) from error
        return found

    def usage(self) -> Usage:
        """Sum what was spent for all predictions, also for those that were lost and asked for again."""
        return sum(self.usage_by_line(), Usage())

    def usage_by_line(self) -> list[Usage]:
        """Return what was spent for each prediction for which a server was asked."""
        if not self.predictions_path.is_file():
            return []
        with self.predictions_path.open(encoding="utf-8") as file:
            rows = (json.loads(line) for line in file if '"calls"' in line and line.endswith("\n"))
            return [Usage(row.get("calls", 0), row.get("tokens_in", 0), row.get("tokens_out", 0)) for row in rows]

    def declined(self) -> dict[str, int]:
        """Count the answers that were none, by the reason: declined, filtered, cut off while the model was thinking."""
        return dict(Counter(row["declined"] for row in self.rows().values() if "declined" in row))

    def mend(self) -> None:
        """Take away a last line that was cut in writing."""
        if not self.predictions_path.is_file():
            return
        content = self.predictions_path.read_bytes()
        if content and not content.endswith(b"\n"):
            whole = content.rfind(b"\n") + 1
            with self.predictions_path.open("r+b") as file:
                file.truncate(whole)

    def table(self) -> pa.Table:
        """Return the items of facts that are complete, with their tags and the columns of the predictions.

        A fact of which some items have no prediction yet is left out: scored by half, it would look better than it is.
        So is an item that could not be asked; the others of its fact stay.
        """
        predictions = self.rows()
        items = self.benchmark().table()
        rows = [predictions.get(id) for id in items["id"].to_pylist()]
        groups = items["group"].to_pylist()
        waiting = {group for group, row in zip(groups, rows, strict=True) if row is None}
        kept = [
            row if row is not None and LEFT_OUT not in row and group not in waiting else None
            for row, group in zip(rows, groups, strict=True)
        ]
        found = [row for row in kept if row is not None]
        table = items.filter(pa.array([row is not None for row in kept], pa.bool_()))
        for name in dict.fromkeys([self.probe.scored, *(key for row in found for key in row)]):
            values = pa.array([row.get(name) for row in found])
            if pa.types.is_null(values.type):
                values = values.cast(pa.float64())
            table = table.drop_columns([name]) if name in table.column_names else table
            table = table.append_column(name, values)
        return table


def short_name(model: str) -> str:
    """Return the last part of a model's name, which tells it from others.

    >>> short_name("/models/smollm2"), short_name("openai-completions:http://127.0.0.1:8000/v1#tiny")
    ('smollm2', 'tiny')
    >>> short_name("gguf:smollm2")  # another way to the same weights
    'gguf-smollm2'
    """
    return Path(model).name.rpartition("#")[2].replace(":", "-")


def different_names(runs: Sequence[Run]) -> list[str]:
    """Return names that differ: the folder is added where model and format are the same."""
    folders = [run.folder.resolve() for run in runs]
    plain = [run.name for run in runs]
    if len(set(folders)) > 1:
        short = [name if plain.count(name) == 1 else f"{name}, {folders[i].name}" for i, name in enumerate(plain)]
        long = [name if short.count(name) == 1 else f"{plain[i]}, {folders[i]}" for i, name in enumerate(short)]
    else:
        long = plain
    return [f"{name} (again)" if name in long[:i] else name for i, name in enumerate(long)]


def open_run(folder: Path, settings: dict[str, Any], versions: dict[str, Any]) -> Run:
    """Begin a run in a folder, or go on with the one that is there when it has the same settings."""
    if (folder / _SETTINGS).is_file():
        found = read_run(folder)
        for name, value in settings.items():
            if name not in found.settings:
                raise UserError(
                    f"{folder} holds a run that does not record its {name}: an earlier version of asof started it, "
                    "and asked in another way. Choose another folder with --to."
                )
            if found.settings.get(name) != value:
                raise UserError(
                    f"{folder} holds a run with {name} = {found.settings.get(name)!r}, not {value!r}. "
                    "Choose another folder with --to."
                )
        found.mend()
        return found
    if folder.is_dir() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty and is not a run folder. Choose another folder with --to.")
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / _VERSIONS, json.dumps(versions, indent=1) + "\n")
    write_text(folder / _SETTINGS, tomli_w.dumps(settings))
    return Run(folder, settings)


def read_run(folder: Path) -> Run:
    """Open a run, in a folder or at a place."""
    folder = local_folder(folder, (_SETTINGS, _VERSIONS, _PREDICTIONS))
    path = folder / _SETTINGS
    if not path.is_file():
        raise UserError(
            f"{folder} is not a run folder: it has no {_SETTINGS}. "
            f"Make one with: asof run BENCHMARK MODEL --to {folder}"
        )
    return Run(folder, {"probe": _FIRST_PROBE} | tomllib.loads(path.read_text(encoding="utf-8")))
