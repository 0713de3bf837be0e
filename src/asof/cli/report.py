"""``asof report``: one page with the figures of some runs and trained models."""

from pathlib import Path

import click

from asof.api.any_model import needs_torch
from asof.cli.options import json_option
from asof.cli.output import counted, talk, write_json
from asof.reports import is_trained_model, write_report
from asof.teaching.card import is_taught

_EXAMPLES = """\b
Examples:
  asof report runs/timestress-smollm2-raw -o page
  asof report trained/YAGO11k-timeplex-base trained/YAGO11k-evidence -o page
  asof report trained/smollm2-taught -o page
"""


@click.command("report", epilog=_EXAMPLES)
@click.argument("folders", metavar="RUN|MODEL...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--to",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("report"),
    show_default=True,
    help="The folder for the page.",
)
@click.option(
    "--split",
    type=click.Choice(["valid", "test"]),
    default="test",
    show_default=True,
    help="For completion models: the split that they are evaluated on.",
)
@click.option(
    "--seed", type=int, default=0, help="The random seed of the sign-flip tests, and of the facts that charts show."
)
@json_option
def command(folders: tuple[Path, ...], folder: Path, split: str, seed: int, as_json: bool) -> None:
    """Make an HTML report of runs, completion models or taught models.

    For runs: the figures of the paper of the benchmark, and every fact. For models that 'asof train' made: link
    prediction under every filter, intervals, and the figures of the TIMEPLEX paper; models of one dataset are compared
    fact by fact. For models that 'asof teach' made: what was learnt, kept and damaged, before and after. The page is
    one file that opens from disk and loads nothing from elsewhere.
    """
    taught = sum(is_taught(one) for one in folders)
    models = sum(is_trained_model(one) and not is_taught(one) for one in folders)
    if models:
        needs_torch()
    path = write_report(
        folders, folder, seed=seed, split=split, on_message=(lambda sentence: None) if as_json else talk
    )
    runs = len(folders) - models - taught
    if as_json:
        write_json({"page": str(path), "runs": runs, "models": models + taught, "bytes": path.stat().st_size})
        return
    shown = [counted(runs, "run")] * bool(runs) + [counted(models, "trained model")] * bool(models)
    shown += [counted(taught, "taught model")] * bool(taught)
    talk(f"{path} shows {' and '.join(shown)}. Open it in a browser.")
