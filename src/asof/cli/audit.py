"""``asof audit``: does a model know what came after a date?"""

from pathlib import Path

import click

from asof.cli.options import FolderOrPlace, ShareOption, TimeOption, json_option
from asof.cli.output import counted, show, talk, write_json
from asof.errors import UserError
from asof.runs import read_run
from asof.runs.cutoff import CutoffOf
from asof.runs.cutoff_audit import ALLOWED, LookAheadAudit
from asof.timeline import Date, Period, Time

_SHOWN = ("after", "status", "facts", "known", "low", "high", "guessing", "p")
_EXAMPLES = """\b
Examples:
  asof build dynamic-templama --from 2018 --until 2024 --to changes
  asof run changes MODEL --probe pseudo-likelihood --to model-changes
  asof audit model-changes --after 2022-06-30
"""


@click.command("audit", epilog=_EXAMPLES)
@click.argument("folder", metavar="RUN", type=FolderOrPlace())
@click.option(
    "--after", required=True, type=TimeOption(), metavar="DATE", help="The last day that the model may know of."
)
@click.option(
    "--allow",
    "allowed",
    type=ShareOption(),
    default=ALLOWED,
    show_default=True,
    metavar="SHARE",
    help="The share of facts that may seem to be known beyond guessing, such as heirs: 5% or 0.05.",
)
@click.option("--all", "every", is_flag=True, help="List all facts that changed after the date, not only known ones.")
@json_option
@click.pass_context
def command(ctx: click.Context, folder: Path, after: Time, allowed: float, every: bool, as_json: bool) -> None:
    """Check that a model knows nothing after a date (look-ahead).

    For back-tests: a model that was to know the world up to a day should not know what came after it. RUN is a run on
    dynamic-templama, of any probe that 'asof cutoff' reads. Facts whose answer changed after DATE are counted: of how
    many does the model take an answer that began later? Guessing is measured on wrong subjects of the same relations.
    What began in the period of DATE does not count, as it may have been before.

    Ends with 3 when the model takes more of them than guessing and --allow explain (p of at most 0.05), and also when
    the run cannot tell: fewer than 20 such facts, or a model that knows no facts of any time.
    """
    if not isinstance(after, Date | Period):
        raise click.UsageError(f"--after is a day or a period, such as 2022-06-30 or 2022-Q2, not {after}.")
    try:
        found = LookAheadAudit(CutoffOf(read_run(folder)), after, allowed=allowed)
    except UserError as error:
        raise click.UsageError(str(error)) from error
    rows = [row for row in found.fact_rows() if every or row["known"]]
    if as_json:
        write_json(found.row() | {"known_facts": rows})
    else:
        show(
            [found.row()], columns=["after", "status", "facts", "known", "low", "high", "guessing", "p"], as_json=False
        )
        if rows:
            show(rows, columns=list(rows[0]), as_json=False)
        talk(_told(found))
    if found.status != "passed":
        ctx.exit(3)


def _told(audit: LookAheadAudit) -> str:
    """Say the result in a sentence."""
    name, count = audit.cutoff.run.name, counted(len(audit.facts), "fact")
    if audit.status == "cannot tell":
        return f"{name}: cannot tell, as {audit.why}."
    if audit.status == "failed":
        return (
            f"{name} knows what came after {audit.after}: {audit.known.value:.0%} of {count} that changed then, where "
            f"guessing gives {audit.guessing:.1%} (p = {audit.p:.2g})."
        )
    return (
        f"{name} shows no knowledge of what came after {audit.after}: {audit.known.value:.0%} of {count} that changed "
        f"then, at most {audit.known.high:.0%} with 95 % confidence; guessing gives {audit.guessing:.1%}."
    )
