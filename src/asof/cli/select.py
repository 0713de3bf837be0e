"""``asof select``: the facts that a paper's recipe takes from a base, as a base of their own."""

import time
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import click

from asof import registry
from asof.api.progress import progress_bar
from asof.cli.options import base_option, engine_option, json_option, open_base
from asof.cli.output import counted, talk, write_json
from asof.cli.settings import read_settings
from asof.facts.engines import open_engine
from asof.facts.recipes import RecipeSelection, select

_EXAMPLES = """\b
Examples:
  asof select timeqa --to histories
  asof select dynamic-templama --base wikidata --to drift --set subjects=5000 --engine spark
"""


@click.command("select", epilog=_EXAMPLES)
@click.argument("recipe")
@click.option(
    "--to", "folder", type=click.Path(path_type=Path), help="The folder for the new base (default: the recipe's name)."
)
@click.option("--seed", type=int, help="The random seed, for recipes that sample.")
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any other setting of the recipe; may be repeated."
)
@engine_option
@click.option("--dry-run", is_flag=True, help="Only count what each rule leaves; write nothing.")
@base_option
@json_option
def command(
    recipe: str,
    folder: Path | None,
    seed: int | None,
    settings: tuple[str, ...],
    engine: str,
    dry_run: bool,
    base: str,
    as_json: bool,
) -> None:
    """Select facts from a base by the rules of a paper.

    RECIPE is one of 'asof list recipes'. The result is a base like any other; its manifest says the recipe, its
    settings and the hash of the base it comes from. The same base and settings give the same files, to the byte, on
    every engine.
    """
    kind = registry.recipes.get(recipe)
    pairs = [*settings, *([] if seed is None else [f"seed={seed}"])]
    chosen = kind(**read_settings(kind.name, _settings_of(kind), pairs))
    target, store = folder or Path(recipe), open_base(base)
    began = time.monotonic()
    with progress_bar("selecting", unit="facts") as progress:
        done = 0

        def advance(rows: int) -> None:
            nonlocal done
            done += rows
            progress(done)

        found = select(chosen, store, open_engine(engine), target, on_progress=advance, dry_run=dry_run)
    _tell(found, target, store.manifest.rows("facts"), time.monotonic() - began, as_json=as_json)


def _tell(selection: RecipeSelection, folder: Path, before: int, seconds: float, *, as_json: bool) -> None:
    counts = (
        {name: selection.manifest.rows(name) for name in ("facts", "entities", "relations")}
        if selection.manifest
        else {}
    )
    if as_json:
        told = {"base": str(folder) if selection.manifest else None, **counts, "rules": selection.left}
        write_json(told | {"from": before, "seconds": round(seconds, 2)})
        return
    talk(f"{before:>12,} facts in the base, of which")
    for words, left in selection.left.items():
        talk(f"{left:>12,} {words}")
    if selection.manifest:
        things = ", ".join(
            (
                counted(counts["facts"], "fact"),
                counted(counts["entities"], "entity", "entities"),
                counted(counts["relations"], "relation"),
            )
        )
        talk(f"{folder} holds {things} ({seconds:.2f} s).")


def _settings_of(kind: Any) -> dict[str, Any]:
    types = get_type_hints(kind)
    return {field.name: types[field.name] for field in fields(kind)}
