"""Make a run of answers that another tool has kept: items are found by id, else by their prompt.

Sentences with a blank are the same in all periods, so an answer to a prompt is an answer to every item that has it.
Items that the log does not have are kept as such; what matches no item is counted and named.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asof import __version__
from asof.benchmarks import Benchmark, Item
from asof.errors import UserError
from asof.facts.manifest import sha256_of
from asof.places.folders import location_of
from asof.probes import LEFT_OUT, Row
from asof.probes.write_answer import prompt_for, question_for
from asof.runs.folder import Run, open_run
from asof.runs.logs import AnswerLog, LoggedAnswer, format_of
from asof.runs.logs.table import AnswerTable
from asof.whole_file import write_text

NOT_IN_LOG = "not in the log"
_NOT_COMPARABLE = "its right answer is not among the candidates of the log, or nothing else is"
_SHOWN = 3


@dataclass(frozen=True)
class ImportedRun:
    """A run that was made of a log.

    Args:
        answered: Items with an answer.
        items: All items of the benchmark.
        unmatched: What the log has and the benchmark does not.
        again: Answers to items that had one already; the first counts.
    """

    run: Run
    answered: int
    items: int
    unmatched: tuple[str, ...]
    again: int

    def notes(self) -> list[str]:
        """Say what was matched and what was not."""
        told = [f"{self.answered:,} of {self.items:,} items have an answer."]
        told += [f"Skipped {count:,} items: {why}" for why, count in self.run.left_out().items()]
        if self.again:
            told.append(f"{self.again:,} more answers are to items that had one already; the first counts.")
        if self.unmatched:
            some = "; ".join(self.unmatched[:_SHOWN]) + (" ..." if len(self.unmatched) > _SHOWN else "")
            told.append(f"{len(self.unmatched):,} answers of the log match no item: {some}")
        return told


def import_logs(places: Path, benchmark: Benchmark, folder: Path, *, model: str | None = None) -> ImportedRun:
    """Make a run of a log, or of all logs in a folder.

    Args:
        model: The name of the model, where the log has none; in a folder with logs of several, the one to take.
    """
    read = read_logs(places)
    named = {log.model for log in read}
    chosen = [log for log in read if log.model == model] if model in named else read
    if len({log.model for log in chosen}) > 1:
        raise UserError(f"{places} has logs of several models: {', '.join(sorted(named))}. Choose one with --model.")
    probes = {log.probe for log in chosen}
    if len(probes) > 1:
        raise UserError(f"{places} has answers of several kinds: {', '.join(sorted(probes))}. Import them one by one.")
    matched = _Matched.of(list(benchmark.items()), chosen)
    if not matched.rows:
        some = ", ".join(repr(name) for name in matched.unmatched[:_SHOWN])
        raise UserError(
            f"None of the {len(matched.unmatched):,} answers in {places} is to an item of {benchmark.folder}: {some}. "
            "Items are found by their id or their prompt. Is it a log of another benchmark?"
        )
    settings = {
        "benchmark": location_of(benchmark.folder),
        "benchmark_name": benchmark.name,
        "items_sha256": benchmark.items_sha256,
        "model": model or chosen[0].model,
        "probe": chosen[0].probe,
        "imported_from": [str(log.path.resolve()) for log in chosen],
        "imported_sha256": [sha256_of(log.path) for log in chosen],
    }
    if (folder / "settings.toml").is_file():
        raise UserError(f"{folder} holds a run already. Choose another folder with --to.")
    versions = {"asof": __version__, "kind": "imported"} | {
        key: value for key, value in chosen[0].about.items() if value is not None
    }
    opened = open_run(folder, settings, versions)
    rows = matched.rows | matched.left_out
    lines = (json.dumps({"id": id} | row, ensure_ascii=False) + "\n" for id, row in rows.items())
    write_text(opened.predictions_path, "".join(lines))
    return ImportedRun(opened, len(matched.rows), benchmark.items_count, tuple(matched.unmatched), matched.again)


def read_logs(places: Path) -> list[AnswerLog]:
    """Read a log, or all logs in a folder and below; other files of a folder are passed over."""
    if places.is_dir():
        found = [(path, format_of(path)) for path in sorted(places.rglob("*")) if path.is_file()]
        known = [(path, form) for path, form in found if form is not None]
        of_tools = [(path, form) for path, form in known if not isinstance(form, AnswerTable)]
        logs = [form.read(path) for path, form in of_tools or known]  # tables beside logs are what was asked
        if not logs:
            raise UserError(f"{places} has no log. Give a .eval, .json, .jsonl or .csv file, or a folder of such.")
        return logs
    if not places.is_file():
        raise UserError(f"{places} does not exist. Give a log, or a folder of logs.")
    form = format_of(places)
    if form is None:
        raise UserError(
            f"{places} is in no format that asof reads. It reads logs of Inspect (.eval, .json), samples of lm-eval "
            "(.jsonl), and tables with a column id or prompt and a column answer (.csv, .tsv, .jsonl)."
        )
    return [form.read(places)]


@dataclass(frozen=True)
class _Matched:
    rows: dict[str, Row]
    left_out: dict[str, Row]
    unmatched: list[str]
    again: int

    @classmethod
    def of(cls, items: Sequence[Item], logs: Sequence[AnswerLog]) -> _Matched:
        """Find the items of answers."""
        by_id = {item.id: item for item in items}
        by_prompt: defaultdict[str, list[Item]] = defaultdict(list)
        for item in items:
            for form in dict.fromkeys(map(_plain, (item.prompt, question_for(item), prompt_for(question_for(item))))):
                by_prompt[form].append(item)
        rows: dict[str, Row] = {}
        reasons: dict[str, str] = {}
        unmatched, again = [], 0
        for answer in (one for log in logs for one in log.answers):
            found = _items_of(answer, by_id, by_prompt)
            if not found:
                unmatched.append(answer.name)
            for item in found:
                if item.id in rows:
                    again += 1
                    continue
                row, why = (None, answer.why) if answer.row is None else _row(answer.row, item)
                if row is None:
                    reasons[item.id] = why
                else:
                    rows[item.id] = row
        left_out = {id: {LEFT_OUT: reasons.get(id, NOT_IN_LOG)} for id in by_id if id not in rows}
        return cls(rows, left_out, unmatched, again)


def _items_of(answer: LoggedAnswer, by_id: Mapping[str, Item], by_prompt: Mapping[str, list[Item]]) -> list[Item]:
    if answer.id in by_id:
        return [by_id[str(answer.id)]]
    return next((by_prompt[form] for form in _forms(answer.prompt or "") if form in by_prompt), [])


def _forms(prompt: str) -> Iterator[str]:
    """Give a prompt as it is, and each of its lines from the last one: tools put instructions around questions."""
    yield _plain(prompt)
    for line in reversed(prompt.splitlines()):
        yield _plain(line)


def _plain(prompt: str) -> str:
    """Return a prompt without spaces that mean nothing, and without the words around a question.

    >>> _plain("Question: Who  led it? Answer:"), _plain("Q: Who led it?")
    ('Who led it?', 'Who led it?')
    """
    text = " ".join(prompt.split())
    for begins in ("Question: ", "Q: "):
        text = text.removeprefix(begins)
    for ends in (" Answer:", " A:"):
        text = text.removesuffix(ends)
    return text


def _row(row: Row, item: Item) -> tuple[Row | None, str]:
    """Complete a row by what is right; return why it cannot be used, if so."""
    if "candidates" not in row:
        return row, ""
    names, values = row["candidates"], row["logprobs"]
    right = [name in item.answers for name in names]
    if not any(right) or all(right):
        return None, _NOT_COMPARABLE
    best = max((place for place, is_right in enumerate(right) if is_right), key=values.__getitem__)
    better = sum(value >= values[best] for value, is_right in zip(values, right, strict=True) if not is_right)
    more: dict[str, Any] = {
        "answer": names[best],
        "rank": better + 1,
        "best": names[max(range(len(values)), key=values.__getitem__)],
        "right": right,
    }
    return row | more, ""
