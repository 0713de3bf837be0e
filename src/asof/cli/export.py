"""``asof export``: a benchmark in the form of another tool."""

from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import click

from asof import registry
from asof.benchmarks import read_benchmark
from asof.cli.options import base_option, json_option
from asof.cli.output import talk, write_json
from asof.cli.settings import read_settings
from asof.errors import UserError, did_you_mean
from asof.export import ExportRequest, Form, export
from asof.probes import open_probe, types_of_settings
from asof.teaching.date_pool import HoldOut

_EXAMPLES = """\b
Examples:
  asof export timestress --as lm-eval -o task
  asof export timeqa --as huggingface -o dataset --license cc0-1.0
  asof export runs/timestress-smollm2-raw --as preferences -o pairs
"""


@click.command("export", epilog=_EXAMPLES)
@click.argument("benchmark", metavar="BENCHMARK|RUN", type=click.Path(path_type=Path))
@click.option("--as", "form", required=True, metavar="FORM", help="The format: see asof list export, asof list sets.")
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
@base_option
@json_option
def command(
    benchmark: Path,
    form: str,
    folder: Path | None,
    name: str | None,
    licence: str | None,
    probe: str | None,
    settings: tuple[str, ...],
    base: str,
    as_json: bool,
) -> None:
    """Export a benchmark, or the facts that a run found wrong as a training set, to another tool.

    Formats of a benchmark are lm-eval, Inspect, Hugging Face, Croissant and CSV. Training sets are edits, chat and
    preferences: of the facts in --base that a benchmark asks about, or that a run found wrong, outdated or not
    robust. The folder is written completely or not at all, needs no network, and may be moved; an earlier export in the
    same place is replaced. Names and prompts are identical in every format.
    """
    if form in registry.sets.names():
        _training_set(benchmark, form, folder, base, settings, as_json)
        return
    if form not in registry.export.names():
        known = [*registry.export.names(), *registry.sets.names()]
        raise UserError(
            f"No export is called {form!r}.{did_you_mean(form, known)}\nKnown: {', '.join(known)}. "
            "See: asof list export, asof list sets"
        )
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


def _training_set(
    given: Path, form: str, folder: Path | None, base: str, settings: tuple[str, ...], as_json: bool
) -> None:
    """Write the facts of a benchmark, or those that a run has wrong, as a training set."""
    from asof.teaching.plan import TeachingPlan
    from asof.teaching.sets import SetRequest, write_set
    from asof.teaching.settings import TeachingSettings

    held = {"hold_out": HoldOut, "hold_out_wording": bool}
    read = read_settings(form, {"dates": int, "seed": int, **held, "templates": str, "language": str}, settings)
    own = {name: read.pop(name) for name in held if name in read}
    words = {name: read.pop(name) for name in ("templates", "language") if name in read}
    teaching = TeachingSettings.chosen(
        {"hold_out": "none", "hold_out_wording": False, **own, "seed": read.get("seed", 0)}
    )
    is_run = (given / "settings.toml").is_file()
    plan = TeachingPlan.of(base=base, **{"run" if is_run else "benchmark": given}, **words, settings=teaching)
    lesson = plan.lesson()
    target = folder or Path(f"{given.resolve().name}-{form}")
    told = write_set(registry.sets.get(form)(), lesson, SetRequest(**read), target)
    if as_json:
        write_json({"folder": str(target), "form": form, "facts": len(lesson.taught), "notes": told})
        return
    talk(f"{target} holds {len(lesson.taught):,} facts of {given} as {form}.")
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
