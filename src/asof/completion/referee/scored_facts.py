"""Scored facts: rows with subject, relation, object and score, as PyKEEN's predictions are.

A row is a candidate of every question with its subject and relation, and of every question with its relation and
object; with a column for the start, only of those that ask about that time.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from asof.completion.dataset import Ints
from asof.completion.filters import matches
from asof.completion.queries import queries_of
from asof.completion.referee.candidates import CandidateNames
from asof.completion.referee.questions import time_number
from asof.completion.referee.scoresheet import ListSheet
from asof.errors import UserError, did_you_mean

# The names that columns have elsewhere; the first is ours. PyKEEN writes labels and numbers side by side.
_WORDS = {
    "subject": ("subject", "head_label", "head", "head_id"),
    "relation": ("relation", "relation_label", "relation_id"),
    "object": ("object", "tail_label", "tail", "tail_id"),
    "score": ("score",),
    "start": ("start", "time"),
}


def is_scored_facts(table: pa.Table) -> bool:
    """Tell whether a table has the columns of scored facts rather than questions."""
    found = _columns(table)
    return "question" not in table.column_names and all(name in found for name in ("subject", "relation", "object"))


def _columns(table: pa.Table) -> dict[str, str]:
    named = {name: [word for word in words if word in table.column_names] for name, words in _WORDS.items()}
    return {name: words[0] for name, words in named.items() if words}


def sheet_of_facts(name: str, table: pa.Table, names: CandidateNames, split: str) -> ListSheet:
    """Give each row to the questions that it is a candidate of."""
    found, dataset = _columns(table), names.dataset
    if "score" not in found:
        raise UserError(f"{name} has no column called score. It has: {', '.join(table.column_names)}.")
    texts = {
        key: np.array(table[column].cast(pa.string()).to_pylist(), str)
        for key, column in found.items()
        if key != "score"
    }
    score = table[found["score"]].cast(pa.float64()).to_numpy(zero_copy_only=False)
    subject, notes = names.numbers(texts["subject"], name)
    object, more = names.numbers(texts["object"], name)
    relation = _relations(name, texts["relation"], dataset.relations)
    queries = queries_of(dataset, split)
    times = None
    if "start" in texts:
        words, where = np.unique(texts["start"], return_inverse=True)
        times = np.array([time_number(str(one), dataset.granularity, file=name) for one in words], np.int64)[where]
    known = (subject >= 0) & (object >= 0)
    questions, candidates, scores = [], [], []
    sides = ((subject, relation, object), (object, relation + len(dataset.relations), subject))
    for entity, role, candidate in sides:
        question, row = _met(queries.entity, queries.relation, entity[known], role[known], 2 * len(dataset.relations))
        row = np.flatnonzero(known)[row]
        if times is not None:
            same = queries.start[question] == times[row]
            question, row = question[same], row[same]
        questions.append(question)
        candidates.append(candidate[row])
        scores.append(score[row])
    return ListSheet.of(
        name,
        np.concatenate(questions),
        np.concatenate(candidates),
        np.concatenate(scores),
        entities=len(dataset.entities),
        facts=len(queries) // 2,
        notes=(*notes, *more),
    )


def _met(entity: Ints, relation: Ints, row_entity: Ints, row_relation: Ints, roles: int) -> tuple[Ints, Ints]:
    """Pair questions with the rows that have their entity and relation."""
    keys = row_entity * roles + row_relation
    order = np.argsort(keys, kind="stable")
    question, place = matches(entity * roles + relation, keys[order])
    return question, order[place]


def _relations(file: str, words: np.ndarray[tuple[int], np.dtype[np.str_]], relations: tuple[str, ...]) -> Ints:
    known = {name: number for number, name in enumerate(relations)}
    unique, where = np.unique(words, return_inverse=True)
    for word in unique:
        if str(word) not in known:
            raise UserError(f"{file}: {str(word)!r} is not a relation of the dataset.{did_you_mean(str(word), known)}")
    return np.array([known[str(word)] for word in unique], np.int64)[where]
