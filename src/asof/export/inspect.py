"""A task of Inspect (inspect_ai): it asks models for texts, so every benchmark is put as questions to be answered.

Questions are put as the probe write-answer does, sentences with a blank as questions with their time. Of TimeStress,
which compares probabilities that most providers do not give, the right dates are asked: does a model name the object
then?
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import ClassVar

from asof.benchmarks import BLANK, Item
from asof.errors import UserError
from asof.export import ExportRequest
from asof.export._about import fenced, licence_of, made_from, what_it_is
from asof.export._source import copy_source, write_rows
from asof.probes.write_answer import WriteAnswer, prompt_for, question_for, why_not_asked
from asof.registry import export


@export.register("inspect")
@dataclass(frozen=True, kw_only=True)
class Inspect:
    """A task of Inspect: questions that a model answers in its own words."""

    asks: ClassVar[bool] = True

    def write(self, wanted: ExportRequest, folder: Path) -> Sequence[str]:
        """Write the task, its items and its scores."""
        probe = _probe(wanted)
        items = [item for item in wanted.benchmark.items() if not why_not_asked(item)]
        if not items:
            raise UserError(f"{wanted.benchmark.folder} has no item with a right date, so there is nothing to ask.")
        with_blank = BLANK in items[0].prompt
        scores = ("exact_match", "f1") if with_blank else ("em", "f1")
        settings = {"scores": scores, "most_tokens": probe.most_tokens}
        write_rows(map(_row, items), folder / "items.jsonl")
        copy_source("_files/inspect_task.txt", folder / "task.py", task_name=wanted.name)
        copy_source("_files/filled_blanks.py" if with_blank else "_files/written_answers.py", folder / "scores.py")
        (folder / "settings.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
        notes = _notes(wanted, len(items), with_blank)
        (folder / "README.md").write_text(_readme(wanted, notes), encoding="utf-8")
        return notes

    def next_step(self, wanted: ExportRequest, folder: Path) -> str:
        """Return the command that runs the task."""
        return f"cd {quote(str(folder))} && inspect eval task.py --model PROVIDER/MODEL"


def _probe(wanted: ExportRequest) -> WriteAnswer:
    probe = wanted.probe or WriteAnswer()
    if not isinstance(probe, WriteAnswer):
        raise UserError(f"Inspect asks models for texts; it cannot do what the probe {probe.name} does. Omit --probe.")
    return probe


def _row(item: Item) -> dict[str, object]:
    prompt = prompt_for(question_for(item))
    return {"id": item.id, "group": item.group, "prompt": prompt, "answers": list(item.answers), "tags": item.tags}


def _notes(wanted: ExportRequest, count: int, with_blank: bool) -> list[str]:
    notes = [f"{count:,} items; scores: {'exact_match and f1' if with_blank else 'em and f1'} of what a model writes."]
    benchmark = wanted.benchmark
    if benchmark.probe != WriteAnswer.name:
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
