"""A small dataset for all tests of training."""

from pathlib import Path

import pytest

from asof.completion.dataset import Dataset, read_dataset
from tests.completion.players import write_toy


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_toy(tmp_path_factory.mktemp("data") / "toy")


@pytest.fixture(scope="session")
def dataset(toy: Path) -> Dataset:
    return read_dataset(toy)
