"""Train the temporal reader on questions with marked answers: a bank of answers, then trees, then a threshold.

Boosted trees learn which candidates a person marks. Of the mentions of a right answer only those count that speak of
the asked time and the matter: most others say nothing about the question. The threshold of "no answer" comes from
pages that are kept apart (dev).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from asof.errors import UserError
from asof.metrics._squad import normalised
from asof.reading.answer_bank import AnswerBank
from asof.reading.answer_types import LOOKS, WANTED, wanted_type
from asof.reading.encoder import Encoder, Vectors, unit
from asof.reading.features import AskedQuestion, Features, Matrix
from asof.reading.index import DocumentIndex
from asof.reading.questions import ReadingItem
from asof.reading.relation import relation_of
from asof.reading.temporal_model import TemporalModel
from asof.reading.times.asked import asked_time

Told = Callable[[str], None]
Places = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]
_Questions = dict[tuple[str, str], tuple[Vectors, Vectors]]

_TEMPTING, _AT_RANDOM = 70, 90  # wrong candidates of a question that are kept
_MENTIONS = 2  # of a right answer
_SMOOTHING = 40.0  # candidates: a pair of kinds that is seen less often is believed less
_TREES: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 15,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10.0,
    "num_threads": 1,
    "verbose": -1,
}


@dataclass(frozen=True)
class Settings:
    """How to train; the defaults were chosen on the dev part of the published questions."""

    rounds: int = 250
    seed: int = 0


@dataclass(frozen=True)
class _Page:
    """A document made ready, with its candidates as answers are compared."""

    features: Features
    texts: npt.NDArray[np.str_]

    def right(self, item: ReadingItem) -> Marks:
        """Mark the candidates that are an answer of an item."""
        return np.isin(self.texts, [normalised(answer) for answer in item.answers])


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
    told(f"Reading {len({id(item.document) for item in [*items, *held_out]}):,} documents.")
    pages, questions = _pages([*items, *held_out], encoder), _questions([*items, *held_out], encoder)
    items = [item for item in items if id(item.document) in pages]
    bank, fit = _bank(items, pages, questions), _fit_of_types(items, pages)
    told(f"Training on {len(items):,} questions.")
    trees = _trees(items, pages, questions, bank, fit, settings)
    about = {"questions": len(items), "pages": len({item.entity for item in items}), "seed": settings.seed}
    model = TemporalModel(bank, fit, trees, 0.0, about)
    judged = [
        _best(model, item, pages[id(item.document)], questions) for item in held_out if id(item.document) in pages
    ]
    return replace(model, threshold=best_threshold(judged))


def best_threshold(judged: Sequence[tuple[float, bool, bool]]) -> float:
    """Return the probability below which "no answer" pays, from (probability, right, answerable) of best candidates.

    >>> best_threshold([(0.9, True, True), (0.5, True, True), (0.3, False, False), (0.1, False, False)])
    0.5
    """

    def earned(border: float) -> int:
        return sum(right if probability >= border else not answerable for probability, right, answerable in judged)

    return max(sorted({probability for probability, _, _ in judged}) or [0.0], key=earned)


def _pages(items: Sequence[ReadingItem], encoder: Encoder) -> dict[int, _Page]:
    """Make every document with candidates ready, once."""
    found: dict[int, _Page] = {}
    for item in items:
        if id(item.document) not in found:
            features = Features(DocumentIndex(item.document, encoder))
            texts = [normalised(candidate.text) for candidate in features.index.candidates]
            if texts:
                found[id(item.document)] = _Page(features, np.array(texts, dtype=np.str_))
    return found


def _questions(items: Sequence[ReadingItem], encoder: Encoder) -> _Questions:
    """Encode each question twice: without its time, and only what it asks."""
    keys = sorted({(item.question, item.document.title) for item in items})
    rests = [asked_time(question).rest for question, _ in keys]
    relations = [relation_of(rest, title) for rest, (_, title) in zip(rests, keys, strict=True)]
    texts = sorted({*rests, *relations})
    vectors = dict(zip(texts, encoder.vectors(texts), strict=True))
    return {key: (vectors[rest], vectors[what]) for key, rest, what in zip(keys, rests, relations, strict=True)}


def _bank(items: Sequence[ReadingItem], pages: dict[int, _Page], questions: _Questions) -> AnswerBank:
    asked, answers, entities = [], [], []
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for item in items:
        page = pages[id(item.document)]
        right = page.right(item)
        if not right.any() or (item.history, item.answers) in seen:
            continue
        seen.add((item.history, item.answers))
        asked.append(questions[item.question, item.document.title][1])
        answers.append(unit(page.features.index.centred_vectors[right].mean(axis=0)))
        entities.append(item.entity)
    if not asked:
        raise UserError("No answer to these questions is among the names of its document: there is nothing to learn.")
    return AnswerBank(np.stack(asked), np.stack(answers), entities)


def _fit_of_types(items: Sequence[ReadingItem], pages: dict[int, _Page]) -> Vectors:
    """Count how often candidates of each look answer questions for each kind, against how often any do (log odds)."""
    right = np.zeros((len(WANTED), len(LOOKS)))
    total = np.zeros_like(right)
    for item in items:
        page, wanted = pages[id(item.document)], WANTED.index(wanted_type(item.question))
        looks = page.features.looks
        right[wanted] += np.bincount(looks, weights=page.right(item), minlength=len(LOOKS))
        total[wanted] += np.bincount(looks, minlength=len(LOOKS))
    usual = max(right.sum() / total.sum(), 1e-6)
    fit: Vectors = np.log((right + _SMOOTHING * usual) / (total + _SMOOTHING) / usual).astype(np.float32)
    return fit


def _trees(
    items: Sequence[ReadingItem],
    pages: dict[int, _Page],
    questions: _Questions,
    bank: AnswerBank,
    fit: Vectors,
    settings: Settings,
) -> Any:
    import lightgbm

    random = np.random.default_rng(settings.seed)
    rows, labels, weights = [], [], []
    for item in items:
        page = pages[id(item.document)]
        vector, relation = questions[item.question, item.document.title]
        like = bank.like(relation, leave_out=item.entity)
        fits = fit[WANTED.index(wanted_type(item.question))]
        features = page.features.of(AskedQuestion(item.question, asked_time(item.question), vector, *like, fits))
        telling = _telling(features, page.features.names)
        right = _best_mentions(page, item, telling)
        wrong = _wrong(page.right(item), telling + 0.3 * fits[page.features.looks], random)
        rows.append(features[np.concatenate([right, wrong])])
        labels.append(np.repeat([1.0, 0.0], [len(right), len(wrong)]))
        weights.append(np.repeat([2.0 / max(1, len(right)), 1.0], [len(right), len(wrong)]))
    data = lightgbm.Dataset(np.concatenate(rows), np.concatenate(labels), weight=np.concatenate(weights))
    return lightgbm.train(_TREES | {"seed": settings.seed}, data, settings.rounds)


def _telling(features: Matrix, names: Sequence[str]) -> Vectors:
    """Guess before anything is learnt how much each mention tells: by its time, its sentence, its words."""
    column = {name: np.nan_to_num(features[:, place]) for place, name in enumerate(names)}
    of_time, of_matter = column["near iou"] + 0.5 * column["best in sentence"], column["sentence meaning"]
    told: Vectors = of_time + 0.3 * of_matter + 0.2 * column["shared words"]
    return told


def _best_mentions(page: _Page, item: ReadingItem, telling: Vectors) -> Places:
    right = np.flatnonzero(page.right(item))
    groups = [right[page.texts[right] == text] for text in np.unique(page.texts[right])]
    best = [group[np.argsort(-telling[group], kind="stable")[:_MENTIONS]] for group in groups]
    return np.concatenate(best) if best else right


def _wrong(right: Marks, tempting: Vectors, random: np.random.Generator) -> Places:
    wrong = np.flatnonzero(~right)
    most = wrong[np.argsort(-tempting[wrong], kind="stable")[:_TEMPTING]]
    return np.union1d(most, random.choice(wrong, min(_AT_RANDOM, len(wrong)), replace=False)).astype(np.int64)


def _best(model: TemporalModel, item: ReadingItem, page: _Page, questions: _Questions) -> tuple[float, bool, bool]:
    asked = model.asked(item.question, *questions[item.question, item.document.title])
    probabilities = model.probabilities(page.features, asked)
    best = int(np.argmax(probabilities))
    return float(probabilities[best]), bool(page.right(item)[best]), bool(item.answers)
