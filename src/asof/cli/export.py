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
@click.option("--as", "form", required=True, metavar="FORM", help="The format: see asof list export.")
@click.option(
    "-o", "--to", "folder", type=click.Path(path_type=Path), help="The folder to write (default: BENCHMARK-FORM)."
)
@click.option(
    "--name", metavar="NAME", help="The name of the task or dataset in the other tool (default: asof_BENCHMARK)."
)
@click.option("--license", "licence", metavar="SPDX", help="The licence of the facts, such as cc0-1.0 for Wikidata.")
@click.option("--probe", metavar="NAME", help="The probe: how a model is asked, for formats that ask one.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of the format or of the probe; may be repeated.",
)
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
    """Export a benchmark to another tool.

    Formats are lm-eval, Inspect, Hugging Face, Croissant and CSV. The folder is written completely or not at all, needs
    no network, and may be moved; an earlier export in the same place is replaced. Names and prompts are identical in
    every format.
    """
    opened = read_benchmark(benchmark)
    kind = registry.export.get(form)
    for_form, for_probe = _parted(kind, form, probe or opened.probe, settings)
    if probe and not kind.asks:
        raise UserError(f"{form} holds only the items and asks no model. Omit --probe.")
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
