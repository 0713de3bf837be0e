"""A trained temporal reader as arrays and trees, and the folder it is kept in: TOML, safetensors, text, no pickle."""

from __future__ import annotations

import os
import shutil
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from asof.errors import UserError
from asof.facts.manifest import sha256_of
from asof.reading.answer_bank import AnswerBank
from asof.reading.answer_types import WANTED, wanted_type
from asof.reading.encoder import Vectors
from asof.reading.features import AskedQuestion, Features
from asof.reading.times.asked import asked_time

_ABOUT, _ARRAYS, _TREES = "reader.toml", "arrays.safetensors", "trees.txt"


@dataclass(frozen=True)
class TemporalModel:
    """What training learnt: boosted trees, a bank of answers, which kinds of answers fit which questions, a threshold.

    Args:
        fit_of_types: A row for each kind that is wanted, a column for each kind that a candidate looks like.
        threshold: Below this probability of the best candidate the answer is "none".
        about: What it was trained on, for people.
    """

    bank: AnswerBank
    fit_of_types: Vectors
    trees: Any
    threshold: float
    about: dict[str, Any]

    def asked(self, question: str, vector: Vectors, relation: Vectors) -> AskedQuestion:
        """Make a question ready.

        Args:
            vector: Of the question without its time.
            relation: Of what it asks, without names.
        """
        fit = self.fit_of_types[WANTED.index(wanted_type(question))]
        return AskedQuestion(question, asked_time(question), vector, *self.bank.like(relation), fit)

    def probabilities(self, features: Features, asked: AskedQuestion) -> Vectors:
        """Return for each candidate how likely a person would have marked it."""
        found: Vectors = np.asarray(self.trees.predict(features.of(asked), num_threads=1), dtype=np.float32)
        return found


def save(model: TemporalModel, folder: Path) -> None:
    """Write a model; an older one in the same place is replaced only when the new one is whole."""
    from safetensors.numpy import save_file

    if folder.exists() and not (folder / _ABOUT).is_file():
        raise UserError(f"{folder} is there and holds no reader. Choose another place with --to.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        arrays = {
            "bank/questions": model.bank.questions,
            "bank/answers": model.bank.answers,
            "fit_of_types": model.fit_of_types,
        }
        save_file(arrays, temporary / _ARRAYS)
        (temporary / _TREES).write_text(model.trees.model_to_string(), encoding="utf-8")
        hashes = {name: sha256_of(temporary / name) for name in (_ARRAYS, _TREES)}
        about = {"kind": "temporal", "threshold": model.threshold, **model.about}
        about |= {"sha256": hashes, "bank": list(model.bank.entities)}
        (temporary / _ABOUT).write_text(tomli_w.dumps(about), encoding="utf-8")
        for path in temporary.iterdir():
            path.chmod(0o644)
            with path.open("rb") as file:
                os.fsync(file.fileno())
        temporary.chmod(0o755)
        before = temporary.with_name(f"{temporary.name}.before")
        if folder.exists():
            folder.rename(before)  # two renames: killed between them, the old one is still there under this name
        temporary.rename(folder)
        shutil.rmtree(before, ignore_errors=True)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        raise UserError(f"{folder} could not be written: {error.strerror}. Free some space and train again.") from error


def load(folder: Path) -> TemporalModel:
    """Read a model that ``save`` wrote."""
    import lightgbm
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    path = folder / _ABOUT
    if not path.is_file():
        raise UserError(
            f"{folder} is no trained reader: it has no {_ABOUT}. "
            f"Make one with: asof readers train temporal DATA --to {folder}"
        )
    try:
        about = tomllib.loads(path.read_text(encoding="utf-8"))
        for name, expected in about.pop("sha256").items():
            if sha256_of(folder / name) != expected:  # LightGBM ends the whole program over a file that was cut
                raise UserError(
                    f"{folder / name} is not the file that {_ABOUT} speaks of; the reader is broken. Train it again."
                )
        arrays = load_file(folder / _ARRAYS)
        bank = AnswerBank(arrays["bank/questions"], arrays["bank/answers"], about.pop("bank"))
        trees = lightgbm.Booster(model_str=(folder / _TREES).read_text(encoding="utf-8"))
        return TemporalModel(bank, arrays["fit_of_types"], trees, float(about.pop("threshold")), about)
    except (
        OSError,
        SafetensorError,
        tomllib.TOMLDecodeError,
        KeyError,
        ValueError,
        lightgbm.basic.LightGBMError,
    ) as error:
        raise UserError(f"{folder} is broken ({error}). Train the reader again.") from error
