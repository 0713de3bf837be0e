"""``asof train memorize``: a network that learns the statements of a benchmark by heart."""

import sys
from pathlib import Path
from typing import Any

import click

from asof.api.any_model import needs_torch
from asof.api.progress import progress_bar
from asof.benchmarks import read_benchmark
from asof.cli.failures import says_what_is_kept, training_kept
from asof.cli.options import json_option
from asof.cli.output import counted, talk, write_json
from asof.cli.settings import read_settings

_EXAMPLES = """\b
Examples:
  asof build lama-tk --base my-base --to statements
  asof train memorize statements --to taught
  asof train memorize statements --size minilm --time-masking 10 --to from-minilm
  asof recite taught "Angela Merkel held the position of _X_ from 2005 to 2021."
"""


@click.command("memorize", epilog=_EXAMPLES)
@click.argument("benchmark", type=click.Path(path_type=Path))
@click.option(
    "--to", "folder", type=click.Path(path_type=Path), help="The folder (default: trained/BENCHMARK-memorize)."
)
@click.option(
    "--size",
    metavar="NAME",
    help="tiny, small (default), medium, large, 64x2 (width, layers); an encoder: minilm, minilm-half, FOLDER, HUB.",
)
@click.option("--start", type=click.Choice(["pretrained", "random"]), help="The initial weights of an encoder.")
@click.option(
    "--objective",
    type=click.Choice(["set", "one", "each"]),
    help="The training target: all right answers as one distribution (default), the hidden one as in the paper, "
    "or each alone.",
)
@click.option(
    "--time-masking",
    type=click.FloatRange(0, 100),
    help="The percentage of statements whose other time is masked (default: 0).",
)
@click.option(
    "--target", type=float, help="Stop when this share of the statements is recited correctly (default: 0.99)."
)
@click.option("--epochs", type=click.IntRange(min=1), help="The largest number of epochs (default: 60).")
@click.option("--seed", type=int, help="The random seed.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the statements of this many facts.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Any other setting, such as batch or learning_rate; may be repeated.",
)
@json_option
def command(
    benchmark: Path,
    folder: Path | None,
    limit: int | None,
    settings: tuple[str, ...],
    as_json: bool,
    **given: Any,
) -> None:
    """Train a language model to memorize the statements of a lama-tk benchmark.

    Every entity and every time point is one answer; names in the statement stay words. A checkpoint is written
    every half minute: the same command resumes from it and ends with the same weights.
    """
    needs_torch()
    from asof.memorize.folder import train_into
    from asof.memorize.plan import MemorizePlan, settings_of

    chosen = {name: value for name, value in given.items() if value is not None}
    chosen |= read_settings("memorize", settings_of(), settings)
    plan, opened = MemorizePlan.of(chosen), read_benchmark(benchmark)
    if "batch" not in chosen:
        plan = plan.for_statements(opened.items_count)
    target = folder or Path("trained") / f"{benchmark.name}-memorize"
    if not as_json:
        talk(f"{plan.size}, {plan.start} start, objective {plan.training.objective}: {benchmark} into {target}.")
    kept = says_what_is_kept(lambda: training_kept(target))
    with kept, progress_bar("epoch 1", quiet=as_json) as progress:
        note, epoch = "", 1

        def on_progress(row: dict[str, Any]) -> None:
            nonlocal note, epoch
            epoch = row["epoch"] + 1
            note = f"right {row['right']:.3f}" + (f", recited {row['recited']:.4f}" if "recited" in row else "")
            if not sys.stderr.isatty() and not as_json and (row["epoch"] % 5 == 0 or "recited" in row):
                talk(f"epoch {row['epoch']} of {row['epochs']}: loss {row['loss']:.3f}, {note}")

        def on_step(done: int, total: int) -> None:
            progress(done, total, note=note, what=f"epoch {epoch} of {plan.training.epochs}")

        trained = train_into(target, plan, opened, limit=limit, on_progress=on_progress, on_step=on_step)
    about = trained.about
    if as_json:
        rest = {"parameters": about["parameters"], **about["learnt"], **about["training"], **about["recited"]}
        write_json({"model": str(target), **rest})
        return
    share, every = about["recited"]["acc@1"], about["recited"]["every"]
    talk(
        f"{target} has learnt {counted(about['learnt']['statements'], 'statement')} in "
        f"{counted(about['training']['epochs'], 'epoch')} ({about['training']['statements_per_second']:,.0f} a second, "
        f"{about['parameters'] / 1e6:.1f} million parameters) and recites {share:.2%} of them right"
        + ("." if every == share else f"; of all answers, also of texts with several, {every:.2%}.")
    )
    if every < plan.training.target:
        talk("That is below the target. Give it more --epochs, or another --size, into another folder.")
    talk(f'Next: asof recite {target} "… _X_ …", or asof run {benchmark} memorized:{target}')
