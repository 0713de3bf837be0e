"""What the verbs about trained models share."""

import sys
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

model_argument: Decorator = click.argument("folder", metavar="MODEL", type=click.Path(path_type=Path))
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
def training_shown(epochs: int, *, quiet: bool = False) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Show epochs as they come: a bar on a terminal, elsewhere a line for each evaluation."""
    with progress_bar("epoch", quiet=quiet) as progress:
        valid = ""

        def told(row: dict[str, Any]) -> None:
            nonlocal valid
            where = "epoch" if row["phase"] == 1 else f"phase {row['phase']}, epoch"
            if "valid_mrr" in row:
                valid = f", valid MRR {row['valid_mrr']:.4f}"
                if not sys.stderr.isatty() and not quiet:
                    talk(f"{where} {row['epoch']} of {row['epochs']}: loss {row['loss']:.3f}{valid}")
            progress(row["epoch"], row["epochs"], note=f"loss {row['loss']:.3f}{valid}", what=where)

        yield told
