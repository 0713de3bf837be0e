"""``asof compare``: two runs on the same facts."""

from dataclasses import asdict
from pathlib import Path

import click

from asof.cli.options import json_option
from asof.cli.output import show
from asof.errors import UserError
from asof.runs import read_run
from asof.runs.compare import compare
from asof.runs.item_scores import scores_of


@click.command("compare")
@click.argument("one", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("other", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--seed", type=int, default=0, help="For resampling.")
@json_option
def command(one: Path, other: Path, seed: int, as_json: bool) -> None:
    """Compare two runs, paired by fact.

    The difference is second minus first; its interval and p-value come from resampling the facts that both have.
    """
    runs = read_run(one), read_run(other)
    if runs[0].settings["probe"] != runs[1].settings["probe"]:
        raise UserError(
            f"{one} was asked with {runs[0].settings['probe']}, {other} with {runs[1].settings['probe']}: "
            "their measures differ. Compare runs of one probe."
        )
    found = [asdict(row) for row in compare(scores_of(runs[0]), scores_of(runs[1]), seed=seed)]
    rows = [
        {key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()} for row in found
    ]
    columns = ["measure", "first", "second", "difference", "low", "high", "p", "n"]
    show(rows, columns=columns, as_json=as_json)
