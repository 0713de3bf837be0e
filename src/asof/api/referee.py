"""The referee in a notebook: ``asof.rank``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from asof.api.completion import CompletionModel
from asof.api.frame import Frame
from asof.errors import UserError

if TYPE_CHECKING:
    from asof.completion.referee.candidates import CandidateNames
    from asof.completion.referee.judgement import RefereeJudgement
    from asof.completion.referee.scoresheet import Scoresheet

_SHOWN = ("scores", "filter", "side", "ties", "mrr", "mrr_low", "mrr_high", "hits@1", "hits@10")


@dataclass(frozen=True, repr=False)
class RefereeReport:
    """The ranks of scoresheets and of counting baselines under every protocol."""

    judgement: RefereeJudgement

    @property
    def results(self) -> Frame:
        """MRR with its 95 % interval and hits, for each scoresheet, filter, side and way to count ties."""
        return Frame.of(self.judgement.results, shown=_SHOWN, notes=self.judgement.notes)

    @property
    def differences(self) -> Frame:
        """The test of each scoresheet against the first, paired by fact."""
        return Frame.of(self.judgement.differences)

    @property
    def ranks(self) -> Frame:
        """The rank of every answer."""
        return Frame(self.judgement.ranks)

    def _table(self) -> Frame:
        mean = [row for row in self.judgement.results if row["ties"] == "mean" and row["side"] != "subject"]
        return Frame.of(mean, shown=_SHOWN, notes=self.judgement.notes)

    def __repr__(self) -> str:
        return repr(self._table())

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()


def rank(
    base: CompletionModel | str | PathLike[str],
    scores: Any = None,
    *,
    split: str = "test",
    entities: str | PathLike[str] | Iterable[str] | None = None,
    drop_unknown: bool = False,
    baselines: bool = True,
    protocol: str | None = None,
) -> RefereeReport:
    """Rank anybody's scores for the questions of a split under every protocol, beside counting baselines.

    Args:
        base: A folder with train.txt, valid.txt and test.txt, a base, or a trained model, which is then ranked, too.
        scores: A file (.npz, .npy, .parquet, .csv, .tsv, .jsonl), a matrix with a row for each question (objects, then
            subjects; or objects alone) and a column for each entity, a table (pandas, polars, Arrow) with question,
            candidate and score; or a dictionary of several, by name: each is tested against the first.
        entities: Whose the columns are, as a list of names or a file; by default all entities, sorted.
        drop_unknown: Leave out candidates that are no entities.
        protocol: How facts are read: corrected (default) or jain2020.
    """
    from asof.completion.referee.candidates import CandidateNames
    from asof.completion.referee.entity_order import read_entity_order
    from asof.completion.referee.judgement import RefereeJudgement, read_judged_dataset

    sheets: list[Scoresheet] = []
    if isinstance(base, CompletionModel):
        from asof.completion.trained.model_sheet import sheet_of_model

        dataset = base.trained.dataset
        sheets.append(sheet_of_model(base.trained, split))
    else:
        dataset = read_judged_dataset(str(base), protocol)
    order = read_entity_order(Path(entities)) if isinstance(entities, str | PathLike) else entities
    names = CandidateNames(dataset, None if order is None else list(order), drop_unknown)
    named = scores if isinstance(scores, Mapping) else {} if scores is None else {None: scores}
    sheets += [_sheet(name, one, names, split) for name, one in named.items()]
    if not sheets and not baselines:
        raise UserError("Nothing is to be ranked. Give scores=, or leave baselines=True.")
    return RefereeReport(RefereeJudgement.of(dataset, split, sheets, baselines=baselines))


def _sheet(name: str | None, scores: Any, names: CandidateNames, split: str) -> Scoresheet:
    from dataclasses import replace

    from asof.completion.referee.score_files import matrix_sheet, read_scores, table_sheet

    called = name or "scores"
    if isinstance(scores, str | PathLike):
        found = read_scores(Path(scores), names, split)
        return replace(found, name=name) if name else found  # type: ignore[type-var]
    if isinstance(scores, np.ndarray):
        return matrix_sheet(called, {"scores": scores}, names, len(names.dataset.split(split)))
    return table_sheet(called, _arrow(scores), names, split)


def _arrow(table: Any) -> pa.Table:
    """Turn whatever is a table into Arrow's."""
    if isinstance(table, pa.Table):
        return table
    if isinstance(table, Frame) or hasattr(table, "to_arrow"):
        return table.to_arrow()
    if hasattr(table, "to_numpy") and hasattr(table, "columns"):
        return pa.Table.from_pandas(table, preserve_index=False)
    if isinstance(table, list) and all(isinstance(row, Mapping) for row in table):
        return pa.Table.from_pylist(table)
    raise UserError(
        f"Scores are a file, a matrix of numpy, or a table with question, candidate and score; this is a "
        f"{type(table).__name__}."
    )
