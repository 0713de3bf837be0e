"""One file of quadruples with whole numbers as times, as benchmarks of forecasting have them.

Either with a head line (``timestamp,head,tail,relation_type``, in any order), or without one: subject, relation,
object, time. Multiples of a day in seconds are days; what looks like years is years; other numbers are steps, counted
from nought.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from asof.completion.dataset import (
    AFTER_ALL,
    BEFORE_ALL,
    Dataset,
    Granularity,
    Ints,
    Protocol,
    Quadruples,
    read_dataset,
)
from asof.errors import UserError

_ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_WORDS = {
    "subject": ("subject", "head", "source", "src"),
    "relation": ("relation", "relation_type", "rel", "edge_type"),
    "object": ("object", "tail", "target", "dst"),
    "time": ("time", "timestamp", "ts", "t"),
}
_DAY = 86_400  # seconds


@dataclass(frozen=True)
class QuadrupleFile:
    """The columns of a file, and what its times are."""

    subject: list[str]
    relation: list[str]
    object: list[str]
    times: Ints
    granularity: Granularity
    meaning: str


def is_quadruple_file(path: Path) -> bool:
    """Tell whether a file has quadruples with whole numbers as times."""
    if not path.is_file() or not path.name.endswith(_ENDINGS):
        return False
    try:
        return len(read_quadruple_file(path).times) > 0
    except UserError:
        return False


def read_quadruple_file(path: Path) -> QuadrupleFile:
    """Read a file of quadruples."""
    if not path.name.endswith(_ENDINGS):
        raise UserError(
            f"{path} is neither a base, nor a folder with train.txt, valid.txt and test.txt, nor a file of quadruples "
            f"({', '.join(_ENDINGS[:3])}). Other tables become a base with: asof mine {path} --to BASE"
        )
    columns = _columns(path)
    try:
        raw = np.array([int(float(text)) for text in columns["time"]], np.int64)
        whole = all(float(text).is_integer() for text in columns["time"])
    except ValueError:
        whole = False
    if not whole:
        raise UserError(
            f"The times of {path} are not whole numbers. Tables with dates become a base with: asof mine {path} "
            "--to BASE"
        )
    times, granularity, meaning = _meant(raw)
    return QuadrupleFile(columns["subject"], columns["relation"], columns["object"], times, granularity, meaning)


def dataset_at(location: str | Path, protocol: Protocol = Protocol.CORRECTED, *, seed: int = 0) -> Dataset:
    """Read a file of quadruples, or what ``read_dataset`` reads; a file is split at random, 80 : 10 : 10."""
    path = Path(location)
    if not path.is_file():
        return read_dataset(location, protocol)
    if protocol is Protocol.JAIN2020:
        raise UserError(f"{path} is a file of quadruples, which jain2020 does not know. Omit --protocol.")
    read = read_quadruple_file(path)
    if not len(read.times):
        raise UserError(f"{path} has no facts. Give a file with a fact on each line.")
    entities = sorted({*read.subject, *read.object})
    relations = sorted(set(read.relation))
    number, role = ({name: place for place, name in enumerate(names)} for names in (entities, relations))
    facts = Quadruples(
        np.array([number[name] for name in read.subject], np.int64),
        np.array([role[name] for name in read.relation], np.int64),
        np.array([number[name] for name in read.object], np.int64),
        read.times,
        read.times,
    )
    split_of = np.digitize(np.random.default_rng(seed).random(len(facts)), [0.8, 0.9])
    return Dataset(
        name=path.name.split(".")[0],
        entities=tuple(entities),
        relations=tuple(relations),
        points=np.unique(np.concatenate([read.times, [BEFORE_ALL, AFTER_ALL]])),
        train=facts[split_of == 0],
        valid=facts[split_of == 1],
        test=facts[split_of == 2],
        granularity=read.granularity,
        protocol=protocol,
    )


def _columns(path: Path) -> dict[str, list[str]]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        first = file.readline().rstrip("\r\n")
    delimiter = next((sign for sign in ("\t", ",", " ") if sign in first), "\t")
    head = [cell.strip().casefold() for cell in first.split(delimiter)]
    named = {name: next((word for word in words if word in head), None) for name, words in _WORDS.items()}
    has_head = all(named.values())
    if not has_head and (len(head) not in (4, 5) or not _is_number(head[3])):
        raise UserError(
            f"{path} is not a file of quadruples: its first line is {first[:80]!r}. It should be a head line with "
            "subject (or head), relation, object (or tail) and time, or a fact: subject, relation, object, whole "
            "number."
        )
    names = head if has_head else ["subject", "relation", "object", "time", "ignored"][: len(head)]
    try:
        table = pa_csv.read_csv(
            path,
            read_options=pa_csv.ReadOptions(column_names=names, skip_rows=int(has_head)),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter),
            convert_options=pa_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
        )
    except pa.ArrowInvalid as error:
        raise UserError(f"{path} cannot be read as a table of quadruples: {error}") from error
    found: dict[str, Any] = {name: table[named[name] if has_head else name].to_pylist() for name in _WORDS}
    return found


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def _meant(raw: Ints) -> tuple[Ints, Granularity, str]:
    """Say what numbers are as times.

    >>> _meant(np.array([86_400 * 365, 86_400 * 366]))
    (array([365, 366]), 'day', 'seconds since 1970, in whole days')
    >>> _meant(np.array([1999, 2001]))[2], _meant(np.array([0, 24, 72]))
    ('years', (array([0, 1, 3]), 'year', 'steps of 24'))
    """
    if not len(raw):
        return raw, "year", "years"
    if raw.max() >= 100 * _DAY and (raw % _DAY == 0).all():
        return raw // _DAY, "day", "seconds since 1970, in whole days"
    if raw.min() >= 1000 and raw.max() <= 2200:
        return raw, "year", "years"
    step = max(1, int(np.gcd.reduce(raw - raw.min())))
    return (raw - raw.min()) // step, "year", f"steps of {step}"
