"""A trained temporal reader as arrays and trees, and the folder it is kept in: TOML, safetensors, text, no pickle."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tomli_w
import zstandard

from asof.errors import UserError
from asof.facts.manifest import sha256_of
from asof.reading.adviser import Adviser
from asof.reading.answer_bank import AnswerBank
from asof.reading.answer_types import WANTED, wanted_type
from asof.reading.encoder import Vectors
from asof.reading.features import AskedQuestion, Features, Matrix
from asof.reading.index import Ints
from asof.reading.marking.marker import MarkerFile
from asof.reading.names import NameRanking, choose
from asof.reading.own_times import weighed
from asof.reading.second_opinion import COLUMNS, OpinionWeights
from asof.reading.times.asked import asked_time
from asof.whole_file import whole_folder

_ABOUT, _ARRAYS, _MATTER, _TREES = "reader.toml", "arrays.safetensors", "matter.txt", "trees.txt"
_ADVISED = "advised.txt"  # only where a language model advises
_MARKER, _TOKENIZER = "marker.onnx.zst", "tokenizer.json"  # only where a network marks
_FORMAT = 3  # which columns the trees know: another number when these change
_CHOICE = 120  # candidates of a document that go on to the second step


@dataclass(frozen=True)
class AdvisedStep:
    """The first step with an adviser: which language model, and trees that know what it says."""

    adviser: str
    trees: Any


@dataclass(frozen=True)
class TemporalModel:
    """What training learnt: boosted trees, a bank of answers, which kinds of answers fit which questions, a threshold.

    Args:
        fit_of_types: A row for each kind that is wanted, a column for each kind that a candidate looks like.
        matter: The trees of the first step: which candidates answer a question at any time.
        advised: What says so better once a language model has been asked about the best, None where none is asked.
        trees: The trees of the second step: which of these answer it at the asked time.
        threshold: Below this probability of the best name the answer is "none".
        about: What it was trained on, for people.
        marker: A network whose marks of candidates the trees know, None where they know of none.
        opinion: What a language model's own answer is worth beside the names, None where none was heard.
    """

    bank: AnswerBank
    fit_of_types: Vectors
    matter: Any
    advised: AdvisedStep | None
    trees: Any
    threshold: float
    about: dict[str, Any]
    marker: MarkerFile | None = None
    opinion: OpinionWeights | None = None

    def asked(self, question: str, vector: Vectors, relation: Vectors) -> AskedQuestion:
        """Make a question ready.

        Args:
            vector: Of the question without its time.
            relation: Of what it asks, without names.
        """
        fit = self.fit_of_types[WANTED.index(wanted_type(question))]
        return AskedQuestion(question, asked_time(question), vector, *self.bank.like(relation), fit)

    def matter_of(self, features: Features, asked: AskedQuestion, adviser: Adviser | None) -> Vectors:
        """Return how likely each candidate of a document answers a question at some time."""
        glance: Vectors = np.asarray(self.matter.predict(features.matter(asked), num_threads=1), dtype=np.float32)
        if not self.advised or not adviser:
            return glance
        return adviser.advise(features, asked.time.rest, glance).matter(self.advised.trees)

    def choice(self, features: Features, asked: AskedQuestion, matter: Vectors) -> NameRanking:
        """Return the names of a document in the order in which they answer a question at the asked time."""
        indices = worth_choosing(matter)
        rows = [row[indices] for row in features.of(asked, matter)]
        found = choose(likely_of(self.trees, rows), matter[indices], features.texts[indices])
        return weighed(NameRanking(indices[found.indices], found.likely), features.index, asked.time)


def likely_of(trees: Any, rows: Sequence[Matrix]) -> Vectors:
    """Return how likely candidates answer: the mean over the times for which they have a row."""
    likely: Vectors = np.mean([trees.predict(row, num_threads=1) for row in rows], axis=0)
    return likely


def worth_choosing(matter: Vectors) -> Ints:
    """Return the places of the candidates that go on to the second step, the likeliest first."""
    return np.argsort(-matter, kind="stable")[:_CHOICE]


def check_folder(folder: Path) -> None:
    """Refuse a place that holds something else than a reader, before hours of training."""
    if folder.exists() and not (folder / _ABOUT).is_file():
        raise UserError(f"{folder} exists and is not a reader folder. Choose another folder with --to.")


def save(model: TemporalModel, folder: Path) -> None:
    """Write a model; an older one in the same place is replaced only when the new one is whole."""
    from safetensors.numpy import save_file

    check_folder(folder)
    arrays: dict[str, npt.NDArray[Any]] = {
        "bank/questions": model.bank.questions.astype(np.float16),  # training has rounded them to this already
        "bank/answers": model.bank.answers.astype(np.float16),
        "fit_of_types": model.fit_of_types,
    }
    try:
        with whole_folder(folder) as new:
            save_file(arrays, new / _ARRAYS)
            grown = {_MATTER: model.matter, _TREES: model.trees}
            grown |= {_ADVISED: model.advised.trees} if model.advised else {}
            for name, trees in grown.items():
                (new / name).write_text(trees.model_to_string(), encoding="utf-8")
            marks = _save_marker(model.marker, new) if model.marker else []
            hashes = {name: sha256_of(new / name) for name in (_ARRAYS, *grown, *marks)}
            about = {"kind": "temporal", "format": _FORMAT, "threshold": model.threshold, **model.about}
            about |= {"adviser": model.advised.adviser} if model.advised else {}
            about |= {"opinion": _opinion_table(model.opinion)} if model.opinion else {}
            about |= {"sha256": hashes, "bank": list(model.bank.entities)}
            (new / _ABOUT).write_text(tomli_w.dumps(about), encoding="utf-8")
    except OSError as error:
        raise UserError(f"{folder} could not be written: {error.strerror}. Free some space and train again.") from error


def load(folder: Path) -> TemporalModel:
    """Read a model that ``save`` wrote."""
    import lightgbm
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    path = folder / _ABOUT
    if not path.is_file():
        raise UserError(
            f"{folder} is not a trained reader: it has no {_ABOUT}. "
            f"Make one with: asof readers train temporal DATA --to {folder}"
        )
    try:
        about = tomllib.loads(path.read_text(encoding="utf-8"))
        if about.pop("format", 1) != _FORMAT:
            raise UserError(
                f"{folder} was trained by another version of asof, whose trees know other columns. Train it again: "
                f"asof readers train temporal DATA --to {folder}"
            )
        for name, expected in about.pop("sha256").items():
            if sha256_of(folder / name) != expected:  # LightGBM ends the whole program over a file that was cut
                raise UserError(
                    f"{folder / name} does not match its hash in {_ABOUT}; the reader is broken. Train it again."
                )
        arrays = load_file(folder / _ARRAYS)
        arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
        bank = AnswerBank(arrays["bank/questions"], arrays["bank/answers"], about.pop("bank"))
        adviser = about.pop("adviser", None)
        advised = AdvisedStep(adviser, _booster(folder / _ADVISED)) if adviser else None
        matter, trees = _booster(folder / _MATTER), _booster(folder / _TREES)
        marker = _load_marker(folder) if (folder / _MARKER).is_file() else None
        opinion = _opinion_of(about.pop("opinion", None))
        threshold, fit = float(about.pop("threshold")), arrays["fit_of_types"]
        return TemporalModel(bank, fit, matter, advised, trees, threshold, about, marker, opinion)
    except (
        OSError,
        SafetensorError,
        tomllib.TOMLDecodeError,
        KeyError,
        ValueError,
        lightgbm.basic.LightGBMError,
        zstandard.ZstdError,
    ) as error:
        raise UserError(f"{folder} is broken ({error}). Train the reader again.") from error


def _save_marker(marker: MarkerFile, folder: Path) -> list[str]:
    packed = zstandard.ZstdCompressor(level=19).compress(marker.network)
    (folder / _MARKER).write_bytes(packed)
    (folder / _TOKENIZER).write_text(marker.tokenizer, encoding="utf-8")
    return [_MARKER, _TOKENIZER]


def _load_marker(folder: Path) -> MarkerFile:
    network = zstandard.ZstdDecompressor().decompress((folder / _MARKER).read_bytes())
    return MarkerFile(network, (folder / _TOKENIZER).read_text(encoding="utf-8"))


def _opinion_table(opinion: OpinionWeights) -> dict[str, Any]:
    return {"model": opinion.model, "weights": dict(zip(COLUMNS, opinion.weights, strict=True))}


def _opinion_of(table: dict[str, Any] | None) -> OpinionWeights | None:
    if table is None:
        return None
    return OpinionWeights(table["model"], tuple(float(table["weights"][name]) for name in COLUMNS))


def _booster(path: Path) -> Any:
    import lightgbm

    return lightgbm.Booster(model_str=path.read_text(encoding="utf-8"))
