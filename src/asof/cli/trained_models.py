"""What the verbs about trained models share."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.options import Decorator
from asof.cli.output import counted, talk
from asof.cli.progress import progress_bar
from asof.errors import UserError
from asof.sources.almanac import almanac_base

if TYPE_CHECKING:
    from asof.completion.dataset import Dataset
    from asof.completion.trained.folder import Trained

model_argument: Decorator = click.argument("folder", metavar="MODEL", type=click.Path(path_type=Path))
PROTOCOLS = ("jain2020", "corrected")


def needs_torch() -> None:
    """See that what completion needs is installed."""
    if not find_spec("torch") or not find_spec("safetensors"):
        raise UserError("Completion needs torch and safetensors. Install them with: pip install 'asof[completion]'")


def open_model(folder: Path) -> "Trained":
    """Open a trained model."""
    needs_torch()
    from asof.completion.trained.folder import open_trained

    return open_trained(folder)


def read_place(place: str, protocol: str) -> tuple["Dataset", str]:
    """Read a dataset folder or a base, and say which lines could not be read; also return where it is."""
    from asof.completion.dataset import Protocol, read_dataset

    where = str(almanac_base()) if place == "almanac" else place
    if not Path(where).exists():
        raise UserError(f"{place} does not exist. Give a base, or a folder with train.txt, valid.txt and test.txt.")
    dataset = read_dataset(where, Protocol(protocol))
    if dataset.rejects.count:
        talk(f"Not read, so no part of the training: {counted(dataset.rejects.count, 'line')}. The first:")
        for reason in dataset.rejects.shown:
            talk(f"  {reason}")
    return dataset, where


def warn_of_valid(trained: "Trained", split: str) -> None:
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
