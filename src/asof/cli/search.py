"""``asof search``: settings for a scorer, chosen on valid."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof import registry
from asof.api.any_model import needs_torch
from asof.cli.options import json_option
from asof.cli.output import counted, show, talk, write_json
from asof.cli.settings import read_value, split_pairs
from asof.cli.trained_models import PROTOCOLS, tell_unread
from asof.errors import UserError

if TYPE_CHECKING:
    from asof.completion.training.search import Trial, ValueRange

_EXAMPLES = """\b
Examples:
  asof search timeplex-base YAGO11k --set rank=50,100 --set squares=0.001..0.1 --tries 8
"""


@click.command("search", epilog=_EXAMPLES)
@click.argument("scorer")
@click.argument("location", metavar="BASE|DATASET")
@click.option("--to", "folder", type=click.Path(path_type=Path), help="The folder (default: searches/DATASET-SCORER).")
@click.option("--protocol", type=click.Choice(PROTOCOLS), default="corrected", show_default=True)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUES",
    help="A setting with one value (rank=50), several (rank=50,100) or a range (squares=0.001..0.1); may be repeated.",
)
@click.option("--tries", type=click.IntRange(min=1), default=10, show_default=True, help="The number of trials.")
@click.option("--seed", type=int, default=0, show_default=True, help="The random seed.")
@json_option
def command(
    scorer: str,
    location: str,
    folder: Path | None,
    protocol: str,
    settings: tuple[str, ...],
    tries: int,
    seed: int,
    as_json: bool,
) -> None:
    """Run a random hyper-parameter search for a scorer.

    The best settings are chosen on valid. Each trial is a trained model. A search that was stopped is resumed by the
    same command. The test split is not used.
    """
    needs_torch()
    from asof.completion.trained.planning import read_location
    from asof.completion.training.plan import settings_of
    from asof.completion.training.search import ValueChoice, ValueRange, search

    registry.scorers.get(scorer)
    known = settings_of(scorer)
    fixed: dict[str, Any] = {}
    ranges: dict[str, ValueChoice | ValueRange] = {}
    for pair, key, text in split_pairs(scorer, known, settings):
        if ".." in text:
            ranges[key] = _read_range(pair, text, known[key])
        elif "," in text:
            ranges[key] = ValueChoice([read_value(pair, word, known[key]) for word in text.split(",")])
        else:
            fixed[key] = read_value(pair, text, known[key])
    dataset, where = read_location(location, protocol)
    tell_unread(dataset)

    def on_progress(trial: "Trial") -> None:
        if not as_json:
            talk(
                f"{_said(trial.drawn)}: "
                + (f"MRR {trial.valid['mrr']:.4f} on valid" if trial.valid else "failed: loss NaN")
            )

    target = folder or Path("searches") / f"{dataset.name}-{scorer}"
    found = search(target, scorer, dataset, where, ranges, fixed=fixed, tries=tries, seed=seed, on_progress=on_progress)
    rows = [
        {**one.drawn, "mrr": round(one.valid["mrr"], 4) if one.valid else None, "model": str(one.folder)}
        for one in found
    ]
    if as_json:
        for row in rows:
            write_json(row)
        return
    show(rows, columns=list(rows[0]), as_json=False)
    if found[0].valid:
        talk(f"Best of {counted(len(found), 'try', 'tries')} on valid: {_said(found[0].drawn)}; {found[0].folder}")


def _read_range(pair: str, text: str, wanted: Any) -> "ValueRange":
    from asof.completion.training.search import ValueRange

    if wanted not in (int, float):
        raise UserError(f"--set {pair}: a range works only for numbers. Separate the values with commas.")
    low, high = (read_value(pair, end, wanted) for end in text.split("..", 1))
    if low >= high:
        raise UserError(f"--set {pair}: {low} is not below {high}.")
    return ValueRange(low, high, whole=wanted is int)


def _said(drawn: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in drawn.items())
