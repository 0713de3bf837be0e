"""What the verbs about trained models share."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.api.any_model import needs_torch
from asof.api.progress import progress_bar
from asof.cli.options import Decorator
from asof.cli.output import counted, talk

if TYPE_CHECKING:
    from asof.completion.dataset import Dataset
    from asof.completion.forecast.outlook_rows import ForecastFacts
    from asof.completion.trained.folder import TrainedModel
    from asof.completion.training.phases import StepProgress

model_argument: Decorator = click.argument("folder", metavar="MODEL", type=click.Path(path_type=Path))
_SECONDS_BETWEEN = 60.0  # lines about steps, where there is no bar
PROTOCOLS = ("jain2020", "corrected")


def open_model(folder: Path) -> "TrainedModel":
    """Open a trained model."""
    needs_torch()
    from asof.completion.trained.folder import open_trained

    return open_trained(folder)


def forecast_facts(location: Path) -> "ForecastFacts":
    """Open the facts that a model was trained on, or those of a base or a dataset; what is counted needs no model."""
    needs_torch()
    from asof.completion.forecast.outlook_rows import ForecastFacts
    from asof.completion.trained.names import names_of
    from asof.completion.trained.planning import read_location
    from asof.training.model_toml import MODEL

    if (location / MODEL).is_file():
        trained = open_model(location)
        return ForecastFacts(trained.dataset, trained.entities, trained.relations)
    dataset, where = read_location(str(location), "corrected")
    return ForecastFacts(dataset, *names_of(dataset, where))


def tell_unread(dataset: "Dataset") -> None:
    """Say which lines of a dataset could not be read."""
    if dataset.rejects.count:
        talk(f"Could not read {counted(dataset.rejects.count, 'line')}; not part of the training. The first:")
        for reason in dataset.rejects.shown:
            talk(f"  {reason}")


def warn_of_valid(trained: "TrainedModel", split: str) -> None:
    """Say when a model is asked about facts that it has learnt from."""
    from asof.completion.training.phases import weighed_on_valid

    if split == "valid" and weighed_on_valid(trained.scorer):
        held_out = trained.about["valid"].get("mrr", 0.0)
        talk(
            f"{trained.plan.scorer} was fitted on valid, so it looks better there than it is: on held-out halves of "
            f"valid its MRR was {held_out:.4f}. Judge it with --split test."
        )


@contextmanager
def training_shown(
    epochs: int, *, quiet: bool = False
) -> Iterator[tuple[Callable[[dict[str, Any]], None], Callable[["StepProgress"], None]]]:
    """Show epochs and their steps as they come: a bar on a terminal, elsewhere lines.

    Yields:
        What is to be called after each epoch, and after each step.
    """
    with progress_bar("epoch", quiet=quiet) as progress:
        note = valid = ""
        clock = _EpochClock()

        def told(row: dict[str, Any]) -> None:
            nonlocal note, valid
            where = "epoch" if row["phase"] == 1 else f"phase {row['phase']}, epoch"
            if "valid_mrr" in row:
                valid = f", valid MRR {row['valid_mrr']:.4f}"
                if not sys.stderr.isatty() and not quiet:
                    talk(f"{where} {row['epoch']} of {row['epochs']}: loss {row['loss']:.3f}{valid}")
            note = f"loss {row['loss']:.3f}{valid}"
            progress(row["epoch"], row["epochs"], note=note, what=where)

        def stepped(step: "StepProgress") -> None:
            where = "epoch" if step.phase == 1 else f"phase {step.phase}, epoch"
            said = f"step {step.step:,} of {step.steps:,}"
            progress(step.epochs_done, step.epochs, note=f"{said} {note}".rstrip(), what=where)
            left = clock.left(step)
            if left and not sys.stderr.isatty() and not quiet:
                talk(f"{where} {step.epoch} of {step.epochs}: {said}, {left} to its end")

        yield told, stepped


class _EpochClock:
    """Tells now and then how long the rest of an epoch takes."""

    def __init__(self) -> None:
        self._epoch, self._began, self._told = (0, 0), 0.0, 0.0

    def left(self, step: "StepProgress") -> str:
        """Return the time that an epoch still takes, once a minute, and else nothing."""
        now = time.monotonic()
        if (step.phase, step.epoch) != self._epoch:
            self._epoch, self._began, self._told = (step.phase, step.epoch), now, now
            return ""
        if now - self._told < _SECONDS_BETWEEN or step.step < 2:
            return ""
        self._told = now
        seconds = (now - self._began) / (step.step - 1) * (step.steps - step.step)
        return f"{max(1, round(seconds / 60))} min" if seconds >= 60 else f"{round(seconds)} s"
