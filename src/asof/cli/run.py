"""``asof run``: a benchmark put to a model."""

from pathlib import Path
from typing import Any, Literal

import click

from asof import registry
from asof.benchmarks import Benchmark, documents, read_benchmark
from asof.cli.options import json_option
from asof.cli.output import talk, write_json
from asof.cli.progress import progress_bar
from asof.cli.settings import read_settings
from asof.cli.trained_models import needs_torch
from asof.errors import UserError
from asof.models import Model, open_model, settings_of
from asof.probes import Probe, open_probe, types_of_settings
from asof.probes.answer_likelihood import AnswerLikelihood, formats, requests_for
from asof.runs.folder import short_name
from asof.runs.runner import fit_items, run

_EXAMPLES = """\b
Examples:
  asof run timestress smollm2 --limit 100
  asof run templama FOLDER --probe fill-many --set search=beam --set width=5
"""


@click.command("run", epilog=_EXAMPLES)
@click.argument("benchmark", type=click.Path(path_type=Path))
@click.argument("model")
@click.option("--to", "folder", type=click.Path(path_type=Path), help="The run folder (default: runs/BENCHMARK-MODEL).")
@click.option("--probe", "probe_name", metavar="NAME", help="How items are put to the model: asof list probes.")
@click.option("--format", "prompt_format", type=click.Choice(formats()), help="Of the prompt, for answer-likelihood.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of the probe or of the model: width=5, in_flight=32.",
)
@click.option("--dry-run", is_flag=True, help="Count items and tokens, score nothing.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="At most so many facts, each with all its items (dynamic-templama, templama, timeqa: so many pairs of subject "
    "and relation).",
)
@json_option
def command(
    benchmark: Path,
    model: str,
    folder: Path | None,
    probe_name: str | None,
    prompt_format: str | None,
    settings: tuple[str, ...],
    dry_run: bool,
    limit: int | None,
    as_json: bool,
) -> None:
    """Put a benchmark to a language model.

    MODEL is a folder, a hub name, a .gguf file, or the name of weights that 'asof models get' fetched; whether it is
    causal, masked or sequence-to-sequence is read from its configuration. A reader answers from the pages of the
    benchmark (temporal:FOLDER) or from facts (facts:almanac), see 'asof list readers'. memorized:FOLDER is a model that
    'asof train memorize' taught. Stopped at any moment, the same command goes on where it was.
    """
    opened = read_benchmark(benchmark)
    name = probe_name or opened.probe
    if prompt_format and name != AnswerLikelihood.name:
        raise UserError(f"--format is for {AnswerLikelihood.name}; {name} has none. Leave it out.")
    for_probe, for_model = _parted(model, name, settings)
    probe = open_probe(name, for_probe | ({"format": prompt_format} if prompt_format else {}))
    asked = _opened(model, for_model, opened)
    way = probe.format if isinstance(probe, AnswerLikelihood) else name
    target = folder or Path("runs") / f"{benchmark.name}-{short_name(model)}-{way}"
    if dry_run:
        talk(_counted(opened, asked, probe, limit))
        return
    with progress_bar("scoring", unit="items") as progress:
        finished = run(
            opened,
            asked,
            target,
            probe=probe,
            limit=limit,
            progress=progress,
            told=(lambda sentence: None) if as_json else talk,
        )
    found = len(finished.predictions())
    if as_json:
        told = {"run": str(finished.folder), "probe": name, "predictions": found, "left_out": finished.left_out()}
        write_json(told)
    else:
        talk(f"{found:,} predictions are in {finished.folder}. Next: asof score {finished.folder}")


def _kind(model: str) -> Literal["memorized", "reader", "model"]:
    """Tell by what stands before the colon how something is opened."""
    kind, _, place = model.partition(":")
    if kind == "memorized" and place:
        return "memorized"
    return "reader" if kind in registry.readers.names() else "model"


def _opened(model: str, settings: dict[str, Any], benchmark: Benchmark) -> Model:
    """Open a model, or a reader, which gets the documents of the benchmark."""
    kind = _kind(model)
    if kind == "memorized":
        needs_torch()
        from asof.memorize.as_model import MemorizedModel

        return MemorizedModel(model.removeprefix("memorized:"))
    if kind == "reader":
        from asof.reading.answers import open_reader
        from asof.reading.as_model import ReaderAsModel

        return ReaderAsModel(open_reader(model), documents(benchmark))
    return open_model(model, **settings)


def _parted(model: str, probe: str, pairs: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read --set and tell the settings of the probe from those of the model."""
    if not pairs:
        return {}, {}
    of_probe, of_model = types_of_settings(probe), settings_of(model) if _kind(model) == "model" else {}
    read = read_settings(f"{model} with {probe}", of_probe | of_model, pairs)
    return (
        {key: value for key, value in read.items() if key in of_probe},
        {key: value for key, value in read.items() if key not in of_probe},
    )


def _counted(benchmark: Benchmark, model: Model, probe: Probe, limit: int | None) -> str:
    fit = fit_items(benchmark, model, probe, limit=limit)
    told = f"{len(fit.items):,} items"
    if isinstance(probe, AnswerLikelihood):
        requests = requests_for(fit.items[:1000], model, probe.format)  # type: ignore[arg-type]
        tokens = sum(model.count_tokens([request.text for request in requests]))  # type: ignore[attr-defined]
        told += f", about {tokens * len(fit.items) // max(1, len(requests)):,} tokens"
    return f"{told}, for {model.name}; nothing was scored.\n{fit}".strip()
