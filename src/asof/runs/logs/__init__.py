"""Answers that other tools have kept, one file for each format; what is in them is the same, whoever wrote it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from asof.probes import Row
from asof.registry import logs
from asof.wording.written_answer import answer_in

__all__ = ["AnswerLog", "LogFormat", "LoggedAnswer", "format_of", "row_of_text"]


@dataclass(frozen=True)
class LoggedAnswer:
    """One answer in a log.

    Args:
        id: The id of the item, if the log has any.
        prompt: What the model read.
        row: What a probe would have kept of it; nothing where the log has no answer.
        why: Why there is none.
    """

    id: str | None
    prompt: str | None
    row: Row | None
    why: str = ""

    @property
    def name(self) -> str:
        """What to call it when no item has it."""
        return self.id or (self.prompt or "").strip().replace("\n", " ")[:60]


@dataclass(frozen=True)
class AnswerLog:
    """The answers of one model to one task.

    Args:
        probe: The probe whose rows these are.
        about: What is to be put on record: the tool, the task.
    """

    path: Path
    model: str
    probe: str
    answers: Sequence[LoggedAnswer]
    about: Mapping[str, Any] = field(default_factory=dict)


class LogFormat(Protocol):
    """A part of ``asof.runs.logs``."""

    def recognises(self, path: Path) -> bool:
        """Tell whether a file is in this format."""

    def read(self, path: Path) -> AnswerLog:
        """Read a file, or say what is wrong with it."""


def format_of(path: Path) -> LogFormat | None:
    """Return the format of a file, None when it is in none that is known."""
    for name in logs.names():
        made: LogFormat = logs.get(name)()
        if made.recognises(path):
            return made
    return None


def row_of_text(text: str) -> Row:
    """Return what the probe write-answer keeps of a text."""
    return {"text": answer_in(text), "written": text}
