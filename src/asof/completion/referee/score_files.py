"""Scores from files: a matrix for each side (.npy, .npz, a folder), or lists (Parquet, CSV, TSV, JSONL).

The forms are described in docs/completion.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from asof.completion.referee.candidates import CandidateNames
from asof.completion.referee.questions import SIDES, question_numbers
from asof.completion.referee.scored_facts import is_scored_facts, sheet_of_facts
from asof.completion.referee.scoresheet import ListSheet, MatrixSheet, Scoresheet, Values
from asof.errors import UserError

MATRICES, TABLES, LISTS = (".npy", ".npz"), (".parquet", ".csv", ".tsv", ".csv.gz", ".tsv.gz"), (".jsonl", ".jsonl.gz")
_USED = {"question", "candidate", "score", "rank"}


def read_scores(path: Path, names: CandidateNames, split: str) -> Scoresheet:
    """Read the scores of the questions of a split."""
    if not path.exists():
        raise UserError(f"{path} does not exist. Give a file of scores: {', '.join((*MATRICES, *TABLES, *LISTS))}.")
    facts = len(names.dataset.split(split))
    if path.is_dir() or path.suffix in MATRICES:
        return matrix_sheet(_name(path), _arrays(path), names, facts)
    if path.name.endswith(LISTS):
        return list_sheet(_name(path), _ranked_lists(path), names, facts)
    if path.name.endswith(TABLES):
        return table_sheet(_name(path), read_table(path), names, split)
    raise UserError(f"{path} is not a file of scores that asof can read: {', '.join((*MATRICES, *TABLES, *LISTS))}.")


def table_sheet(name: str, table: pa.Table, names: CandidateNames, split: str) -> ListSheet:
    """Make a scoresheet of rows about questions, or about facts."""
    if is_scored_facts(table):
        return sheet_of_facts(name, table, names, split)
    return list_sheet(name, table, names, len(names.dataset.split(split)))


def matrix_sheet(name: str, arrays: dict[str, Values], names: CandidateNames, facts: int) -> MatrixSheet:
    """Make a scoresheet of matrices; a single one has the rows of objects, or those of objects and then of subjects."""
    if "scores" in arrays:
        whole = arrays["scores"]
        if whole.ndim != 2 or len(whole) not in (facts, 2 * facts):
            raise UserError(
                f"{name} has the shape {whole.shape}. There are {facts:,} facts: give {facts:,} rows for objects, or "
                f"{2 * facts:,} for objects and then subjects, with a column for each entity."
            )
        arrays = {"object": whole[:facts]} | ({"subject": whole[facts:]} if len(whole) > facts else {})
    if "object" not in arrays:
        raise UserError(f"{name} has no matrix called 'object'. It has: {', '.join(arrays) or 'nothing'}.")
    for side in set(SIDES) & set(arrays):
        if arrays[side].ndim != 2 or len(arrays[side]) != facts:
            raise UserError(
                f"{name}: {side} has the shape {arrays[side].shape}; it needs {facts:,} rows, one for a fact."
            )
        if not np.issubdtype(arrays[side].dtype, np.floating):
            raise UserError(f"{name}: {side} has numbers of type {arrays[side].dtype}; scores are floats.")
    if "entities" in arrays:
        names = CandidateNames(names.dataset, [str(one) for one in arrays["entities"]], names.drop_unknown)
    found = [names.columns(arrays[side].shape[1], f"{name} ({side})") for side in SIDES if side in arrays]
    if len({tuple(columns) if columns is not None else None for columns, _ in found}) > 1:
        raise UserError(f"{name}: the matrices of objects and subjects have different columns.")
    columns, notes = found[0]
    return MatrixSheet(name, arrays["object"], arrays.get("subject"), columns, notes)


def list_sheet(name: str, table: pa.Table, names: CandidateNames, facts: int) -> ListSheet:
    """Make a scoresheet of rows with question, candidate and score, or rank."""
    missing = {"question", "candidate"} - set(table.column_names)
    if missing or not {"score", "rank"} & set(table.column_names):
        raise UserError(
            f"{name} has the columns {', '.join(table.column_names)}. It needs question, candidate, and score or "
            "rank; or subject, relation, object and score."
        )
    if not len(table):
        raise UserError(f"{name} has columns and no rows. Give a row for each candidate of a question.")
    ids, words = (np.array(table[column].cast(pa.string()).to_pylist(), str) for column in ("question", "candidate"))
    question = question_numbers(ids, facts, file=name)
    if (question >= facts).all():
        raise UserError(
            f"{name} answers questions for subjects alone (s0, s1 ...). Give candidates of the questions for objects, "
            "too (o0, o1 ...); those alone are enough."
        )
    candidate, notes = names.numbers(words, name)
    score = _numbers(table, "score", name) if "score" in table.column_names else -_ranks(table, name)
    ignored = [column for column in table.column_names if column not in _USED]
    if ignored:
        notes = (*notes, f"Columns that are not looked at: {', '.join(ignored)}.")
    kept = candidate >= 0
    return ListSheet.of(
        name,
        question[kept],
        candidate[kept],
        score[kept],
        entities=len(names.dataset.entities),
        facts=facts,
        notes=notes,
    )


def read_table(path: Path) -> pa.Table:
    """Read a table from Parquet, CSV or TSV."""
    try:
        if path.suffix == ".parquet":
            return pq.read_table(path)
        options = pa_csv.ParseOptions(delimiter="\t" if ".tsv" in path.name else ",")
        return pa_csv.read_csv(path, parse_options=options)
    except (pa.ArrowInvalid, OSError) as error:
        raise UserError(f"{path} cannot be read as a table: {error}") from error


def _ranks(table: pa.Table, file: str) -> Values:
    ranks = _numbers(table, "rank", file)
    low = np.flatnonzero(ranks < 1)
    if len(low):
        raise UserError(
            f"{file}: the rank in row {low[0] + 1} is {ranks[low[0]]:g}, and the best is 1. Count from 1, or give "
            "scores, of which more is better."
        )
    return ranks


def _numbers(table: pa.Table, column: str, file: str) -> Values:
    try:
        values: Values = pc.fill_null(table[column].cast(pa.float64()), np.nan).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UserError(f"{file}: the column {column} is not of numbers: {error}") from error
    return values


def _ranked_lists(path: Path) -> pa.Table:
    """Read lines such as {"question": "o0", "candidates": ["Paris", "Lyon"]}, the best candidate first."""
    columns: dict[str, list[Any]] = {"question": [], "candidate": [], "score": []}
    opened = pa.input_stream(str(path), compression="gzip" if path.suffix == ".gz" else None)
    with opened as stream:
        text = stream.read().decode("utf-8-sig")
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            question, candidates = row["question"], row["candidates"]
            scores = row.get("scores", [-place for place in range(len(candidates))])
            same = len(scores) == len(candidates)
        except (ValueError, KeyError, TypeError, AttributeError):
            same = False
        if not same:
            raise UserError(
                f'{path}, line {number}: a line is {{"question": "o0", "candidates": ["best", "next"]}}, maybe with '
                "as many scores."
            )
        columns["question"] += [str(question)] * len(candidates)
        columns["candidate"] += [str(one) for one in candidates]
        columns["score"] += [np.nan if one is None else one for one in scores]
    return pa.table({"question": pa.array(columns["question"], pa.string()),
                     "candidate": pa.array(columns["candidate"], pa.string()),
                     "score": pa.array(columns["score"], pa.float64())})  # fmt: skip


def _arrays(path: Path) -> dict[str, Values]:
    try:
        if path.is_dir():
            files = {side: path / f"{side}.npy" for side in SIDES}
            found = {side: np.load(file, mmap_mode="r") for side, file in files.items() if file.is_file()}
            order = path / "entities.txt"
            if order.is_file():
                found["entities"] = np.array(order.read_text(encoding="utf-8").splitlines())
            return found
        loaded = np.load(path, mmap_mode="r" if path.suffix == ".npy" else None, allow_pickle=False)
        return {"scores": loaded} if path.suffix == ".npy" else {name: loaded[name] for name in loaded.files}
    except ValueError as error:  # numpy's own words advise to unpickle it
        raise UserError(
            f"{path} is not a file of numpy's arrays, or one of Python objects, which are not opened. Write the "
            "scores as floats, with np.save or np.savez."
        ) from error
    except (OSError, BadZipFile) as error:
        raise UserError(f"{path} cannot be read as numpy's arrays: {error}") from error


def _name(path: Path) -> str:
    name = path.resolve().name
    for ending in (*MATRICES, *TABLES, *LISTS):
        name = name.removesuffix(ending)
    return name
