"""``asof export``: a benchmark in the form of another tool."""

from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import click

from asof import registry
from asof.benchmarks import read_benchmark
from asof.cli.options import json_option
from asof.cli.output import talk, write_json
from asof.cli.settings import read_settings
from asof.errors import UserError
from asof.export import ExportRequest, Form, export
from asof.probes import open_probe, types_of_settings

_EXAMPLES = """\b
Examples:
  asof export timestress --as lm-eval -o task
  asof export timeqa --as huggingface -o dataset --license cc0-1.0
"""


@click.command("export", epilog=_EXAMPLES)
@click.argument("benchmark", type=click.Path(path_type=Path))
@click.option("--as", "form", required=True, metavar="FORM", help="The form: asof list export.")
@click.option(
    "-o", "--to", "folder", type=click.Path(path_type=Path), help="The folder to write (default: BENCHMARK-FORM)."
)
@click.option("--name", metavar="NAME", help="What it is called in the other tool (default: asof_BENCHMARK).")
@click.option("--license", "licence", metavar="SPDX", help="That of the facts, such as cc0-1.0 for Wikidata.")
@click.option("--probe", metavar="NAME", help="How items are put to a model, where the form does that.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the form or of the probe.")
@json_option
def command(
    benchmark: Path,
    form: str,
    folder: Path | None,
    name: str | None,
    licence: str | None,
    probe: str | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write a benchmark as another tool reads it.

    The folder is written whole or not at all, needs no network, and may be moved; an earlier export in its place is
    replaced. Names and prompts are the same to the letter in every form.
    """
    opened = read_benchmark(benchmark)
    kind = registry.export.get(form)
    for_form, for_probe = _parted(kind, form, probe or opened.probe, settings)
    if probe and not kind.asks:
        raise UserError(f"{form} holds the items alone and asks no model. Leave out --probe.")
    wanted = ExportRequest(
        benchmark=opened,
        name=name or f"asof_{opened.name.replace('-', '_')}",
        licence=licence,
        probe=open_probe(probe or opened.probe, for_probe) if probe or for_probe else None,
    )
    target = folder or Path(f"{benchmark.resolve().name}-{form}")
    told = export(kind(**for_form), wanted, target)
    if as_json:
        write_json({"folder": str(target), "form": form, "name": wanted.name, "notes": told})
        return
    talk(f"{target} holds {benchmark} as {form}.")
    for sentence in told:
        talk(sentence)


def _parted(kind: type[Form], form: str, probe: str, pairs: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read --set and tell the settings of the form from those of the probe."""
    types = get_type_hints(kind)
    of_form = {one.name: types[one.name] for one in fields(kind)}  # type: ignore[arg-type]
    of_probe = types_of_settings(probe) if kind.asks and pairs else {}
    read = read_settings(f"{form} with {probe}" if of_probe else form, of_form | of_probe, pairs)
    return (
        {key: value for key, value in read.items() if key in of_form},
        {key: value for key, value in read.items() if key not in of_form},
    )
