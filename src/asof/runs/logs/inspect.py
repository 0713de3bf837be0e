"""Logs of Inspect (inspect_ai): ``.eval``, which is a zip, and ``.json``.

Read by Inspect itself where it is installed, and otherwise as its documentation describes the files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from asof.errors import UserError
from asof.registry import logs
from asof.runs.logs import AnswerLog, LoggedAnswer, row_of_text

_ATTACHED = "attachment://"  # long texts stand once for all messages that have them
_NO_ANSWER = "the log has no answer to it"


@logs.register("inspect")
class InspectLog:
    """A log of Inspect: what a model wrote to each sample; of several epochs the first."""

    def recognises(self, path: Path) -> bool:
        """Tell by the ending, and for JSON by what it begins with."""
        if path.suffix == ".eval":
            return True
        if path.suffix != ".json":
            return False
        with path.open(encoding="utf-8", errors="replace") as file:
            begun = file.read(4096)
        return '"eval"' in begun and '"version"' in begun

    def read(self, path: Path) -> AnswerLog:
        """Read a log."""
        try:
            content = _by_inspect(path) if find_spec("inspect_ai") else by_ourselves(path)
            about = content["eval"]
            answers = [_answer(sample) for sample in content.get("samples") or ()]
            return AnswerLog(
                path,
                str(about["model"]),
                "write-answer",
                answers,
                {"tool": "inspect", "task": about.get("task"), "status": content.get("status")},
            )
        except (BadZipFile, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(
                f"{path} could not be read as a log of Inspect ({error}). Run the evaluation again."
            ) from error
        except NotImplementedError as error:  # a compression that this Python does not know
            raise UserError(f"{path} is compressed in a way that needs Inspect: pip install inspect-ai") from error


def _by_inspect(path: Path) -> dict[str, Any]:
    from inspect_ai.log import read_eval_log

    found: dict[str, Any] = read_eval_log(str(path), resolve_attachments=True).model_dump(mode="json")
    return found


def by_ourselves(path: Path) -> dict[str, Any]:
    """Read a log without Inspect."""
    if path.suffix == ".json":
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return content
    with ZipFile(path) as archive:
        names = archive.namelist()
        if "header.json" not in names:
            raise UserError(f"{path} was not finished: it has no header.json. Run: inspect eval-retry {path}")
        content = json.loads(archive.read("header.json"))
        content["samples"] = [
            json.loads(archive.read(name)) for name in names if name.startswith("samples/") and name.endswith(".json")
        ]
    return content


def _answer(sample: Mapping[str, Any]) -> LoggedAnswer:
    prompt = _attached(_last_question(sample.get("input")), sample)
    id = None if sample.get("id") is None else str(sample["id"])
    error = sample.get("error")
    if error:
        return LoggedAnswer(id, prompt, None, f"the log has an error: {str(error.get('message', error))[:200]}")
    choices = (sample.get("output") or {}).get("choices") or ()
    if not choices:
        return LoggedAnswer(id, prompt, None, _NO_ANSWER)
    return LoggedAnswer(id, prompt, row_of_text(_attached(_text(choices[0]["message"]["content"]), sample)))


def _last_question(given: Any) -> str:
    """Return the last thing that a model was told by a user."""
    if not isinstance(given, list):
        return str(given or "")
    said = [_text(message["content"]) for message in given if message.get("role") == "user"]
    return said[-1] if said else ""


def _text(content: Any) -> str:
    """Return the text of a message without what the model thought before."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if part.get("type", "text") == "text")
    return str(content)


def _attached(text: str, sample: Mapping[str, Any]) -> str:
    if not text.startswith(_ATTACHED):
        return text
    return str((sample.get("attachments") or {}).get(text.removeprefix(_ATTACHED), text))
