"""``asof score``: the metrics of a run, made again from its predictions."""

from pathlib import Path

import click

from asof.cli.options import json_option
from asof.cli.output import counted, show, talk
from asof.metrics import NOTHING
from asof.registry import preferences
from asof.runs import read_run
from asof.runs.cutoff_history import has_periods
from asof.runs.item_scores import scores_of
from asof.runs.score_rows import counts_of, score_rows

_COLUMNS = ["metric", "value", "low", "high"]
# What a run by period has beside: 'asof cutoff' calls other answers correct.
_BY_PERIOD = (
    "These are means over items: every fact counts in every period. 'asof cutoff --by fact' counts each changed fact "
    "once, in its last period."
)
_BY_LIKELIHOOD = (
    " Here an item is right when its likeliest candidate is, by likelihoods as they are; cutoff first takes from each "
    "candidate what it is worth for other subjects (--contrast others)."
)


@click.command("score")
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--by", "tag", metavar="TAG", help="The same metrics for each value of a tag, such as relation or period."
)
@click.option("--seed", type=int, hidden=True, expose_value=False, help="Has no effect any more: nothing is sampled.")
@json_option
def command(folder: Path, tag: str | None, as_json: bool) -> None:
    """Compute the metrics of a run; no model is needed.

    Every number is a mean over items (TimeStress: over facts) with its 95 % confidence interval. Intervals are
    clustered by fact, as items of one fact are not independent; they are exact for shares of facts, and valid for few
    facts. --json names the method.
    """
    run = read_run(folder)
    scores = scores_of(run)
    rows = score_rows(scores, tag)
    columns = [*([tag] if tag else []), *_COLUMNS, *counts_of(NOTHING, scores.unit)]
    show(rows, columns=columns, as_json=as_json)
    if rows and has_periods(scores.table.column_names):
        preference = getattr(run.probe, "preference", None)
        talk(_BY_PERIOD + (_BY_LIKELIHOOD if preference and preferences.get(preference).compared else ""))
    for reason, count in run.left_out().items():
        talk(f"Skipped {counted(count, 'item')}: {reason}")
    if not rows:
        talk(scores.nothing_yet)
