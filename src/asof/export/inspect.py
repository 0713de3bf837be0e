"""A task of Inspect (inspect_ai): it asks models for texts, so every benchmark is put as questions to be answered.

Questions are put as the probe write-answer does, sentences with a blank as questions with their time. Of TimeStress,
which compares probabilities that most providers do not give, the right dates are asked: does a model name the object
then?
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import ClassVar

from asof.benchmarks import BLANK, Benchmark, declared
from asof.errors import UserError
from asof.export import ExportRequest
from asof.export._about import fenced, licence_of, made_from, what_it_is
from asof.export._source import copy_source, write_rows
from asof.export._ways import METRICS, own_probe
from asof.probes import HarnessProbe, HarnessTask
from asof.probes.write_answer import WriteAnswer
from asof.registry import export


@export.register("inspect")
@dataclass(frozen=True, kw_only=True)
class Inspect:
    """A task of Inspect: questions that a model answers in its own words."""

    asks: ClassVar[bool] = True

    def write(self, wanted: ExportRequest, folder: Path) -> Sequence[str]:
        """Write the task, its items and its scores."""
        benchmark, probe = wanted.benchmark, _probe(wanted)
        task = probe.harness_task()
        rows = list(_rows(benchmark, probe))
        if not rows:
            raise UserError(f"{benchmark.folder} has no item with a right date, so there is nothing to ask.")
        scoring = _scoring(benchmark, task)
        settings = {"scores": scoring.names, "most_tokens": task.most_tokens}
        write_rows(rows, folder / "items.jsonl")
        copy_source("_files/inspect_task.txt", folder / "task.py", task_name=wanted.name)
        package, _, file = scoring.file.partition("/")
        copy_source(file, folder / "scores.py", package=package, metric_names=" ".join(scoring.metrics))
        (folder / "settings.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
        notes = _notes(wanted, probe, len(rows), scoring)
        (folder / "README.md").write_text(_readme(wanted, notes), encoding="utf-8")
        return notes

    def next_step(self, wanted: ExportRequest, folder: Path) -> str:
        """Return the command that runs the task."""
        return f"cd {quote(str(folder))} && inspect eval task.py --model PROVIDER/MODEL"


@dataclass(frozen=True)
class _Scoring:
    """A file with a function ``scores`` of a text and all answers, and which of them count."""

    file: str
    names: tuple[str, ...]
    metrics: tuple[str, ...] = ()  # that the benchmark declares


def _probe(wanted: ExportRequest) -> HarnessProbe:
    """Return a probe that asks for texts: the one that was chosen, the benchmark's own, or the usual one."""
    probe = wanted.probe or own_probe(wanted.benchmark)
    if isinstance(probe, HarnessProbe) and probe.harness_task().asks == "text":
        return probe
    if wanted.probe:
        raise UserError(
            f"Inspect asks models for texts; it cannot do what the probe {wanted.probe.name} does. Omit --probe."
        )
    return WriteAnswer()


def _rows(benchmark: Benchmark, probe: HarnessProbe) -> Iterator[dict[str, object]]:
    items = list(benchmark.items())
    for item, row in zip(items, probe.harness_rows(items), strict=True):
        if not isinstance(row, str):
            own = {"id": item.id, "group": item.group, "prompt": row["prompt"]}
            yield own | {"answers": list(item.answers), "tags": item.tags}


def _scoring(benchmark: Benchmark, task: HarnessTask) -> _Scoring:
    """Take the metrics that a benchmark declares, else those of the probe; of a blank how it is filled."""
    metrics = declared(benchmark.name).score_with
    if metrics and not isinstance(metrics, str):
        return _Scoring(METRICS, tuple(name.replace("-", "_") for name in metrics), metrics)
    if BLANK in next(benchmark.items()).prompt:
        return _Scoring("asof.export/_files/filled_blanks.py", ("exact_match", "f1"))
    return _Scoring(task.file, tuple(name for name in task.scores if name not in task.of_some))


def _notes(wanted: ExportRequest, probe: HarnessProbe, count: int, scoring: _Scoring) -> list[str]:
    notes = [f"{count:,} items; scores: {' and '.join(scoring.names)} of what a model writes."]
    if scoring.metrics:
        notes.append("The task needs asof and the package of the benchmark, whose metrics these are.")
    benchmark = wanted.benchmark
    if benchmark.probe != probe.name:
        how = "their right dates are asked" if count < benchmark.items_count else "answers are written"
        notes.append(
            f"These are not the scores of {benchmark.probe}, as Inspect cannot ask how likely a given answer is: "
            f"{how} instead."
        )
    return notes


def _readme(wanted: ExportRequest, notes: list[str]) -> str:
    licence, about_licence = licence_of(wanted)
    parts = [
        f"# {wanted.name}\n\n{what_it_is(wanted.benchmark)} A task for Inspect (inspect_ai 0.3).\n",
        fenced("inspect eval task.py --model PROVIDER/MODEL", "sh"),
        "A local model answers with its likeliest words when it does not sample: `--model hf/local -M "
        "model_path=FOLDER -M do_sample=false`. The folder needs no network and may be moved.\n",
        "## Scores\n\n" + " ".join(notes) + " The standard error is clustered by fact.\n",
        made_from(wanted.benchmark),
        f"Licence of the facts: {licence}. {about_licence}".rstrip() + "\n",
    ]
    return "\n".join(parts)
