"""``asof cutoff``: the knowledge cutoff of a model, estimated from its answers."""

from pathlib import Path
from typing import Any, get_args

import click

from asof.cli.options import FolderOrPlace, json_option
from asof.cli.output import show, talk
from asof.errors import UserError
from asof.runs import read_run
from asof.runs.cutoff import Cutoff, CutoffOf
from asof.runs.cutoff_answers import CONTRASTS, FORMER_READINGS, READINGS, Contrast, Reading
from asof.runs.cutoff_rows import SHOWN, By, cutoff_notes, cutoff_rows
from asof.timeline import Period

_EXAMPLES = """\b
Examples:
  asof build dynamic-templama --from 2015 --until 2024 --to changes
  asof run changes smollm2 --probe pseudo-likelihood --to smollm2-changes
  asof cutoff smollm2-changes --by relation
  asof cutoff smollm2-changes --fail-if-older-than 2024-Q4
"""


class _PeriodText(click.ParamType[Period]):
    name = "period"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Period:
        try:
            return value if isinstance(value, Period) else Period.parse(value)
        except UserError as error:
            self.fail(str(error), param, ctx)


class _ReadingName(click.Choice[Reading]):
    """A reading; the names of earlier versions stay."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Reading:
        return super().convert(FORMER_READINGS.get(value, value), param, ctx)


@click.command("cutoff", epilog=_EXAMPLES)
@click.argument("folders", metavar="RUN...", nargs=-1, required=True, type=FolderOrPlace())
@click.option(
    "--by",
    type=click.Choice(get_args(By)),
    help="One line for each relation, each period (the curve), each fact that changed, each wording, or each part: "
    "relations whose knowledge ends at different times, where the answers show it.",
)
@click.option(
    "--reading",
    type=_ReadingName(READINGS),
    help="What counts: the newest answer that the model was exposed to, or the one that it answered "
    "(default: exposed where candidates were compared).",
)
@click.option(
    "--contrast",
    type=click.Choice(CONTRASTS),
    default=CONTRASTS[0],
    show_default=True,
    help="Subtract from each candidate its likelihood for other subjects, or nothing.",
)
@click.option(
    "--fail-if-older-than",
    "oldest",
    type=_PeriodText(),
    metavar="PERIOD",
    help="Exit with code 3 if the knowledge cutoff is older; for CI.",
)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    folders: tuple[Path, ...],
    by: By | None,
    reading: Reading | None,
    contrast: Contrast,
    oldest: Period | None,
    as_json: bool,
) -> None:
    """Estimate the knowledge cutoff of a language model.

    Since when is it out of date? The runs are on dynamic-templama. Each estimate has its 95 % interval and the number
    of facts that changed. Beside it stand what the model knows of facts that never change (unchanged), of all (known),
    and what guessing gives. 'cannot tell' stands for a date that the run does not support.

    With --fail-if-older-than the command exits with 3 when the whole interval lies before that period, and also when
    the run cannot tell.
    """
    rows, failed = [], []
    for folder in folders:
        try:
            found = CutoffOf(read_run(folder), contrast=contrast, reading=reading)
        except UserError as error:
            raise click.UsageError(str(error)) from error
        rows += cutoff_rows(found, by)
        for note in () if as_json else cutoff_notes(found, by):
            talk(note)
        if oldest is not None and (told := _too_old(found.overall, oldest)):
            failed.append(f"{found.run.name}: {told}")
    columns = [name for name in rows[0] if name != "likeliest"] if by and rows else list(SHOWN)
    show(rows, columns=columns, as_json=as_json)
    for told in failed:
        talk(told)
    if failed:
        ctx.exit(3)


def _too_old(cutoff: Cutoff, oldest: Period) -> str:
    older = cutoff.older_than(oldest)
    if older is None:
        return f"the run cannot tell whether the model's knowledge reaches {oldest}: {cutoff.why}."
    return f"the model is older than {oldest}: its knowledge ends by {cutoff.high}." if older else ""
