"""Samples of lm-evaluation-harness (``--log_samples``): texts, likelihoods of an answer, or of several to compare."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.probes import Row
from asof.registry import logs
from asof.runs.logs import AnswerLog, LoggedAnswer, row_of_text

_FILE = re.compile(r"samples_(?P<task>.+?)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")


@logs.register("lm-eval")
class LmEvalSamples:
    """A file samples_TASK_DATE.jsonl of lm-evaluation-harness."""

    def recognises(self, path: Path) -> bool:
        """Tell by what its first line has."""
        if path.suffix != ".jsonl":
            return False
        with path.open(encoding="utf-8", errors="replace") as file:
            begun = file.readline(1 << 20)
        return '"resps"' in begun and '"doc"' in begun

    def read(self, path: Path) -> AnswerLog:
        """Read the samples; the model is in the results that were written beside them."""
        probe, answers = "", []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                sample = json.loads(line)
                kind = _probe(sample)
                answers.append(_answer(sample, kind))
            except (ValueError, KeyError, TypeError, IndexError) as error:
                raise UserError(f"{path}, line {number} is not a sample of lm-eval ({error}). Delete it.") from error
            if probe and kind != probe:
                raise UserError(f"{path}, line {number} has answers of another kind than the lines before. Split it.")
            probe = kind
        named = _FILE.fullmatch(path.name)
        task = named["task"] if named else path.stem
        return AnswerLog(path, _model(path, named), probe, answers, {"tool": "lm-eval", "task": task})


def _model(path: Path, named: re.Match[str] | None) -> str:
    """Return the model that the results of the same date name."""
    results = path.with_name(f"results_{named['date']}.json") if named else path
    if results == path or not results.is_file():
        return path.parent.name
    content = json.loads(results.read_text(encoding="utf-8"))
    return str(content.get("model_name") or content.get("config", {}).get("model") or path.parent.name)


def _arguments(sample: Mapping[str, Any]) -> list[list[Any]]:
    """Return what the model was given for each request: a prompt, and what follows or how to write."""
    given = sample["arguments"]
    requests = given.values() if isinstance(given, dict) else given
    return [list(one.values() if isinstance(one, dict) else one) for one in requests]


def _probe(sample: Mapping[str, Any]) -> str:
    second = _arguments(sample)[0][1]
    if isinstance(second, dict):
        return "write-answer"
    return "pseudo-likelihood" if len(sample["resps"]) > 1 else "answer-likelihood"


def _answer(sample: Mapping[str, Any], probe: str) -> LoggedAnswer:
    document, arguments = sample["doc"], _arguments(sample)
    id = document.get("id") if isinstance(document, dict) else None
    prompt = str(document.get("prompt", arguments[0][0]) if isinstance(document, dict) else arguments[0][0])
    name = None if id is None else str(id)
    if probe == "write-answer":
        return LoggedAnswer(name, prompt, row_of_text(str(_flat(sample["resps"][0])[0])))
    logprobs = [float(_flat(one)[0]) for one in sample["resps"]]
    if probe == "answer-likelihood":
        return LoggedAnswer(name, prompt, {"logprob": logprobs[0]})
    names = document.get("candidates") or [str(one[1]).strip() for one in arguments]
    return LoggedAnswer(name, prompt, candidates_row(names, logprobs))


def _flat(response: Any) -> Sequence[Any]:
    """Return a response without the lists around it: a text, or a log-probability and whether it was the likeliest."""
    while isinstance(response, list) and response and isinstance(response[0], list):
        response = response[0]
    return response if isinstance(response, list) else [response]


def candidates_row(names: Sequence[str], logprobs: Sequence[float]) -> Row:
    """Return candidates with what each is worth; what is right is known when the item is."""
    if len(names) != len(logprobs):
        raise ValueError(f"{len(names)} candidates have {len(logprobs)} log-probabilities")
    return {"candidates": list(names), "logprobs": list(logprobs)}
