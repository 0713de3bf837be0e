"""``asof run``: a benchmark put to a model."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from asof.api.any_model import open_model, parted_settings, types_of_model_settings
from asof.api.progress import progress_bar
from asof.api.run import way_of
from asof.benchmarks import Benchmark, read_benchmark
from asof.cli.dry_run import in_sentences, what_would_be_asked
from asof.cli.failures import resumed_by, says_what_is_kept
from asof.cli.options import json_option
from asof.cli.output import counted, talk, write_json
from asof.cli.settings import read_settings, read_value
from asof.errors import UserError
from asof.models import Model
from asof.places.folders import kept_at
from asof.probes import Probe, open_probe, types_of_settings
from asof.probes.answer_likelihood import AnswerLikelihood, formats
from asof.probes.write_answer import WriteAnswer
from asof.runs.folder import Run, read_run, short_name
from asof.runs.runner import run
from asof.runs.spending import Budget, SpentError, in_words, read_prices

_LOST_SHOWN = 5  # reasons why items were lost; the run folder has all

_EXAMPLES = """\b
Examples:
  asof run timestress smollm2 --limit 100
  asof run templama FOLDER --probe fill-many --set search=beam --set width=5
  asof run timeqa smollm2 --closed-book
  asof run dynamic-templama openai-chat:https://api.openai.com/v1#gpt-4o-mini --probe write-answer --dry-run
