"""Answers in a plain table: CSV, TSV or JSONL with an id or a prompt, and an answer."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.registry import logs
from asof.runs.logs import AnswerLog, LoggedAnswer, row_of_text

_IDS = ("id", "item", "item_id")
_PROMPTS = ("prompt", "question", "input")
_ANSWERS = ("answer", "response", "output", "completion", "text", "prediction")
_SEPARATORS = {".csv": ",", ".tsv": "\t"}


@logs.register("table")
class AnswerTable:
    """A CSV, TSV or JSONL with a column id or prompt, and a column answer; a column model may name the model."""

    def recognises(self, path: Path) -> bool:
        """Tell by the ending."""
        return path.suffix in (*_SEPARATORS, ".jsonl")

    def read(self, path: Path) -> AnswerLog:
        """Read a table."""
        answers, models = [], set()
        for line, row in _rows(path):
            answer, id, prompt = (_first(row, names) for names in (_ANSWERS, _IDS, _PROMPTS))
            if answer is None or (id is None and prompt is None):
                raise UserError(
                    f"{path}, line {line} has no {'answer' if answer is None else 'id and no prompt'}. A table of "
                    f"answers has a column id or prompt, and a column answer; this one has: {', '.join(row)}."
                )
            answers.append(LoggedAnswer(id, prompt, row_of_text(answer)))
            if row.get("model"):
                models.add(str(row["model"]))
        if len(models) > 1:
            raise UserError(f"{path} has answers of {', '.join(sorted(models))}. Give each model a file of its own.")
        return AnswerLog(path, models.pop() if models else path.stem, "write-answer", answers, {"tool": "table"})


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        if path.suffix != ".jsonl":
            reader = csv.DictReader(file, delimiter=_SEPARATORS[path.suffix])
            for row in reader:
                yield reader.line_num, row
            return
        for number, line in enumerate(file, start=1):
            try:
                yield number, dict(json.loads(line))
            except (ValueError, TypeError) as error:
                raise UserError(f"{path}, line {number} is not a JSON object ({error}). Delete it.") from error


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((str(row[name]) for name in names if row.get(name) is not None), None)
