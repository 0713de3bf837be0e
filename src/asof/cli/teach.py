"""``asof teach``: facts with their time into the weights of a language model, and what that did."""

import sys
from pathlib import Path
from typing import Any

import click

from asof import registry
from asof.api.any_model import needs_torch
from asof.api.progress import BarUpdate, progress_bar
from asof.cli.failures import says_what_is_kept, training_kept
from asof.cli.options import base_option, json_option
from asof.cli.output import counted, show, talk
from asof.cli.settings import read_settings
from asof.runs.folder import short_name
from asof.teaching.measurement import before_and_after

_EXAMPLES = """\b
Examples:
  asof teach smollm2 --limit 20 --to taught
  asof teach FOLDER --base my-base --run runs/timestress-FOLDER-raw --to taught
  asof teach smollm2 --relation "head of government" --objective update --since 2020 --to updated
  asof teach taught --measure
  asof report taught -o page
"""
_CLEARLY = 1.03  # perplexity varies by less between ways of computing


@click.command("teach", epilog=_EXAMPLES)
@click.argument("model")
@base_option
@click.option(
    "--run", type=click.Path(path_type=Path), help="Teach only what this run found wrong, outdated or not robust."
)
@click.option(
    "--benchmark", type=click.Path(path_type=Path), help="Teach only the facts that this benchmark asks about."
)
@click.option("--relation", metavar="NAME", help="Teach only facts of this relation.")
@click.option("--since", metavar="DATE", help="Teach only facts that took the place of others at this date or later.")
@click.option("--limit", type=click.IntRange(min=1), help="At most this many facts, drawn by --seed.")
@click.option("--to", "folder", type=click.Path(path_type=Path), help="The folder (default: trained/MODEL-taught).")
@click.option(
    "--objective",
    type=click.Choice(registry.objectives.names()),
    help="The objective (default: contrast): see asof list objectives.",
)
@click.option("--whole", is_flag=True, default=None, help="Train all weights but the embeddings, instead of LoRA's.")
@click.option("--epochs", type=click.IntRange(min=1), help="How often each fact is shown (default: 40).")
@click.option("--seed", type=int, help="The random seed.")
@click.option(
    "--device", default="cpu", show_default=True, metavar="NAME", help="Where to teach: cpu, cuda, cuda:1, mps."
)
@click.option(
    "--dtype",
    type=click.Choice(["auto", "float32", "bfloat16"]),
    default="auto",
    show_default=True,
    help="The precision of computing; weights stay in float32. auto: bfloat16 where the processor has it.",
)
@click.option("--language", help="The language of the questions (default: that of the benchmark or the run, or en).")
@click.option(
    "--templates",
    type=click.Path(path_type=Path),
    help="A TOML file of questions that go before asof's (default: that of the benchmark).",
)
@click.option("--prose", type=click.Path(path_type=Path), help="A text file to stay close on and measure perplexity.")
@click.option("--measure", is_flag=True, help="Teach nothing: measure MODEL, a folder that was taught, again.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Any other setting, such as margin, rank or hold_out=none; may be repeated.",
)
@json_option
def command(
    model: str,
    base: str,
    run: Path | None,
    benchmark: Path | None,
    relation: str | None,
    since: str | None,
    limit: int | None,
    folder: Path | None,
    device: str,
    dtype: str,
    language: str | None,
    templates: Path | None,
    prose: Path | None,
    measure: bool,
    settings: tuple[str, ...],
    as_json: bool,
    **given: Any,
) -> None:
    """Teach a language model facts with the time in which they hold.

    Right dates are made likelier than wrong ones, and the model is kept as it was elsewhere. Odd years and one wording
    of each question are held out, so that the table at the end shows what carries over: before and after, at dates that
    were taught and that were not, in other words, for facts that were not taught, and for prose. To teach every year,
    give --set hold_out=none --set hold_out_wording=false. A stopped teaching is resumed by the same command and ends
    with the same weights. The folder is opened by 'asof run' like any model.
    """
    needs_torch()
    if measure:
        _measure_again(model, device, dtype, as_json)
        return
    from asof.teaching.folder import teach_into
    from asof.teaching.plan import TeachingPlan
    from asof.teaching.settings import TeachingSettings
    from asof.training.crew import is_first_process

    chosen = {name: value for name, value in given.items() if value is not None}
    chosen |= read_settings("asof teach", TeachingSettings.types(), settings)
    plan = TeachingPlan.of(
        base=base, run=run, benchmark=benchmark, relation=relation, since=since, limit=limit,
        language=language, templates=templates, prose=prose, settings=TeachingSettings.chosen(chosen),
    )  # fmt: skip
    target = folder or Path("trained") / f"{short_name(model)}-taught"
    quiet = as_json or not is_first_process()
    with says_what_is_kept(lambda: training_kept(target)), progress_bar("teaching", quiet=quiet) as progress:
        taught = teach_into(
            target,
            model,
            plan,
            device=device,
            dtype=dtype,
            on_message=(lambda sentence: None) if as_json else talk,
            on_progress=lambda row: _tell_epoch(row, quiet=as_json),
            on_step=lambda done, total, note: progress(done, total, note=note, what="teaching"),
            on_measure=lambda done, total: progress(done, total, what="measuring"),
        )
    if not is_first_process():
        return
    rows = taught.rows()
    _show(rows, as_json)
    if as_json:
        return
    told = taught.card["training"]
    talk(
        f"{target} was taught {counted(len(taught.card['facts']), 'fact')} in {counted(told['steps'], 'step')} "
        f"({told['cpu_seconds'] / 60:.1f} CPU minutes)."
    )
    for sentence in damage(rows):
        talk(sentence)
    talk(f"Next: asof run BENCHMARK {target}, or asof report {target}")


def _measure_again(model: str, device: str, dtype: str, as_json: bool) -> None:
    from asof.teaching.folder import measure_again

    with progress_bar("measuring", quiet=as_json) as progress:
        before, now = measure_again(Path(model), device=device, dtype=dtype, on_measure=_in(progress))
    _show(before_and_after(before, now), as_json)


def _in(progress: BarUpdate) -> Any:
    return lambda done, total: progress(done, total)


def _tell_epoch(row: dict[str, Any], *, quiet: bool) -> None:
    """Say how it goes where nobody watches a bar: each tenth of the epochs."""
    tenth = max(1, row["epochs"] // 10)
    if quiet or sys.stderr.isatty() or (row["epoch"] % tenth and row["epoch"] != row["epochs"]):
        return
    left = (row["epochs"] - row["epoch"]) * row["seconds"] / 60
    won = f", pairs won {row['won']:.3f}" if "won" in row else ""
    talk(f"epoch {row['epoch']} of {row['epochs']}: loss {row['loss']:.3f}{won}, about {left:.1f} minutes left")


def _show(rows: list[dict[str, Any]], as_json: bool) -> None:
    show(rows, columns=["metric", "before", "value", "low", "high", "difference", "facts"], as_json=as_json)


def damage(rows: list[dict[str, Any]]) -> list[str]:
    """Say what became worse beyond what teaching is for: other facts, and prose."""
    told = []
    for row in rows:
        name, before, after = row["metric"], row["before"], row["value"]
        if name == "win-rate, facts not taught" and row["difference_high"] < 0:
            told.append(f"Caution: the win rate of facts not taught went down by {-row['difference']:.3f}.")
        if name.startswith("perplexity") and after > before * _CLEARLY:
            told.append(f"Caution: the perplexity of prose rose from {before:.2f} to {after:.2f}.")
    return told
