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
from asof.export._ways import asked, probe_for
from asof.export._yaml import TaggedValue, yaml
from asof.metrics import metric_of
from asof.probes import Probe
from asof.probes.answer_likelihood import AnswerLikelihood
from asof.probes.pseudo_likelihood import PseudoLikelihood
from asof.probes.write_answer import STOP, WriteAnswer
from asof.registry import export, scores
from asof.runs.measured import TaskScores

_FILES = "asof.export/_files/"
_KNOWN = ("answer-likelihood", "pseudo-likelihood", "write-answer")


@export.register("lm-eval")
@dataclass(frozen=True, kw_only=True)
class LmEval:
    """A task of lm-evaluation-harness with the scores of asof score."""

    asks: ClassVar[bool] = True

    def write(self, wanted: ExportRequest, folder: Path) -> Sequence[str]:
        """Write the task, its items and its scores."""
        probe, notes = probe_for(wanted.benchmark, wanted.probe, _KNOWN, "lm-eval")
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


def _way(probe: Probe, score_with: str | tuple[str, ...]) -> _Way:
    way = _way_of(probe)
    if isinstance(score_with, str):
        own: TaskScores | None = getattr(scores.get(score_with), "of_task", None)
        return (
            _Way(own.file, own.scores, way.task, own.how, aggregated=True) if own and own.probe == probe.name else way
        )
    if score_with and isinstance(probe, WriteAnswer):
        named = {name.replace("-", "_"): metric_of(name) for name in score_with}
        how = f"{way.how} The task needs asof and the package of the benchmark, whose metrics these are."
        lower = tuple(name for name, metric in named.items() if metric.better == "lower")
        return _Way(
            f"{_FILES}lm_eval_metrics.py", tuple(named), way.task, how, metrics=score_with, lower_is_better=lower
        )
    return way


def _way_of(probe: Probe) -> _Way:
    asks_answer = {"output_type": "loglikelihood", "doc_to_target": TaggedValue("!function items.answer")}
    if isinstance(probe, AnswerLikelihood):
        return _Way(
            f"{_FILES}lm_eval_likelihood.py", ("logprob",), asks_answer, "The log-probability of the first answer."
        )
    if isinstance(probe, PseudoLikelihood):
        choose: dict[str, Any] = {
            "output_type": "multiple_choice",
            "doc_to_choice": TaggedValue("!function items.choices"),
            "doc_to_target": TaggedValue("!function items.right_choice"),
        }
        how = (
            "The log-probability of each candidate in the blank with all that follows it: the names that were right at "
            f"any time, and {probe.distractors} of other subjects (seed {probe.seed}). The perplexity of `asof score` "
            "is not among these scores: the harness does not tell how many tokens an answer has."
        )
        return _Way(f"{_FILES}lm_eval_choices.py", ("accuracy", "mrr", "win_rate"), choose, how)
    most = (probe if isinstance(probe, WriteAnswer) else WriteAnswer()).most_tokens
    task: dict[str, Any] = {
        "output_type": "generate_until",
        "doc_to_target": TaggedValue("!function items.answers"),
        "generation_kwargs": {"until": list(STOP), "max_gen_toks": most, "do_sample": False},
    }
    how = "What the model writes, against all accepted answers. It sees the question alone. Give a model that has a "
    how += (
        "chat template `--apply_chat_template`, as `asof run` does by itself. Which of the other answers are outdated, "
    )
    how += "`asof score` tells."
    return _Way(f"{_FILES}written_answers.py", ("em", "f1", "em_answerable", "em_unanswerable"), task, how)


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
