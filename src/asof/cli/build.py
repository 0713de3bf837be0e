"""``asof build``: a benchmark from a base."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from asof import registry
from asof.benchmarks import build
from asof.cli.options import base_option, json_option, open_base
from asof.cli.output import counted, talk
from asof.errors import UserError, did_you_mean
from asof.wording import Wording


@click.command("build")
@click.argument("name")
@click.option(
    "--to", "folder", type=click.Path(path_type=Path), help="The folder for the benchmark (default: its name)."
)
@click.option("--limit", type=click.IntRange(min=1), help="So many facts, the most popular first.")
@click.option("--seed", type=int, help="For everything that is drawn at random.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any other setting of the benchmark.")
@click.option("--language", default="en", show_default=True, help="The language of prompts.")
@base_option
@json_option
def command(
    name: str,
    folder: Path | None,
    limit: int | None,
    seed: int | None,
    settings: tuple[str, ...],
    language: str,
    base: str,
    as_json: bool,
) -> None:
    """Make a benchmark from the facts of a base.

    The same base, settings and seed give the same files, to the byte.
    """
    kind = registry.benchmarks.get(name)
    given = {"facts": limit, "seed": seed}
    chosen = {key: value for key, value in given.items() if value is not None} | _read_settings(kind, settings)
    made = build(folder or Path(name), kind(**chosen), open_base(base), Wording(language=language))
    if as_json:
        click.echo(json.dumps({"folder": str(made.folder), "items": made.items_count, "facts": made.groups_count}))
    else:
        talk(f"{made.folder} holds {counted(made.items_count, 'item')} on {counted(made.groups_count, 'fact')}.")


def _read_settings(kind: Any, pairs: tuple[str, ...]) -> dict[str, Any]:
    known = {field.name: field for field in fields(kind)}
    found: dict[str, Any] = {}
    for pair in pairs:
        key, sign, text = pair.partition("=")
        if not sign or key not in known:
            hint = did_you_mean(key, known)
            raise UserError(
                f"{kind.name} has no setting {key!r}.{hint} It has: {', '.join(known)}. Write --set KEY=VALUE."
            )
        default: Any = known[key].default
        try:
            found[key] = type(default)(text) if default is not None else text
        except ValueError:
            raise UserError(f"--set {pair}: {text!r} is no {type(default).__name__}.") from None
    return found
