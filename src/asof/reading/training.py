"""Train the temporal reader on questions with marked answers: the network, then trees on top of it, then a threshold.

The trees must not see what the network says of questions it was trained on, so it is trained on one half of the pages
for the other, twice, and on all of them for use. The threshold of "no answer" comes from pages kept apart (dev).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from asof.errors import UserError
from asof.metrics._squad import normalised
from asof.reading.answer_bank import AnswerBank
from asof.reading.encoder import Encoder
from asof.reading.features import AskedQuestion, Features
from asof.reading.index import DocumentIndex
from asof.reading.matching import Floats, Matching, MatchingRow, train_matching
from asof.reading.questions import ReadingItem
from asof.reading.relation import relation_of
from asof.reading.temporal_model import Places, TemporalModel, matching_row, with_match
from asof.reading.times.asked import asked_time

Told = Callable[[str], None]

_FOLDS = 2
_HARD, _EASY = 70, 60  # wrong candidates of a question that are kept: the most tempting, and others at random
_MOST_RIGHT = 30
_MENTIONS = 2  # of a right answer, those the network likes best: most others say nothing about the question
_TREES: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 15,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10.0,
    "num_threads": 1,
    "verbose": -1,
}


@dataclass(frozen=True)
class Settings:
    """How to train; the defaults were chosen on the dev part of the published questions."""

    epochs: int = 5
    rounds: int = 200
    seed: int = 0


@dataclass(frozen=True)
class _Prepared:
    """A question, and what is known of the candidates of its document."""

    item: ReadingItem
    index: DocumentIndex
    features: npt.NDArray[np.float16]
    question: Floats
    texts: npt.NDArray[np.str_]
    right: npt.NDArray[np.bool_]

    @property
    def at_hand(self) -> Floats:
        """A first guess at which candidates tempt: those in sentences that fit by meaning."""
        fit: Floats = (self.index.sentence_vectors @ self.question[: self.index.sentence_vectors.shape[1]])[
            self.index.sentence_of
        ]
        return fit

    def matching_row(self, places: Places) -> MatchingRow:
        """Gather what the network wants to know of some candidates."""
        row = matching_row(self.index, self.features[places].astype(np.float32), self.question, places)
        return replace(row, right=self.right[places])


def train(
    items: Sequence[ReadingItem],
    held_out: Sequence[ReadingItem],
    encoder: Encoder,
    *,
    settings: Settings | None = None,
    told: Told = lambda sentence: None,
) -> TemporalModel:
    """Train a reader on items; the threshold comes from the ones held out."""
    settings = settings or Settings()
    if not any(item.answers for item in items):
        raise UserError("There is no question with an answer to learn from. Give a folder of TimeQA files.")
    told(f"Reading {len({item.entity for item in [*items, *held_out]}):,} documents.")
    documents, questions = _documents([*items, *held_out], encoder), _questions([*items, *held_out], encoder)
    bank = _bank(items, documents, questions)
    rows = [_prepared(item, documents, questions, bank) for item in items]
    told(f"Training on {len(rows):,} questions.")
    scores: dict[int, Floats] = {}
    for fold in range(_FOLDS):
        others = [one for one in rows if _fold(one.item) != fold] or rows
        matching = _matching(others, settings)
        scores |= {place: matching.scores(_all(one)) for place, one in enumerate(rows) if _fold(one.item) == fold}
    trees = _trees(rows, [scores[place] for place in range(len(rows))], settings)
    model = TemporalModel(_matching(rows, settings), bank, trees, 0.0, {"questions": len(rows), "seed": settings.seed})
    judged = [_best(model, _prepared(item, documents, questions, bank)) for item in held_out]
    return replace(model, threshold=best_threshold(judged))


def best_threshold(judged: Sequence[tuple[float, bool, bool]]) -> float:
    """Return the probability below which "no answer" pays, from (probability, right, answerable) of best candidates.

    >>> best_threshold([(0.9, True, True), (0.5, True, True), (0.3, False, False), (0.1, False, False)])
    0.5
    """
    borders = sorted({probability for probability, _, _ in judged}) or [0.0]
    return max(borders, key=lambda border: sum(
        right if probability >= border else not answerable for probability, right, answerable in judged
    ))  # fmt: skip


def _documents(items: Sequence[ReadingItem], encoder: Encoder) -> dict[int, Features]:
    found: dict[int, Features] = {}
    for item in items:
        if id(item.document) not in found:
            found[id(item.document)] = Features(DocumentIndex(item.document, encoder))
    return found


def _questions(items: Sequence[ReadingItem], encoder: Encoder) -> dict[tuple[str, str], tuple[Floats, Floats]]:
    """Encode each question twice: without its time, and only what it asks."""
    keys = sorted({(item.question, item.document.title) for item in items})
    rests = [asked_time(question).rest for question, _ in keys]
    relations = [relation_of(rest, title) for rest, (_, title) in zip(rests, keys, strict=True)]
    texts = sorted({*rests, *relations})
    vectors = dict(zip(texts, encoder.vectors(texts), strict=True))
    return {key: (vectors[rest], vectors[what]) for key, rest, what in zip(keys, rests, relations, strict=True)}


def _texts(features: Features) -> npt.NDArray[np.str_]:
    return np.array([normalised(candidate.text) for candidate in features.index.candidates], dtype=np.str_)


def _right(item: ReadingItem, texts: npt.NDArray[np.str_]) -> npt.NDArray[np.bool_]:
    return np.isin(texts, [normalised(answer) for answer in item.answers])


def _bank(
    items: Sequence[ReadingItem],
    documents: dict[int, Features],
    questions: dict[tuple[str, str], tuple[Floats, Floats]],
) -> AnswerBank:
    asked, answers, entities = [], [], []
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for item in items:
        features = documents[id(item.document)]
        right = _right(item, _texts(features)) if item.answers else np.zeros(0, bool)
        if not right.any() or (item.history, item.answers) in seen:
            continue
        seen.add((item.history, item.answers))
        mean = features.index.candidate_vectors[right].mean(axis=0)
        asked.append(questions[item.question, item.document.title][1])
        answers.append(mean / np.linalg.norm(mean))
        entities.append(item.entity)
    if not asked:
        raise UserError(
            "No answer of these questions was found among the names of its document; nothing can be learnt."
        )
    return AnswerBank(np.stack(asked), np.stack(answers).astype(np.float32), entities)


def _prepared(
    item: ReadingItem,
    documents: dict[int, Features],
    questions: dict[tuple[str, str], tuple[Floats, Floats]],
    bank: AnswerBank,
) -> _Prepared:
    features = documents[id(item.document)]
    vector, relation = questions[item.question, item.document.title]
    asked = AskedQuestion(item.question, asked_time(item.question), vector, *bank.like(relation, leave_out=item.entity))
    texts = _texts(features)
    matrix = features.of(asked).astype(np.float16)  # half as much memory; years and cosines need no more
    return _Prepared(item, features.index, matrix, np.concatenate([vector, relation]), texts, _right(item, texts))


def _all(one: _Prepared) -> MatchingRow:
    return matching_row(one.index, one.features.astype(np.float32), one.question)


def _fold(item: ReadingItem) -> int:
    return int(hashlib.sha256(f"fold {item.entity}".encode()).hexdigest(), 16) % _FOLDS


def _matching(rows: Sequence[_Prepared], settings: Settings) -> Matching:
    random = np.random.default_rng(settings.seed)
    few = []
    for one in rows:
        right = np.flatnonzero(one.right)
        right = random.choice(right, _MOST_RIGHT, replace=False) if len(right) > _MOST_RIGHT else right
        wrong = _wrong(one, one.at_hand, random, at_random=2 * _EASY)
        few.append(one.matching_row(np.concatenate([right, wrong])))
    return train_matching(few, epochs=settings.epochs, seed=settings.seed)


def _wrong(one: _Prepared, liked: Floats, random: np.random.Generator, *, at_random: int) -> Places:
    """Choose wrong candidates: the most liked, and some at random."""
    wrong = np.flatnonzero(~one.right)
    tempting = wrong[np.argsort(-liked[wrong], kind="stable")[:_HARD]]
    return np.union1d(tempting, random.choice(wrong, min(at_random, len(wrong)), replace=False))


def _trees(rows: Sequence[_Prepared], scores: Sequence[Floats], settings: Settings) -> Any:
    import lightgbm

    random = np.random.default_rng(settings.seed)
    features, labels, weights = [], [], []
    for one, liked in zip(rows, scores, strict=True):
        right = _telling(one, liked)
        wrong = _wrong(one, liked, random, at_random=_EASY)
        chosen = np.concatenate([right, wrong])
        features.append(with_match(one.features.astype(np.float32), liked)[chosen])
        labels.append(np.repeat([1.0, 0.0], [len(right), len(wrong)]))
        weights.append(np.repeat([2.0 / max(1, len(right)), 1.0], [len(right), len(wrong)]))
    data = lightgbm.Dataset(np.concatenate(features), np.concatenate(labels), weight=np.concatenate(weights))
    return lightgbm.train(_TREES | {"seed": settings.seed}, data, settings.rounds)


def _telling(one: _Prepared, liked: Floats) -> Places:
    """Choose for each right answer the mentions that the network likes best."""
    right = np.flatnonzero(one.right)
    found = [right[one.texts[right] == text] for text in np.unique(one.texts[right])]
    best = [places[np.argsort(-liked[places], kind="stable")[:_MENTIONS]] for places in found]
    return np.concatenate(best) if best else right


def _best(model: TemporalModel, one: _Prepared) -> tuple[float, bool, bool]:
    if not len(one.right):
        return 0.0, False, bool(one.item.answers)
    features = one.features.astype(np.float32)
    scores = model.matching.scores(_all(one))
    probabilities = model.trees.predict(with_match(features, scores), num_threads=1)
    best = int(np.argmax(probabilities))
    return float(probabilities[best]), bool(one.right[best]), bool(one.item.answers)
