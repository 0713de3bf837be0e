"""``asof report``: one page with the figures of some runs."""

import json
from pathlib import Path

import click

from asof.cli.options import json_option
from asof.cli.output import counted, talk
from asof.reports import write_report


@click.command("report")
@click.argument("folders", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--to",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("report"),
    show_default=True,
    help="The folder for the page.",
)
@click.option("--seed", type=int, default=0, help="For resampling.")
@json_option
def command(folders: tuple[Path, ...], folder: Path, seed: int, as_json: bool) -> None:
    """Make a page of one or several runs: the figures of the TimeStress paper, and every fact with its dates.

    The page is one file that opens from disk and loads nothing from elsewhere.
    """
    path = write_report(folders, folder, seed=seed)
    if as_json:
        click.echo(json.dumps({"page": str(path), "runs": len(folders), "bytes": path.stat().st_size}))
    else:
        talk(f"{path} shows {counted(len(folders), 'run')}. Open it in a browser.")
