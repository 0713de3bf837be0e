"""``asof cutoff``: until when does a model know the world?"""

from pathlib import Path
from typing import Any, Literal

import click

from asof.cli.options import json_option
from asof.cli.output import counted, show, talk
from asof.errors import UserError
from asof.runs import read_run
from asof.runs.cutoff import Cutoff, CutoffOf
from asof.runs.cutoff_answers import CONTRASTS, READINGS, Contrast, Reading
from asof.timeline import Period

_COLUMNS = ["run", "cutoff", "low", "high", "beyond", "facts", "lag", "known", "guessing", "unchanged"]
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


@click.command("cutoff", epilog=_EXAMPLES)
@click.argument("folders", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option(
    "--by",
    type=click.Choice(["relation", "period", "fact"]),
    help="One line for each relation, for each period (the curve), or for each fact that changed.",
)
@click.option(
    "--reading",
    type=click.Choice(READINGS),
    help="What counts: the newest answer that the model has heard of, or the one it gives "
    "(default: heard where candidates were compared).",
)
@click.option(
    "--contrast",
    type=click.Choice(CONTRASTS),
    default=CONTRASTS[0],
    show_default=True,
    help="Take from each candidate what it is worth for other subjects, or nothing.",
)
@click.option(
    "--fail-if-older-than", "oldest", type=_PeriodText(), metavar="PERIOD", help="Exit with 3 if it is: for CI."
)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    folders: tuple[Path, ...],
    by: Literal["relation", "period", "fact"] | None,
    reading: Reading | None,
    contrast: Contrast,
    oldest: Period | None,
    as_json: bool,
) -> None:
    """Estimate until when a model knows the world, from runs on dynamic-templama.

    Each estimate has its 95 % interval and the number of facts that changed. Beside it stand what the model knows of
    facts that never change (unchanged), of all (known), and what guessing gives. 'cannot tell' stands for a date that
    the run does not support.

    With --fail-if-older-than the command exits with 3 when the whole interval lies before that period, and also when
    the run cannot tell.
    """
    rows, failed = [], []
    for folder in folders:
        try:
            found = CutoffOf(read_run(folder), contrast=contrast, reading=reading)
        except UserError as error:
            raise click.UsageError(str(error)) from error
        rows += {None: _overall, "relation": _relations, "period": _curve, "fact": _facts}[by](found)
        if not as_json:
            _explain(found)
            if by in ("fact", "period"):
                _say_what_counts(found)
        if oldest is not None and (told := _too_old(found.overall, oldest)):
            failed.append(f"{found.run.name}: {told}")
    columns = [name for name in rows[0] if name != "likeliest"] if by and rows else _COLUMNS
    show(rows, columns=columns, as_json=as_json)
    for told in failed:
        talk(told)
    if failed:
        ctx.exit(3)


def _too_old(cutoff: Cutoff, oldest: Period) -> str:
    older = cutoff.older_than(oldest)
    if older is None:
        return f"the run cannot tell whether the model knows the world up to {oldest}: {cutoff.why}."
    return f"the model is older than {oldest}: its knowledge ends by {cutoff.high}." if older else ""


def _estimate(cutoff: Cutoff) -> dict[str, Any]:
    held = cutoff.controls
    border = {"newer": " or later", "older": " or earlier"}.get(cutoff.status, "")
    return {
        "cutoff": "cannot tell" if cutoff.best is None else f"{cutoff.best}{border}",
        "low": cutoff.low and str(cutoff.low),
        "high": cutoff.high and str(cutoff.high),
        "beyond": cutoff.beyond,
        "facts": cutoff.facts,
        "lag": cutoff.posterior and cutoff.best and round(cutoff.posterior.lag, 2),
        "known": round(held.known.value, 3),
        "guessing": round(held.guessing, 3),
        "unchanged": round(held.unchanged.value, 3) if held.unchanged.n else None,
        "unchanged_facts": held.unchanged.n,
        "newer_for_wrong_subjects": round(held.invented.value, 3) if held.invented.n else None,
        "status": cutoff.status,
        "why": cutoff.why or None,
    }


def _overall(found: CutoffOf) -> list[dict[str, Any]]:
    return [{"run": found.run.name, "reading": found.reading} | _estimate(found.overall)]


def _relations(found: CutoffOf) -> list[dict[str, Any]]:
    parts = {"all": found.overall} | found.by_relation
    return [{"run": found.run.name, "relation": name} | _estimate(part) for name, part in parts.items()]


def _curve(found: CutoffOf) -> list[dict[str, Any]]:
    return [
        {"run": found.run.name, "period": str(point.period), "facts": point.facts}
        | {name: round(share, 3) if point.facts else None for name, share in point.shares.items()}
        | {
            "changes": point.changes,
            "new": round(point.new, 3) if point.changes else None,
            "previous": round(point.previous, 3) if point.changes else None,
        }
        for point in found.curve
    ]


def _facts(found: CutoffOf) -> list[dict[str, Any]]:
    rows = []
    for one in found.changed:
        place = one.fact.asked[-1]
        verdict, until = one.fact.verdict(one.text, place)
        said = f", true until {found.histories.periods[until]}" if until is not None else ""
        now = [name for name, right in zip(one.fact.names, one.fact.holds[:, place], strict=True) if right]
        rows.append(
            {
                "run": found.run.name,
                "subject": one.fact.subject,
                "relation": one.fact.relation_label,
                "period": str(found.histories.periods[place]),
                "right": now,
                "given": one.text,
                "verdict": verdict + said,
                "likeliest": one.likeliest,
            }
        )
    return rows


def _say_what_counts(found: CutoffOf) -> None:
    """Say what is correct here, as ``asof score`` counts otherwise."""
    changed, correct = counted(len(found.changed), "fact"), found.correct()
    if found.contrasted:
        talk(
            f"Correct in the last period: {correct} of {changed} that changed, by what a candidate is worth beside "
            f"other subjects (--contrast others); {found.correct(contrasted=False)} by likelihoods as they are. "
            "The accuracy of 'asof score' is by likelihoods as they are, over all items: every fact in every period."
        )
    else:
        talk(
            f"Correct in the last period: {correct} of {changed} that changed. 'asof score' counts all items: every "
            "fact in every period."
        )


def _explain(found: CutoffOf) -> None:
    cutoff = found.overall
    if cutoff.best is None:
        talk(f"{found.run.name}: cannot tell, as {cutoff.why}.")
    elif cutoff.status == "newer":
        talk(f"{found.run.name}: {cutoff.why}. For more ask about later periods.")
    elif cutoff.status == "older":
        talk(f"{found.run.name}: {cutoff.why}. For more ask about earlier periods.")
    else:
        what = "has heard of changes" if found.reading == "heard" else "answers as the world was"
        talk(f"{found.run.name} {what} up to {cutoff.best} (from {counted(cutoff.facts, 'fact')} that changed).")
