"""``asof run``: a benchmark put to a model."""

import json
from pathlib import Path

import click

from asof.benchmarks import read_benchmark
from asof.cli.options import json_option, limit_option
from asof.cli.output import talk
from asof.cli.progress import progress_bar
from asof.cli.settings import read_settings
from asof.models import open_model, settings_of
from asof.probes.answer_likelihood import formats, requests_for
from asof.runs.folder import short_name
from asof.runs.runner import run


@click.command("run")
@click.argument("benchmark", type=click.Path(path_type=Path))
@click.argument("model")
@click.option("--to", "folder", type=click.Path(path_type=Path), help="The run folder (default: runs/BENCHMARK-MODEL).")
@click.option("--format", "prompt_format", type=click.Choice(formats()), default="raw", show_default=True)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the model: in_flight=32.")
@click.option("--dry-run", is_flag=True, help="Count items and tokens, score nothing.")
@limit_option
@json_option
def command(
    benchmark: Path,
    model: str,
    folder: Path | None,
    prompt_format: str,
    settings: tuple[str, ...],
    dry_run: bool,
    limit: int | None,
    as_json: bool,
) -> None:
    """Put a benchmark to a language model.

    MODEL is a folder, a hub name, a .gguf file, or the name of weights that 'asof models get' fetched. --limit counts
    facts. Stopped at any moment, the same command goes on where it was.
    """
    opened = read_benchmark(benchmark)
    asked = open_model(model, **(read_settings(model, settings_of(model), settings) if settings else {}))
    target = folder or Path("runs") / f"{benchmark.name}-{short_name(model)}-{prompt_format}"
    if dry_run:
        items = list(opened.items(limit=limit))
        requests = requests_for(items[:1000], asked, prompt_format)  # type: ignore[arg-type]
        tokens = sum(asked.count_tokens([request.text for request in requests]))  # type: ignore[attr-defined]
        total = tokens * len(items) // max(1, len(requests))
        talk(f"{len(items):,} items, about {total:,} tokens, for {asked.name}; nothing was scored.")
        return
    with progress_bar("scoring", unit="items") as progress:
        finished = run(opened, asked, target, format=prompt_format, limit=limit, progress=progress)
    if as_json:
        click.echo(json.dumps({"run": str(finished.folder), "predictions": len(finished.predictions())}))
    else:
        talk(
            f"{len(finished.predictions()):,} predictions are in {finished.folder}. Next: asof score {finished.folder}"
        )
