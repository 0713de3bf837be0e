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
import numpy.typing as npt
import tomli_w

from asof.errors import UserError
from asof.reading.answer_bank import AnswerBank
from asof.reading.features import AskedQuestion, Features, Matrix
from asof.reading.index import DocumentIndex
from asof.reading.matching import Floats, Matching, MatchingRow

_ABOUT, _ARRAYS, _TREES = "reader.toml", "arrays.safetensors", "trees.txt"
_MOST_RANK = 200

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TemporalModel:
    """What training learnt: a matching network, boosted trees on top of it, a bank of answers, a threshold.

    Args:
        threshold: Below this probability of the best candidate the answer is "none".
        about: What it was trained on, for people.
    """

    matching: Matching
    bank: AnswerBank
    trees: Any
    threshold: float
    about: dict[str, Any]

    def probabilities(self, features: Features, asked: AskedQuestion, relation: Floats) -> Floats:
        """Return for each candidate how likely a person would have marked it."""
        if not features.index.candidates:
            return np.zeros(0, np.float32)
        row = matching_row(features.index, features.of(asked), np.concatenate([asked.vector, relation]))
        found: Floats = self.trees.predict(with_match(row.features, self.matching.scores(row)), num_threads=1)
        return found


def matching_row(index: DocumentIndex, features: Matrix, question: Floats, places: Places | None = None) -> MatchingRow:
    """Gather what the matching network wants to know of all candidates, or of those at some places.

    Args:
        features: Of these candidates.
        question: Its two vectors side by side.
    """
    of = index.sentence_of if places is None else index.sentence_of[places]
    return MatchingRow(
        question=question,
        candidates=index.candidate_vectors if places is None else index.candidate_vectors[places],
        sentences=index.sentence_vectors[of],
        headings=index.section_vectors[index.section_of_sentence[of]],
        features=features,
        right=np.zeros(len(of), bool),
    )


def with_match(features: Matrix, scores: Floats) -> Matrix:
    """Add what the network says to the features: the score, how far it is from the best, its rank."""
    ranks = np.minimum(np.argsort(np.argsort(-scores, kind="stable"), kind="stable"), _MOST_RANK)
    more = np.stack([scores, scores - scores.max(initial=-np.inf), ranks], axis=1).astype(np.float32)
    return np.concatenate([features, more], axis=1)


def save(model: TemporalModel, folder: Path) -> None:
    """Write a model; an older one in the same place is replaced only when the new one is whole."""
    from safetensors.numpy import save_file

    if folder.exists() and not (folder / _ABOUT).is_file():
        raise UserError(f"{folder} is there and holds no reader. Choose another place with --to.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        arrays = {f"matching/{name}": np.ascontiguousarray(array) for name, array in model.matching.arrays.items()}
        arrays |= {"bank/questions": model.bank.questions, "bank/answers": model.bank.answers}
        save_file(arrays, temporary / _ARRAYS)
        (temporary / _TREES).write_text(model.trees.model_to_string(), encoding="utf-8")
        about = {"kind": "temporal", "threshold": model.threshold, **model.about, "bank": list(model.bank.entities)}
        (temporary / _ABOUT).write_text(tomli_w.dumps(about), encoding="utf-8")
        for path in temporary.iterdir():
            path.chmod(0o644)
            with path.open("rb") as file:
                os.fsync(file.fileno())
        temporary.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        temporary.rename(folder)
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
        arrays = load_file(folder / _ARRAYS)
        matching = {
            name.removeprefix("matching/"): array for name, array in arrays.items() if name.startswith("matching/")
        }
        bank = AnswerBank(arrays["bank/questions"], arrays["bank/answers"], about.pop("bank"))
        trees = lightgbm.Booster(model_str=(folder / _TREES).read_text(encoding="utf-8"))
        return TemporalModel(Matching(matching), bank, trees, float(about.pop("threshold")), about)
    except (
        OSError,
        SafetensorError,
        tomllib.TOMLDecodeError,
        KeyError,
        ValueError,
        lightgbm.basic.LightGBMError,
    ) as error:
        raise UserError(f"{folder} is broken ({error}). Train the reader again.") from error
