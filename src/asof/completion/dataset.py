"""Facts as numbers, in three splits: what scorers train on and are ranked on.

Time is counted in points: the distinct years (or days) at which facts begin or end, between one point for "before all"
and one for "after all", where missing ends go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from asof.completion.fact_columns import COLUMNS, FactColumns
from asof.errors import UserError
from asof.facts import FactStore, Intake, InversionPolicy
from asof.facts.rejects import Rejects
from asof.sources.tkbc import Tkbc
from asof.timeline import Open
from asof.timeline.calendar import calendar_day

Ints = npt.NDArray[np.int64]
Granularity = Literal["year", "day"]
SPLITS = ("train", "valid", "test")

BEFORE_ALL, AFTER_ALL = -(10**7), 10**7  # days or years that no date reaches


class Protocol(StrEnum):
    """How facts are read and ranks are counted.

    ``jain2020`` does as the program of Jain et al. 2020: years of fewer than four digits are missing, a fact without
    dates is at "before all" only, an end before its start is that start, instants are counted in points rather than in
    years, entities that train does not have are all one, a link is scored at its start, ties count against the answer.
    ``corrected`` reads every year, lets a fact without dates hold at all times, turns inverted intervals round, counts
    instants by the calendar, keeps all entities apart, scores a link over its whole interval, gives ties their mean.
    """

    JAIN2020 = "jain2020"
    CORRECTED = "corrected"


@dataclass(frozen=True)
class Quadruples:
    """Facts: subject, relation, object, first and last year (or day), BEFORE_ALL and AFTER_ALL where missing."""

    subject: Ints
    relation: Ints
    object: Ints
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.subject)

    def __getitem__(self, rows: Ints | npt.NDArray[np.bool_] | slice) -> Quadruples:
        return Quadruples(self.subject[rows], self.relation[rows], self.object[rows], self.start[rows], self.end[rows])

    @property
    def dated(self) -> npt.NDArray[np.bool_]:
        """Tell which facts have both ends."""
        both: npt.NDArray[np.bool_] = (self.start > BEFORE_ALL) & (self.end < AFTER_ALL)
        return both

    @property
    def turned(self) -> Quadruples:
        """The same facts turned round: their objects are subjects."""
        return Quadruples(self.object, self.relation, self.subject, self.start, self.end)

    @classmethod
    def joined(cls, parts: Iterable[Quadruples]) -> Quadruples:
        """Put facts one after the other."""
        columns = zip(*((q.subject, q.relation, q.object, q.start, q.end) for q in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))


@dataclass(frozen=True)
class Dataset:
    """Train, valid and test with the names behind the numbers.

    Args:
        ongoing: Which of ``all_facts`` have no end because they go on, as far as is known; None where no fact says so.
        rejects: The lines of the files that could not be read, with the reason.
        known_until: The last time that train knows, where valid and test come after it; else None.
        later_ends: The ends of ``all_facts`` as they were read, where a split by time leaves out those that were not
            known yet; for who asks as of a later day. Scorers do not see them.
    """

    name: str
    entities: tuple[str, ...]
    relations: tuple[str, ...]
    points: Ints
    train: Quadruples
    valid: Quadruples
    test: Quadruples
    granularity: Granularity
    protocol: Protocol
    ongoing: npt.NDArray[np.bool_] | None = None
    rejects: Rejects = field(default_factory=Rejects, compare=False)
    known_until: int | None = None
    later_ends: Ints | None = None

    @cached_property
    def all_facts(self) -> Quadruples:
        """The facts of the three splits: what a filter knows."""
        return Quadruples.joined((self.train, self.valid, self.test))

    @cached_property
    def without_test(self) -> Dataset:
        """The same entities, relations and points with an empty test: what a model may see while it is made."""
        seen = len(self.train) + len(self.valid)
        ongoing = None if self.ongoing is None else self.ongoing[:seen]
        return replace(self, test=self.test[:0], ongoing=ongoing, later_ends=None)

    @property
    def pooled(self) -> int | None:
        """The number that stands for all entities that train does not have; None where each is itself."""
        return self._pooled if self.protocol is Protocol.JAIN2020 else None

    @cached_property
    def _pooled(self) -> int | None:
        return self.entities.index(UNSEEN) if UNSEEN in self.entities else None

    @property
    def covered(self) -> tuple[int, int]:
        """The first and the last time that a fact begins or ends at."""
        return int(self.points[min(1, len(self.points) - 1)]), int(self.points[-2])

    def split(self, name: str) -> Quadruples:
        """Return a split by its name."""
        if name not in SPLITS:
            raise UserError(f"There is no split {name!r}. Splits: {', '.join(SPLITS)}.")
        found: Quadruples = getattr(self, name)
        return found

    def point(self, times: Ints) -> Ints:
        """Return the point of each time; a time that no fact begins or ends at goes to the next point."""
        return np.minimum(np.searchsorted(self.points, times), len(self.points) - 1)


def read_dataset(
    location: str | Path,
    protocol: Protocol = Protocol.CORRECTED,
    *,
    granularity: Granularity | None = None,
    seed: int = 0,
) -> Dataset:
    """Read a folder with train.txt, valid.txt and test.txt, or a base.

    A base that was mined from such a folder keeps its splits; any other is split at random, 80 : 10 : 10. Facts are
    read in parts, of which only numbers stay.

    Args:
        granularity: By default days where every date is a day, and years otherwise.
    """
    name = Path(location).resolve().name
    intake = Intake(inverted=InversionPolicy.KEEP)
    if Tkbc.recognises(str(location)):
        source = Tkbc(str(location))
        columns = FactColumns.of(source.facts(intake))
    else:
        store = FactStore(Path(location))
        name, columns = store.manifest.name, FactColumns.of(store.parts("facts", COLUMNS))
    if not len(columns):
        unread = f" {intake.rejects.count:,} lines could not be read." if intake.rejects.count else ""
        raise UserError(f"{location} has no facts.{unread} Give a base or dataset with facts.")
    split_of = _splits(columns, seed)
    chosen = granularity or _granularity(columns.times)
    start, end = ends_of(columns.times, chosen, protocol)
    in_train = split_of == 0
    if not in_train.any():
        raise UserError(
            f"{location} has no training facts: all of its {len(columns):,} are in valid and test. Move some to "
            "train.txt; a base needs enough facts to be split 80 : 10 : 10."
        )
    seen = in_train if protocol is Protocol.JAIN2020 else np.ones(len(columns), bool)
    kept = np.zeros(len(columns.entities), bool)
    kept[columns.subject[seen]] = kept[columns.object[seen]] = True
    names, number_of = _in_order(columns.entities, kept)
    relations, relation_of = _in_order(columns.relations, np.ones(len(columns.relations), bool))
    facts = Quadruples(number_of[columns.subject], relation_of[columns.relation], number_of[columns.object], start, end)
    if protocol is Protocol.JAIN2020:
        if UNSEEN in names:
            raise UserError(
                f"{location} has an entity called {UNSEEN!r}, which is what the protocol jain2020 calls all entities "
                "that train does not have. Give the entity another name, or take --protocol corrected."
            )
        names.append(UNSEEN)
    parts = [facts[split_of == number] for number in range(len(SPLITS))]
    goes_on = _is_one_of(columns.times["end_precision"], [str(Open.ONGOING)])
    return Dataset(
        name=name,
        entities=tuple(names),
        relations=tuple(relations),
        points=np.unique(np.concatenate([start, end, [BEFORE_ALL, AFTER_ALL]])),
        train=parts[0],
        valid=parts[1],
        test=parts[2],
        granularity=chosen,
        protocol=protocol,
        ongoing=goes_on[np.argsort(split_of, kind="stable")] if goes_on.any() else None,
        rejects=intake.rejects,
    )


UNSEEN = "(unseen)"


def _in_order(names: list[str], kept: npt.NDArray[np.bool_]) -> tuple[list[str], Ints]:
    """Put those of some names that are kept in order; return for each its new number, for all others one after it."""
    order = sorted(np.flatnonzero(kept).tolist(), key=names.__getitem__)
    numbers = np.full(len(names), len(order), np.int64)
    numbers[order] = np.arange(len(order))
    return [names[old] for old in order], numbers


def _splits(columns: FactColumns, seed: int) -> Ints:
    named = np.array(
        [next((n for n, split in enumerate(SPLITS) if s.endswith(f"/{split}.txt")), -1) for s in columns.sources],
        np.int64,
    )
    found: Ints = named[columns.source]
    if (found >= 0).all():
        return found
    shares = np.random.default_rng(seed).random(len(columns))
    return np.digitize(shares, [0.8, 0.9])


def _granularity(table: pa.Table) -> Granularity:
    words = {*table["start_precision"].unique().to_pylist(), *table["end_precision"].unique().to_pylist()}
    return "day" if words == {"day"} else "year"


def ends_of(table: pa.Table, granularity: Granularity, protocol: Protocol) -> tuple[Ints, Ints]:
    """Return the first and last year (or day) of facts as a protocol reads them."""
    start, start_known = _times(table["start_first"], granularity)
    end, end_known = _times(table["end_last"], granularity)
    if protocol is Protocol.JAIN2020 and granularity == "year":
        start_known &= (start >= 1000) & _whole_year(table["start_precision"])
        end_known &= (end >= 1000) & _whole_year(table["end_precision"])
    start, end = np.where(start_known, start, BEFORE_ALL), np.where(end_known, end, AFTER_ALL)
    if protocol is Protocol.JAIN2020:
        end = np.where(~start_known & ~end_known, BEFORE_ALL, end)
        return start, np.maximum(start, end)
    return np.minimum(start, end), np.maximum(start, end)


def _whole_year(precision: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    return _is_one_of(precision, ["year", "month", "day"])


def _is_one_of(column: pa.ChunkedArray, words: list[str]) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = pc.is_in(column.cast(pa.string()), pa.array(words)).to_numpy(zero_copy_only=False)
    return found


def _times(days: pa.ChunkedArray, granularity: Granularity) -> tuple[Ints, npt.NDArray[np.bool_]]:
    known = ~days.is_null().to_numpy(zero_copy_only=False)
    numbers = days.fill_null(0).to_numpy().astype(np.int64)
    return (calendar_day(numbers)[0].astype(np.int64) if granularity == "year" else numbers), known
