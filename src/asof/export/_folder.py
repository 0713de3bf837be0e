"""The folder of an export: an earlier one is replaced when the new one is whole, anything else is not touched."""

from collections.abc import Callable, Sequence
from pathlib import Path

import tomli_w

from asof import __version__
from asof.benchmarks import Benchmark
from asof.errors import UserError
from asof.whole_file import whole_folder

_RECORD = "export.toml"


def write_whole(folder: Path, benchmark: Benchmark, fill: Callable[[Path], Sequence[str]]) -> Sequence[str]:
    """Fill a new folder and put it in place; an earlier export there is replaced, anything else is not touched.

    ``export.toml`` is written into it: all that the benchmark's description says, and the version of asof.
    """
    target = folder.resolve()
    _may_be_written(folder, target)
    try:
        with whole_folder(target) as new:
            told = fill(new)
            record = {**benchmark.description, "exported_by": f"asof {__version__}"}
            (new / _RECORD).write_text(tomli_w.dumps(record), encoding="utf-8")
    except OSError as error:
        raise UserError(f"Could not write {folder}: {error.strerror or error}. Nothing was changed.") from error
    return told


def _may_be_written(folder: Path, target: Path) -> None:
    if target.exists() and not target.is_dir():
        raise UserError(f"{folder} is a file. Choose another folder with -o.")
    if target == Path.cwd():
        raise UserError("The current folder cannot be replaced. Give a new one with -o.")
    if target.is_dir() and any(target.iterdir()) and not (target / _RECORD).is_file():
        raise UserError(f"{folder} is not empty and is not an export. Choose another folder with -o.")
