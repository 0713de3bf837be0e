"""A benchmark in the forms of other tools: one file per form, the file name is what users type after ``--as``.

A benchmark that was built comes in; out comes a folder that the other tool reads by itself, wherever it is moved to.
It is written whole or not at all (``_folder.py``).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from asof.benchmarks import Benchmark
from asof.errors import UserError
from asof.export._folder import write_whole
from asof.probes import Probe

__all__ = ["ExportRequest", "Form", "export"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,95}")


@dataclass(frozen=True, kw_only=True)
class ExportRequest:
    """What is to be exported.

    Args:
        name: What the task or the dataset is called in the other tool.
        licence: That of the facts, as an SPDX identifier; None when it is not known.
        probe: How a model is asked about items, where the form says that; None leaves it to the form.
    """

    benchmark: Benchmark
    name: str
    licence: str | None = None
    probe: Probe | None = None

    def __post_init__(self) -> None:
        """See that the name can be a file's."""
        if not _NAME.fullmatch(self.name):
            raise UserError(f"{self.name!r} cannot be the name of a task: use letters, digits, '_', '-' and '.' only.")


class Form(Protocol):
    """A frozen dataclass of settings that writes a benchmark as another tool reads it."""

    asks: ClassVar[bool]  # whether it puts items to models, so that a probe makes a difference

    def write(self, wanted: ExportRequest, folder: Path) -> Sequence[str]:
        """Write everything into an empty folder; return what a person should know of it."""

    def next_step(self, wanted: ExportRequest, folder: Path) -> str:
        """Return the command, or the line of code, that reads the folder."""


def export(form: Form, wanted: ExportRequest, folder: Path) -> list[str]:
    """Write a benchmark in a form to a folder, whole or not at all; return what a person should know of it."""
    told = write_whole(folder, wanted.benchmark, lambda empty: form.write(wanted, empty))
    return [*told, f"Next: {form.next_step(wanted, folder)}"]