"""
_OPTIONS_OF_MODELS = {"device": "--device", "dtype": "--dtype", "batch_size": "--batch-size"}


@click.command("run", epilog=_EXAMPLES)
@click.argument("benchmark", type=click.Path(path_type=Path))
@click.argument("model")
@click.option("--to", "folder", type=click.Path(path_type=Path), help="The run folder (default: runs/BENCHMARK-MODEL).")
@click.option("--probe", "probe_name", metavar="NAME", help="The probe: how the model is asked; see asof list probes.")
@click.option(
    "--format", "prompt_format", type=click.Choice(formats()), help="The format of the prompt, for answer-likelihood."
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of the probe or of the model, such as width=5 or in_flight=32; may be repeated.",
)
@click.option("--closed-book", is_flag=True, help="Closed-book: do not show the language model any documents.")
@click.option("--dry-run", is_flag=True, help="Only count items, calls, tokens and what they cost; ask nothing.")
@click.option("--device", metavar="NAME", help="Where a Transformers model runs: cpu, cuda, cuda:1, mps.")
@click.option("--dtype", metavar="NAME", help="The precision of a Transformers model: float32, bfloat16, float16.")
@click.option("--batch-size", metavar="N", help="How many tokens a Transformers model reads at a time.")
@click.option("--max-cost", type=click.FloatRange(min=0), help="Stop before the run costs more dollars in all.")
@click.option("--max-calls", type=click.IntRange(min=0), help="Stop before more calls than this are answered in all.")
@click.option("--prices", type=click.Path(path_type=Path), help="A TOML table of prices (default: the one of asof).")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="At most this many facts, each with all its items (dynamic-templama, templama, timeqa: pairs of subject and "
    "relation instead).",
)
@json_option
def command(
    benchmark: Path,
    model: str,
    folder: Path | None,
    probe_name: str | None,
    prompt_format: str | None,
    settings: tuple[str, ...],
    closed_book: bool,
    dry_run: bool,
    device: str | None,
    dtype: str | None,
    batch_size: str | None,
    max_cost: float | None,
    max_calls: int | None,
    prices: Path | None,
    limit: int | None,
    as_json: bool,
) -> None:
    """Evaluate a language model or a reader on a benchmark.

    MODEL is a folder, a hub name, a .gguf file, or the name of weights that 'asof models get' downloaded; whether it is
    causal, masked or sequence-to-sequence is read from its configuration. A reader answers from the pages of the
    benchmark (temporal:FOLDER) or from facts (facts:almanac), see 'asof list readers'. memorized:FOLDER is a model that
    'asof train memorize' taught. If items have documents, a language model is shown their best passages, unless you
    give --closed-book. Every prediction is kept: a run that was stopped is resumed by the same command.
    """
    opened = read_benchmark(benchmark)
    name = probe_name or opened.probe
    if prompt_format and name != AnswerLikelihood.name:
        raise UserError(f"--format works only with {AnswerLikelihood.name}, not with {name}. Omit it.")
    if closed_book and name != WriteAnswer.name:
        raise UserError(f"--closed-book works only with {WriteAnswer.name}; {name} shows no documents. Omit it.")
    for_probe, for_model = _parted(model, name, settings)
    for_model |= _of_model(model, {"device": device, "dtype": dtype, "batch_size": batch_size})
    chosen = ({"format": prompt_format} if prompt_format else {}) | ({"closed_book": True} if closed_book else {})
    probe = open_probe(name, for_probe | chosen)
    asked = open_model(model, benchmark=opened, probe=probe, **for_model)
    target = folder or Path("runs") / f"{benchmark.name}-{short_name(model)}-{way_of(probe)}"
    target = target if dry_run else click.get_current_context().with_resource(kept_at(target))
    table = read_prices(prices)
    named = str(getattr(asked, "model", "") or short_name(model))
    if dry_run:
        without = open_model(model, probe=probe, **for_model) if opened.documents_sha256 is not None else asked
        told = what_would_be_asked(opened, without, probe, limit, table, named)
        write_json(told) if as_json else talk(in_sentences(told))
        return
    budget = Budget.of(named, table, cost=max_cost, calls=max_calls)
    documents_shown = _documents_shown(opened, asked, probe)
    if documents_shown and not as_json:
        talk(documents_shown)

    def kept() -> str:
        return f"Kept in {target}: {counted(_predictions_kept(target), 'prediction')}."

    with says_what_is_kept(kept), _says_how_to_spend_more(kept), progress_bar("scoring", unit="items") as progress:
        finished = run(
            opened,
            asked,
            target,
            probe=probe,
            limit=limit,
            budget=budget,
            on_progress=progress,
            on_message=(lambda sentence: None) if as_json else talk,
        )
    found = len(finished.predictions())
    if as_json:
        told = {"run": str(finished.folder), "probe": name, "predictions": found, "left_out": finished.left_out()}
        write_json(told | {"lost": finished.lost()} | ({"documents": documents_shown} if documents_shown else {}))
    else:
        for sentence in _about_spending(finished, budget):
            talk(sentence)
        talk(f"{counted(found, 'prediction')} in {finished.folder}. Next: asof score {finished.folder}")
    if finished.lost():
        raise UserError(_about_lost(finished))


def _predictions_kept(folder: Path) -> int:
    """Count the predictions of a run that may not be finished, or not begun."""
    return len(read_run(folder).predictions()) if (folder / "settings.toml").is_file() else 0


def _about_lost(finished: Run) -> str:
    lost = finished.lost()
    some = [f"  {counted(count, 'item')}: {reason}" for reason, count in list(lost.items())[:_LOST_SHOWN]]
    more = [f"  and {len(lost) - _LOST_SHOWN:,} more reasons"] if len(lost) > _LOST_SHOWN else []
    begun = f"{counted(sum(lost.values()), 'item')} could not be read and are not in the scores:"
    return "\n".join([begun, *some, *more, "The same command asks for them again."])


def _documents_shown(benchmark: Benchmark, model: Model, probe: Probe) -> str:
    """Say what is seen of the documents of a benchmark; nothing where there are none, or something else is asked."""
    if benchmark.documents_sha256 is None or not isinstance(probe, WriteAnswer):
        return ""
    if probe.closed_book and "read" not in model.can:
        return f"Closed-book: {model.name} sees only the questions, not the documents of {benchmark.folder.name}."
    shown = model.describe().get("shown")
    if shown == "nothing":
        return f"{model.name} sees only the questions, not the documents of {benchmark.folder.name}."
    if shown:
        return f"{model.name} is shown {shown} of each document; --closed-book shows none."
    return ""


def _parted(model: str, probe: str, pairs: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read --set and tell the settings of the probe from those of the model."""
    if not pairs:
        return {}, {}
    of_model = types_of_model_settings(model)
    whose = f"{model} with {probe}"
    return parted_settings(read_settings(whose, types_of_settings(probe) | of_model, pairs), probe, of_model, whose)


def _of_model(model: str, given: dict[str, str | None]) -> dict[str, Any]:
    """Read options that are settings of some models; another model says what it has."""
    found = {}
    for name, text in given.items():
        if text is None:
            continue
        known = types_of_model_settings(model)
        if name not in known:
            has = f"Its settings are: {', '.join(known)}" if known else "It has no settings"
            raise UserError(f"{_OPTIONS_OF_MODELS[name]} does not work with {model}. {has}.")
        found[name] = read_value(f"{name}={text}", text, known[name])
    return found


@contextmanager
def _says_how_to_spend_more(kept: Callable[[], str]) -> Iterator[None]:
    try:
        yield
    except SpentError as error:
        raise UserError(f"{error} {kept()} To resume, allow more: {resumed_by()}") from error


def _about_spending(finished: Run, budget: Budget) -> list[str]:
    used, declined = finished.usage(), finished.declined()
    told = [f"Spent: {in_words(used, budget.price)}."] if used.calls else []
    for reason, count in declined.items():
        told.append(f"{counted(count, 'item')} got no answer ({reason}).")
    return told
