"""``asof rank --scores``: anybody's scores, ranked under every protocol at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.output import counted, show, talk, write_json
from asof.errors import UserError

if TYPE_CHECKING:
    from asof.completion.dataset import Dataset
    from asof.completion.referee.judgement import RefereeJudgement
    from asof.completion.referee.scoresheet import Scoresheet

TIES = {"against": "pessimistic"}  # the older word of 'asof rank'
_COLUMNS = ("scores", "filter", "side", "mrr", "mrr_low", "mrr_high", "hits@1", "hits@3", "hits@10")
_APART = ("first", "second", "filter", "mrr_first", "mrr_second", "difference", "low", "high", "p", "p_holm")


@dataclass(frozen=True)
class RefereeRequest:
    """What is to be ranked, and what is shown of it."""

    location: Path
    split: str
    protocol: str | None
    scores: Sequence[Path]
    entities: Path | None
    drop_unknown: bool
    baselines: bool
    predicted_intervals: Sequence[Path]
    filter: str
    ties: str | None
    ranks_to: Path | None
    results_as: str | None
    as_json: bool


def rank_scores(asked: RefereeRequest) -> None:
    """Rank scoresheets beside each other, and beside the model whose dataset they are about."""
    from asof.completion.referee.candidates import CandidateNames
    from asof.completion.referee.entity_order import read_entity_order
    from asof.completion.referee.interval_files import interval_rows, read_intervals
    from asof.completion.referee.judgement import RefereeJudgement, write_ranks
    from asof.completion.referee.result_forms import results_as
    from asof.completion.referee.score_files import read_scores

    dataset, sheets = judged_dataset(asked.location, asked.split, asked.protocol)
    names = CandidateNames(dataset, read_entity_order(asked.entities) if asked.entities else None, asked.drop_unknown)
    sheets += [read_scores(path, names, asked.split) for path in asked.scores]
    found = RefereeJudgement.of(dataset, asked.split, sheets, baselines=asked.baselines)
    intervals = [read_intervals(path, dataset, asked.split) for path in asked.predicted_intervals]
    notes = [*found.notes, *(f"{sheet.name}: {note}" for sheet in intervals for note in sheet.notes)]
    rows = interval_rows(intervals) if intervals else []
    if asked.ranks_to:
        write_ranks(asked.ranks_to, found.ranks)
    if asked.results_as:
        for sheet in (*found.sheets, *found.baselines):
            write_json({"scores": sheet.name, **results_as(asked.results_as, sheet)})
    elif asked.as_json:
        for kind, many in (("links", found.results), ("differences", found.differences), ("intervals", rows)):
            for row in many:
                write_json({"measures": kind, **row})
    else:
        _show(found, asked, rows)
    for note in notes:
        talk(note)


def judged_dataset(location: Path, split: str, protocol: str | None) -> "tuple[Dataset, list[Scoresheet]]":
    """Read the dataset; of a trained model its own, and the model's scoresheet with it."""
    from asof.completion.referee.judgement import read_judged_dataset

    if not (location / "model.toml").is_file():
        return read_judged_dataset(str(location), protocol), []
    from asof.cli.trained_models import open_model
    from asof.completion.trained.model_sheet import sheet_of_model

    trained = open_model(location)
    if protocol and protocol != str(trained.dataset.protocol):
        raise UserError(
            f"{location} was trained under the protocol {trained.dataset.protocol}, and its facts are read so. Omit "
            "--protocol, or give the dataset instead of the model."
        )
    return trained.dataset, [sheet_of_model(trained, split)]


def _show(judgement: "RefereeJudgement", asked: RefereeRequest, intervals: Sequence[dict[str, Any]]) -> None:
    dataset = judgement.dataset
    default = "pessimistic" if str(dataset.protocol) == "jain2020" else "mean"
    ties = TIES.get(asked.ties or default, asked.ties or default)
    talk(
        f"{asked.split} of {dataset.name}: {counted(len(judgement.right.queries), 'question')} about "
        f"{counted(judgement.right.facts, 'fact')}, {counted(len(dataset.entities), 'candidate')} each; facts as "
        f"protocol {dataset.protocol} reads them; ties {ties}."
    )
    chosen = [
        row
        for row in judgement.results
        if row["ties"] == ties and row["side"] != "subject" and (asked.filter == "all" or _is(row, asked.filter))
    ]
    show(({name: row[name] for name in _COLUMNS} for row in chosen), columns=_COLUMNS, as_json=False)
    apart = [row for row in judgement.differences if asked.filter == "all" or _is(row, asked.filter)]
    if apart:
        click.echo()
        talk("Differences in MRR, paired by fact; p from a sign-flip test, p_holm allows for how many there are.")
        show(({name: row[name] for name in _APART} for row in apart), columns=_APART, as_json=False)
    if intervals:
        click.echo()
        talk("Predicted intervals of facts with both ends; of the first k, the best counts.")
        show(intervals, columns=list(intervals[0]), as_json=False)


def _is(row: dict[str, Any], wanted: str) -> bool:
    return bool(row["filter"] == wanted or row["filter"].startswith(f"{wanted}-"))
