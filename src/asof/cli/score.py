"""``asof score``: the metrics of a run, made again from its predictions."""

from pathlib import Path

import click

from asof.cli.options import json_option
from asof.cli.output import show, talk
from asof.runs import read_run
from asof.runs.timestress_scores import TimeStressScores


@click.command("score")
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--seed", type=int, default=0, help="For resampling.")
@json_option
def command(folder: Path, seed: int, as_json: bool) -> None:
    """Compute the metrics of a run; no model is needed.

    Every number comes with how many facts it is from and its 95 % interval, resampled by fact.
    """
    scores = TimeStressScores(read_run(folder).table())
    rows = [
        {
            "metric": name,
            "value": round(result.value, 4),
            "low": round(result.low, 4),
            "high": round(result.high, 4),
            "facts": result.n,
        }
        for name, result in scores.results(seed=seed).items()
    ]
    show(rows, columns=["metric", "value", "low", "high", "facts"], as_json=as_json)
    if not scores.facts:
        talk("No fact has right and wrong dates at all three precisions yet: let the run go on.")
