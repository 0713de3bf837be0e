"""``asof rank``: how good a trained model is."""

from pathlib import Path

import click

from asof.cli.options import json_option
from asof.cli.output import counted, show, talk, write_json
from asof.cli.trained_models import model_argument, open_model, warn_of_valid

_FILTERS = ("none", "any-time", "same-interval", "instants")


@click.command("rank")
@model_argument
@click.option("--split", type=click.Choice(["valid", "test"]), default="test", show_default=True)
@click.option(
    "--filter",
    "chosen",
    type=click.Choice([*_FILTERS, "all"]),
    default="all",
    show_default=True,
    help="Which other right answers are removed from the ranking; may be repeated.",
)
@click.option("--ties", type=click.Choice(["against", "mean"]), help="Default: the filters of the model's protocol.")
@click.option(
    "--instants",
    type=click.Choice(["start", "mean"]),
    help="Score a fact at its start or over its interval (default: the protocol's rule).",
)
@click.option(
    "--intervals/--no-intervals",
    "with_intervals",
    default=None,
    help="Also predict intervals (default: if facts of the split last longer than an instant).",
)
@json_option
def command(
    folder: Path,
    split: str,
    chosen: str,
    ties: str | None,
    instants: str | None,
    with_intervals: bool | None,
    as_json: bool,
) -> None:
    """Evaluate link prediction (MRR, hits@k) and intervals.

    Filters: 'none'; 'any-time' takes out what is right at any time; 'same-interval' what is right in exactly the asked
    interval; 'instants' what is right, instant by instant, averaged (Jain et al. 2020, section 3.2). Intervals are
    those of facts with both ends; thresholds are learnt on valid.
    """
    trained = open_model(folder)
    warn_of_valid(trained, split)
    from asof.completion.interval_prediction import INTERVAL_METRICS
    from asof.completion.trained.measures import link_results, time_results, why_no_intervals

    filters = _FILTERS if chosen == "all" else (chosen,)
    links = link_results(trained, split, filters, ties=ties, instants=instants)  # type: ignore[arg-type]
    if with_intervals is None:
        facts = trained.dataset.split(split)
        with_intervals = bool((facts.dated & (facts.end > facts.start)).any())
    times = time_results(trained, split) if with_intervals else None
    if as_json:
        for row in links:
            write_json({"measures": "links", **row})
        if times:
            write_json({"measures": "intervals", **times})
        return
    first = links[0]
    talk(
        f"{trained.plan.scorer} on {split} of {trained.dataset.name}: {counted(first['queries'], 'question')} about "
        f"{counted(first['facts'], 'fact')}; protocol {first['protocol']}, ties {first['ties']}, "
        f"instants {first['instants']}."
    )
    columns = ["filter", "mrr", "mrr_low", "mrr_high", "mrr_object", "mrr_subject", "hits@1", "hits@3", "hits@10"]
    show(({name: row[name] for name in columns} for row in links), columns=columns, as_json=False)
    if not with_intervals:
        talk("No intervals: they were not asked for, or every fact with both ends is an instant (--intervals).")
        return
    if times is None:
        talk(f"No intervals: {why_no_intervals(trained)}.")
        return
    click.echo()
    talk(f"Intervals of {counted(times['facts'], 'fact')} with both ends; of the first k, the best counts.")
    rows = [
        {"measure": name, **{f"@{k}": times[f"{name}@{k}"] for k in (1, 10) if f"{name}@{k}" in times}}
        for name in INTERVAL_METRICS
    ]
    show(rows, columns=list(rows[0]), as_json=False)
