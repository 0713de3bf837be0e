"""``asof train``: a completion model, from a base or a published dataset."""

from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import click

from asof import registry
from asof.api.any_model import needs_torch
from asof.cli.failures import says_what_is_kept, training_kept
from asof.cli.options import json_option
from asof.cli.output import counted, talk, write_json
from asof.cli.settings import read_settings
from asof.cli.trained_models import PROTOCOLS, open_model, tell_unread, training_shown
from asof.devices import known_device

_EXAMPLES = """\b
Examples:
  asof train timeplex-base YAGO11k --preset jain2020
  asof train tntcomplex my-base --rank 50 --epochs 30 --set cubes=0.01
  asof train timeplex YAGO11k --preset jain2020 --from trained/YAGO11k-timeplex-base
  asof train evidence YAGO11k --from trained/YAGO11k-timeplex-base --from trained/YAGO11k-tntcomplex
  asof train memorize STATEMENTS --to taught
"""


class _Train(click.Command):
    """A scorer is trained with these options; what is none (``asof.api.trainings``) has its own."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if not args or args[0] not in registry.trainings.names():
            return super().make_context(info_name, args, parent, **extra)
        own: click.Command = resolve_name(registry.trainings.get(args[0]).command)
        return own.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)


@click.command("train", epilog=_EXAMPLES, cls=_Train)
@click.argument("scorer")
@click.argument("location", metavar="BASE|DATASET")
@click.option("--to", "folder", type=click.Path(path_type=Path), help="The folder (default: trained/DATASET-SCORER).")
@click.option(
    "--protocol", type=click.Choice(PROTOCOLS), help="The rules for reading and ranking facts (default: corrected)."
)
@click.option(
    "--split",
    type=click.Choice(["own", "time"]),
    help="Split the facts as the dataset does, or by time, for forecasts: train before, valid and test after (default: "
    "own).",
)
@click.option("--preset", metavar="NAME", help="The settings of a paper for this dataset and scorer: jain2020.")
@click.option(
    "--from",
    "built_on",
    multiple=True,
    metavar="MODEL",
    type=click.Path(path_type=Path),
    help="Start from this model: timeplex and evidence use a timeplex-base, evidence can use several models (an "
    "ensemble).",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Any setting of the scorer or its training; may be repeated.",
)
@click.option("--seed", type=int, help="The random seed.")
@click.option(
    "--epochs",
    type=click.IntRange(min=1),
    help="The largest number of epochs; training stops early when valid does not improve.",
)
@click.option(
    "--rank", "--dimension", "rank", type=click.IntRange(min=1), help="The embedding dimension (default: 100)."
)
@click.option(
    "--device", default="cpu", show_default=True, metavar="NAME", help="Where to train: cpu, cuda, cuda:1, mps."
)
@json_option
def command(
    scorer: str,
    location: str,
    folder: Path | None,
    protocol: str | None,
    split: str | None,
    preset: str | None,
    built_on: tuple[Path, ...],
    settings: tuple[str, ...],
    seed: int | None,
    epochs: int | None,
    rank: int | None,
    device: str,
    as_json: bool,
) -> None:
    """Train a temporal link prediction model.

    Most scorers also predict time intervals. Give it a base or a folder with train.txt, valid.txt and test.txt. A
    checkpoint is written after each epoch: if training is stopped, the same command resumes from it and ends with the
    same weights. The folder holds everything that 'asof rank', 'asof predict' and 'asof complete' need. For scorers see
    'asof list scorers'; to teach statements to a language model see 'asof train memorize --help'.
    """
    needs_torch()
    from asof.completion.trained.folder import train_into
    from asof.completion.trained.planning import planned_training
    from asof.completion.training.memory import needed_memory, see_that_it_fits, told_memory
    from asof.completion.training.plan import settings_of
    from asof.training.crew import device_of_process, is_first_process

    registry.scorers.get(scorer)
    known_device(device_of_process(device))
    given = {"seed": seed, "epochs": epochs, "rank": rank}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    chosen |= read_settings(scorer, settings_of(scorer), settings)
    models = [open_model(model) for model in built_on]
    found = planned_training(scorer, location, chosen, preset=preset, protocol=protocol, built_on=models, split=split)
    plan, dataset = found.plan, found.dataset
    quiet = as_json or not is_first_process()
    if is_first_process():
        tell_unread(dataset)
    forecast = "-forecast" if dataset.known_until is not None else ""
    target = folder or Path("trained") / f"{dataset.name}-{scorer}{forecast}"
    if not quiet:
        for note in found.notes:
            talk(note)
        talk(
            f"{scorer} with dimension {plan.rank} on {dataset.name}, protocol {dataset.protocol}: "
            f"{counted(len(dataset.train), 'fact')}, {counted(len(dataset.entities), 'entity', 'entities')}, "
            f"{counted(len(dataset.relations), 'relation')}, {counted(len(dataset.points), 'time point')}."
        )
    kept = says_what_is_kept(lambda: training_kept(target))
    memory = needed_memory(plan, dataset)
    if not quiet:
        talk(told_memory(memory))
    see_that_it_fits(memory, plan, dataset)
    with kept, training_shown(plan.training.epochs, quiet=quiet) as (on_progress, on_step):
        trained = train_into(
            target,
            plan,
            dataset,
            found.location,
            on_progress=on_progress,
            on_step=on_step,
            built_on=models,
            device=device,
        )
    if not is_first_process():
        return
    valid, links = trained.about["valid"], trained.links
    if as_json:
        write_json({"model": str(target), **trained.about["training"], "valid": valid})
        return
    epochs_done = counted(trained.about["training"]["epochs"], "epoch")
    talk(
        f"{target} is trained: {epochs_done}, MRR {valid['mrr']:.4f} on valid "
        f"({counted(valid['queries'], 'query', 'queries')}), expected calibration error "
        f"{links.expected_calibration_error:.3f}."
    )
    talk(f"Next: asof rank {target}")
