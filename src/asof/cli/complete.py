"""``asof complete``: what a base lacks, proposed by a trained model for review."""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.accept import accept_decisions
from asof.cli.options import base_option, json_option
from asof.cli.output import Row, counted, show, talk
from asof.cli.review import review_proposals
from asof.cli.trained_models import open_model
from asof.errors import UserError
from asof.web.decisions import Decisions
from asof.whole_file import write_whole

if TYPE_CHECKING:
    from asof.completion.trained.folder import TrainedModel
    from asof.completion.trained.proposals import Abstention, ProposedFact
    from asof.completion.trained.reasons import ReasonWriter

_COLUMNS = ["subject", "relation", "object", "start", "end", "proposed", "probability", "reason"]
_GROUPS = ("subject", "relation")
_NAMED = 5  # relations, where a model abstains
_KINDS_TOLD = 8
_SHOWN = 20  # on a terminal, where nobody says how many


@click.command("complete")
@click.argument("folder", metavar="[MODEL]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--to", "file", type=click.Path(path_type=Path), help="A new file for the table; with --accept, the base to write."
)
@click.option(
    "--accept",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A table of decisions: write what was accepted into a new version of the base.",
)
@click.option(
    "--review",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A table of proposals: accept or reject them one by one; --to is the table of decisions.",
)
@click.option(
    "--decided",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A table of decisions: leave out what was decided there. May be repeated.",
)
@click.option("--group", type=click.Choice(_GROUPS), help="Put proposals of one subject (or relation) together.")
@click.option("--dry-run", is_flag=True, help="With --accept: only say what would be written.")
@click.option("--limit", type=click.IntRange(min=1), help="At most this many proposals, the likeliest first.")
@click.option(
    "--least", type=click.FloatRange(0, 1), default=0.1, show_default=True, help="The lowest probability of a proposal."
)
@base_option
@json_option
def command(
    folder: Path | None,
    file: Path | None,
    accept: Path | None,
    review: Path | None,
    decided: tuple[Path, ...],
    group: str | None,
    dry_run: bool,
    limit: int | None,
    least: float,
    base: str,
    as_json: bool,
) -> None:
    """Propose missing ends, starts and objects of the whole base that a model was trained on.

    The result is a table to review, the likeliest first, with the reasons in words; the base is not changed. An end is
    proposed where a fact has none, unless it is ongoing or facts of its relation do not end, with the probability of
    exactly this year (or day).
    An object is proposed where most subjects like this one have one, or where a relation that seldom pauses does, with
    the probability that there is one and it is this. What was rejected once is not proposed again, as far as the base
    that the model was trained on remembers it, or a table of --decided.

    --accept takes the table of decisions that 'asof serve --proposals FILE --review DECISIONS' writes (or any such
    table with a column "decision"), and writes the base of --base with what was accepted to the folder of --to, which
    may be the same folder; what was rejected is remembered there. --review makes such a table in the shell. No model is
    needed for these.
    """
    if accept:
        accept_decisions(accept, base, file, dry_run=dry_run, as_json=as_json)
        return
    if review:
        review_proposals(review, file)
        return
    if folder is None:
        raise UserError("Which model? Give the folder of a trained model, or --accept DECISIONS to write into a base.")
    if file and file.exists():
        raise UserError(f"{file} already exists and may hold your review. Give another file with --to.")
    trained = open_model(folder)
    from asof.completion.trained.proposals import review_of
    from asof.completion.trained.reasons import ReasonWriter
    from asof.completion.trained.remembered import proposal_id

    talk(f"Looking for what {trained.dataset.name} lacks …")
    found = review_of(trained, least=least)
    gone = _decided_before(trained, decided)
    kept = [one for one in found.proposals if proposal_id(trained, one) not in gone] if gone else found.proposals
    left_out, kept = len(found.proposals) - len(kept), grouped(kept, group)[:limit]
    why = ReasonWriter(trained, found.ends)
    if file:
        _write(file, (_row(trained, one, why) for one in kept))
    else:
        cut = _SHOWN if limit is None and sys.stdout.isatty() and not as_json else None
        show((_row(trained, one, why) for one in kept[:cut]), columns=_COLUMNS, as_json=as_json)
    told = f"{counted(len(kept), 'proposal')} of probability {least:g} or more"
    if left_out:
        talk(f"{counted(left_out, 'proposal')} decided before and left out.")
    _tell_kinds(trained, kept)
    if file:
        talk(f"{file} holds {told}. The base was not changed.")
        talk(f"Review it: asof serve BASE --proposals {file} --review decisions.tsv")
        talk(f"       or: asof complete --review {file} --to decisions.tsv")
    else:
        talk(f"{told}. Save all of them for review with --to proposals.tsv; the base is not changed.")
    for what in ("end", "start"):
        _tell_abstentions(trained, [one for one in found.abstentions if one.what == what], what)


def _tell_abstentions(trained: "TrainedModel", abstentions: "list[Abstention]", what: str) -> None:
    if not abstentions:
        return
    from asof.completion.trained.end_dates import LEAST_LASTED

    names = [trained.relations.labels[one.relation] for one in sorted(abstentions, key=lambda one: -one.facts)]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    talk(
        f"No {what} is proposed for {counted(sum(one.facts for one in abstentions), 'fact')} of "
        f"{', '.join(names[:_NAMED])}{more}: fewer than {LEAST_LASTED} facts of each relation have a start and an "
        "end in train, so nothing is known about how long they last."
    )


def grouped(proposals: "list[ProposedFact]", by: str | None) -> "list[ProposedFact]":
    """Put proposals of one subject (or relation) together, the group of the likeliest first."""
    if by is None:
        return proposals
    groups: dict[int, list[ProposedFact]] = defaultdict(list)
    for one in proposals:
        groups[getattr(one, by)].append(one)
    return [one for group in groups.values() for one in group]


def _tell_kinds(trained: "TrainedModel", proposals: "list[ProposedFact]") -> None:
    """Say of each relation how many proposals it has, and how many of them should be right."""
    kinds: dict[tuple[int, str], list[float]] = defaultdict(list)
    for one in proposals:
        kinds[one.relation, one.what].append(one.probability)
    for (relation, what), chances in sorted(kinds.items(), key=lambda kind: -sum(kind[1]))[:_KINDS_TOLD]:
        talk(
            f"  {trained.relations.labels[relation]}: {counted(len(chances), what)}, of which about "
            f"{sum(chances):,.0f} should be right"
        )
    if len(kinds) > _KINDS_TOLD:
        talk(f"  and {len(kinds) - _KINDS_TOLD} more kinds")


def _decided_before(trained: "TrainedModel", tables: tuple[Path, ...]) -> set[str]:
    """Return the ids of proposals that were rejected before, or decided in tables."""
    from asof.completion.trained.remembered import rejected_before

    return {*rejected_before(trained), *(id for table in tables for id in Decisions(table).made)}


def _row(trained: "TrainedModel", proposal: "ProposedFact", why: "ReasonWriter") -> Row:
    from asof.completion.trained.prediction_rows import proposal_row

    row = proposal_row(trained, proposal, why)
    return row | {"probability": f"{row['probability']:.4f}"}


def _write(file: Path, rows: Iterable[Row]) -> None:
    def write(temporary: Path) -> None:
        with temporary.open("w", encoding="utf-8", newline="") as out:
            names = [*_COLUMNS, "subject_id", "relation_id", "object_id"]
            table = csv.DictWriter(out, names, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
            table.writeheader()
            table.writerows(rows)

    write_whole(file, write)
