"""The referee: the facts of a split, everybody's scoresheets, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from asof.completion.dataset import Dataset, Protocol
from asof.completion.quadruple_file import dataset_at
from asof.completion.referee.counting import PastFacts
from asof.completion.referee.protocols import RightAnswers
from asof.completion.referee.questions import question_table
from asof.completion.referee.ranks import SheetRanks, ranked
from asof.completion.referee.results import difference_rows, rank_table, refuse_same_names, result_rows
from asof.completion.referee.scoresheet import Scoresheet
from asof.errors import UserError
from asof.sources.almanac import almanac_base
from asof.whole_file import whole_folder, write_whole

_QUESTIONS, _ENTITIES = "questions.csv", "entities.txt"


@dataclass(frozen=True)
class RefereeJudgement:
    """The ranks of scoresheets under every protocol, and of the counting baselines.

    Args:
        sheets: What was handed in.
        baselines: What counting gets.
    """

    dataset: Dataset
    split: str
    right: RightAnswers
    sheets: Sequence[SheetRanks]
    baselines: Sequence[SheetRanks]

    @classmethod
    def of(
        cls, dataset: Dataset, split: str, scoresheets: Sequence[Scoresheet], *, baselines: bool = True
    ) -> RefereeJudgement:
        """Rank scoresheets; the training facts are all that baselines see."""
        if not len(dataset.split(split)):
            raise UserError(f"{dataset.name} has no {split} facts, so there is nothing to rank. Choose another split.")
        right = RightAnswers.of(dataset, split)
        sheets = [ranked(sheet, right, len(dataset.entities)) for sheet in scoresheets]
        counted = PastFacts.of(dataset).sheets(right.queries) if baselines else []
        found = cls(dataset, split, right, sheets, [ranked(one, right, len(dataset.entities)) for one in counted])
        refuse_same_names([*sheets, *found.baselines])
        return found

    @property
    def results(self) -> list[dict[str, Any]]:
        """A row for each scoresheet, filter, side and way to count ties."""
        return [row for sheet in (*self.sheets, *self.baselines) for row in result_rows(sheet)]

    @property
    def differences(self) -> list[dict[str, Any]]:
        """Tests of each scoresheet against the first."""
        return difference_rows(self.sheets)

    @property
    def ranks(self) -> pa.Table:
        """The rank of every answer."""
        return rank_table([*self.sheets, *self.baselines], self.dataset, self.right.queries)

    @property
    def notes(self) -> list[str]:
        """What a reader should know of each scoresheet."""
        return [f"{sheet.name}: {note}" for sheet in self.sheets for note in sheet.notes]


def read_judged_dataset(location: str, protocol: str | None) -> Dataset:
    """Read the dataset that scores are about; the protocol says how dates and unseen entities are read."""
    where = str(almanac_base()) if location == "almanac" else location
    if not Path(where).exists():
        raise UserError(
            f"{location} does not exist. Give a base, a folder with train.txt, valid.txt and test.txt, or a "
            "trained model."
        )
    return dataset_at(where, Protocol(protocol or Protocol.CORRECTED))


def write_ranks(path: Path, table: pa.Table) -> None:
    """Write the rank of every answer to Parquet or CSV."""
    writers: dict[str, Callable[[pa.Table, Path], object]] = {".parquet": pq.write_table, ".csv": pa_csv.write_csv}
    if path.suffix not in writers:
        raise UserError(f"{path} does not end in .parquet or .csv, which is what ranks are written as.")
    write_whole(path, lambda target: writers[path.suffix](table, target))


def write_questions(folder: Path, dataset: Dataset, split: str) -> None:
    """Write what others need to hand in scores: the questions without what they ask for, and the entities in order."""
    others = {path.name for path in folder.iterdir()} - {_QUESTIONS, _ENTITIES} if folder.is_dir() else set()
    if others or folder.is_file():
        raise UserError(f"{folder} holds something else already. Name a folder that is new or empty.")
    with whole_folder(folder) as new:
        pa_csv.write_csv(question_table(dataset, split), new / _QUESTIONS)
        (new / _ENTITIES).write_text("".join(f"{name}\n" for name in dataset.entities), encoding="utf-8")
