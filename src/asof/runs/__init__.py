"""One model on one benchmark, saved: run, resume, score again, compare."""

from asof.runs.folder import Run, read_run
from asof.runs.runner import run

__all__ = ["Run", "read_run", "run"]
