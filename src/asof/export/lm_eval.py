"""A task of lm-evaluation-harness: YAML, items as JSONL, and the scores in Python, in a folder that can be moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any, ClassVar

from asof.benchmarks import declared
from asof.export import ExportRequest
from asof.export._about import fenced, licence_of, made_from, what_it_is
from asof.export._source import copy_source, write_rows
from asof.export._ways import METRICS, asked, probe_for
from asof.export._yaml import TaggedValue, yaml
from asof.metrics import metric_of
from asof.probes import HarnessProbe, HarnessTask
from asof.registry import export, scores
from asof.runs.measured import TaskScores


@export.register("lm-eval")
@dataclass(frozen=True, kw_only=True)
class LmEval:
    """A task of lm-evaluation-harness with the scores of asof score."""

    asks: ClassVar[bool] = True

    def write(self, wanted: ExportRequest, folder: Path) -> Sequence[str]:
        """Write the task, its items and its scores."""
        probe, notes = probe_for(wanted.benchmark, wanted.probe, "lm-eval")
        way = _way(probe, declared(wanted.benchmark.name).score_with)
        found = asked(wanted.benchmark, probe)
        write_rows(found.rows, folder / "items.jsonl")
        copy_source("_files/lm_eval_items.py", folder / "items.py")
        package, _, file = way.file.partition("/")
        copy_source(file, folder / "scores.py", package=package, metric_names=" ".join(way.metrics))
        (folder / f"{wanted.name}.yaml").write_text(yaml(_task(wanted, way)), encoding="utf-8")
        (folder / "README.md").write_text(_readme(wanted, way, found.notes()), encoding="utf-8")
        told = f"{len(found.rows):,} items; scores by {probe.name}: {', '.join(way.scores)}."
        return [*notes, *found.notes(), told]

    def next_step(self, wanted: ExportRequest, folder: Path) -> str:
        """Return the command that runs the task."""
        return _command(wanted.name, str(folder))


@dataclass(frozen=True)
class _Way:
    """What of the task depends on the probe."""

    file: str
    scores: tuple[str, ...]
    task: dict[str, Any]
    how: str
    aggregated: bool = False  # by functions of the file, else by the mean over items
    metrics: tuple[str, ...] = ()  # that the benchmark declares
    lower_is_better: tuple[str, ...] = ()


def _way(probe: HarnessProbe, score_with: str | tuple[str, ...]) -> _Way:
    task = probe.harness_task()
    usual = _Way(task.file, task.scores, _asked_as(task), task.how)
    if isinstance(score_with, str):
        own: TaskScores | None = getattr(scores.get(score_with), "of_task", None)
        if own is None or own.probe != probe.name:
            return usual
        return _Way(own.file, own.scores, usual.task, own.how, aggregated=True)
    if score_with and task.asks == "text":
        named = {name.replace("-", "_"): metric_of(name) for name in score_with}
        how = f"{task.how} The task needs asof and the package of the benchmark, whose metrics these are."
        lower = tuple(name for name, metric in named.items() if metric.better == "lower")
        return _Way(METRICS, tuple(named), usual.task, how, metrics=score_with, lower_is_better=lower)
    return usual


def _asked_as(task: HarnessTask) -> dict[str, Any]:
    """Return what of the task depends on what is wanted of a model."""
    if task.asks == "likelihood":
        return {"output_type": "loglikelihood", "doc_to_target": TaggedValue("!function items.answer")}
    if task.asks == "choice":
        return {
            "output_type": "multiple_choice",
            "doc_to_choice": TaggedValue("!function items.choices"),
            "doc_to_target": TaggedValue("!function items.right_choice"),
        }
    return {
        "output_type": "generate_until",
        "doc_to_target": TaggedValue("!function items.answers"),
        "generation_kwargs": {"until": list(task.stop), "max_gen_toks": task.most_tokens, "do_sample": False},
    }


def _task(wanted: ExportRequest, way: _Way) -> dict[str, Any]:
    mean: Any = "mean"
    return {
        "task": wanted.name,
        "custom_dataset": TaggedValue("!function items.items"),
        "test_split": "test",
        "doc_to_text": TaggedValue("!function items.prompt"),
        **way.task,
        "process_results": TaggedValue("!function scores.process_results"),
        "metric_list": [
            {
                "metric": score,
                "aggregation": TaggedValue(f"!function scores.{score}") if way.aggregated else mean,
                "higher_is_better": score not in way.lower_is_better,
            }
            for score in way.scores
        ],
        "target_delimiter": "",  # answers bring the space before them
        "num_fewshot": 0,
        "metadata": {"version": 1.0, "items_sha256": wanted.benchmark.items_sha256},
    }


def _readme(wanted: ExportRequest, way: _Way, notes: list[str]) -> str:
    licence, about_licence = licence_of(wanted)
    parts = [
        f"# {wanted.name}\n\n{what_it_is(wanted.benchmark)} A task for lm-evaluation-harness (0.4.11 or later).\n",
        fenced(_command(wanted.name, "."), "sh"),
        "The folder needs no network and may be moved.\n",
        f"## Scores\n\n{', '.join(f'`{score}`' for score in way.scores)}: those that `asof score` gives. {way.how}\n",
        *(f"{note}\n" for note in notes),
        made_from(wanted.benchmark),
        f"Licence of the facts: {licence}. {about_licence}".rstrip() + "\n",
    ]
    return "\n".join(parts)


def _command(name: str, folder: str) -> str:
    return f"lm_eval --model hf --model_args pretrained=MODEL --include_path {quote(folder)} --tasks {name}"
