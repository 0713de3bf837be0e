"""What a row of a reproduction needs, and whether it is here: published datasets, weights, extras of the package."""

from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from packaging.requirements import Requirement

from asof.reproductions.entry import Row
from asof.weights.package_index import KNOWN, is_fetched


def needs_of(row: Row) -> list[str]:
    """Name all that a row needs."""
    return [*row.datasets, *row.weights, *(f"asof[{extra}]" for extra in row.extras)]


def what_is_missing(row: Row, data: Path) -> list[str]:
    """Say what a row needs and what is not here, each with the next step; nothing when it can be run.

    Args:
        data: The folder with the published datasets.
    """
    if row.not_run:
        return [row.not_run]
    return [*_datasets(row, data), *_weights(row), *_extras(row)]


def _datasets(row: Row, data: Path) -> list[str]:
    return [
        f"the dataset {name} is not in {data}; say with --data where the published datasets are"
        for name in row.datasets
        if not (data / name).is_dir()
    ]


def _weights(row: Row) -> list[str]:
    return [
        f"the weights {name} are not downloaded; get them with: asof models get {name}"
        if name in KNOWN
        else f"no weights are called {name}; see: asof models list"
        for name in row.weights
        if not is_fetched(name)
    ]


def _extras(row: Row) -> list[str]:
    return [
        f"{', '.join(absent)} not installed; install with: pip install 'asof[{extra}]'"
        for extra in row.extras
        if (absent := absent_packages(extra))
    ]


def absent_packages(extra: str) -> list[str]:
    """List the packages of an extra that are not installed, as the package's own metadata name them."""
    found = []
    for text in requires("asof") or []:
        asked = Requirement(text)
        if asked.marker and asked.marker.evaluate({"extra": extra}) and not asked.marker.evaluate({"extra": ""}):
            try:
                version(asked.name)
            except PackageNotFoundError:
                found.append(asked.name)
    return found
