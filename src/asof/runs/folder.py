"""A run as a folder: ``settings.toml``, ``versions.json`` and ``predictions.jsonl``, a line for each prediction.

Scores are always made again from the predictions. A last line that was cut by a crash is dropped when the run goes on.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import tomli_w

from asof.benchmarks import Benchmark, read_benchmark
from asof.errors import UserError

_SETTINGS, _VERSIONS, _PREDICTIONS = "settings.toml", "versions.json", "predictions.jsonl"


@dataclass(frozen=True)
class Run:
    """A run folder and what it says of itself."""

    folder: Path
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """A short name for tables and charts."""
        model = short_name(str(self.settings["model"]))
        return model if self.settings["format"] == "raw" else f"{model} ({self.settings['format']})"

    @property
    def predictions_path(self) -> Path:
        """The file of predictions."""
        return self.folder / _PREDICTIONS

    def benchmark(self) -> Benchmark:
        """Open the benchmark of the run, and see that it is still the same."""
        benchmark = read_benchmark(Path(self.settings["benchmark"]))
        if benchmark.items_sha256 != self.settings["items_sha256"]:
            raise UserError(
                f"{benchmark.folder} was built anew since {self.folder} ran on it. Build it again as it was, "
                "or run into a new folder."
            )
        return benchmark

    def predictions(self) -> dict[str, float]:
        """Read the predictions by item; of a line that stands twice the first counts."""
        found: dict[str, float] = {}
        if self.predictions_path.is_file():
            with self.predictions_path.open(encoding="utf-8") as file:
                for number, line in enumerate(file, start=1):
                    if not line.endswith("\n"):
                        break  # cut by a crash; mend() takes it away
                    try:
                        row = json.loads(line)
                        found.setdefault(row["id"], row["logprob"])
                    except (ValueError, KeyError, TypeError) as error:
                        raise UserError(
                            f"{self.predictions_path}, line {number} is broken ({error}). Delete it."
                        ) from error
        return found

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
        """Return the items of facts that are complete, with their tags and the column ``logprob``.

        A fact of which some items have no prediction yet is left out: scored by half, it would look better than it is.
        """
        predictions = self.predictions()
        items = self.benchmark().table()
        scores = [predictions.get(id) for id in items["id"].to_pylist()]
        groups = items["group"].to_pylist()
        waiting = {group for group, score in zip(groups, scores, strict=True) if score is None}
        complete = pa.array([group not in waiting for group in groups])
        return items.append_column("logprob", pa.array(scores, pa.float64())).filter(complete)


def short_name(model: str) -> str:
    """Return the last part of a model's name, which tells it from others.

    >>> short_name("/models/smollm2"), short_name("openai-completions:http://127.0.0.1:8000/v1#tiny")
    ('smollm2', 'tiny')
    >>> short_name("gguf:smollm2")  # another way to the same weights
    'gguf-smollm2'
    """
    return Path(model).name.rpartition("#")[2].replace(":", "-")


def open_run(folder: Path, settings: dict[str, Any], versions: dict[str, Any]) -> Run:
    """Begin a run in a folder, or go on with the one that is there when it has the same settings."""
    if (folder / _SETTINGS).is_file():
        found = read_run(folder)
        for name, value in settings.items():
            if found.settings.get(name) != value:
                raise UserError(
                    f"{folder} holds a run with {name} = {found.settings.get(name)!r}, not {value!r}. "
                    "Choose another folder with --to."
                )
        found.mend()
        return found
    if folder.is_dir() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty and holds no run. Choose another folder with --to.")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _VERSIONS).write_text(json.dumps(versions, indent=1) + "\n", encoding="utf-8")
    temporary = folder / f".{_SETTINGS}"
    temporary.write_text(tomli_w.dumps(settings), encoding="utf-8")
    temporary.replace(folder / _SETTINGS)
    return Run(folder, settings)


def read_run(folder: Path) -> Run:
    """Open a run."""
    path = folder / _SETTINGS
    if not path.is_file():
        raise UserError(
            f"{folder} is no run: it has no {_SETTINGS}. Make one with: asof run BENCHMARK MODEL --to {folder}"
        )
    return Run(folder, tomllib.loads(path.read_text(encoding="utf-8")))
