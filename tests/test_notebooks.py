"""The notebooks run from top to bottom, and give what is stored in them.

ASOF_WRITE_DOCS=1 puts the present outputs into the notebooks.
"""

import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from asof.weights.package_index import fetched_folder

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
BYTES = 300_000
NUMBER = re.compile(r"-?\d[\d,.]*(e-?\d+)?")
NOT_KEPT = {"execution", "transient"}


def test_there_are_notebooks() -> None:
    assert {path.stem for path in NOTEBOOKS} == {
        "is_my_model_out_of_date",
        "build_and_inspect_a_benchmark",
        "complete_my_graph",
    }


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_what_it_shows(path: Path, tmp_path: Path) -> None:
    stored = nbformat.read(path, as_version=4)
    if "smollm2" in " ".join(cell.source for cell in stored.cells if cell.cell_type == "code"):
        skip_without_smollm2()
    found = nbformat.from_dict(stored)
    NotebookClient(found, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell in found.cells:
        tidy(cell)
    if os.environ.get("ASOF_WRITE_DOCS"):
        nbformat.write(found, path)
        return
    for old, new in zip(nbformat.read(path, as_version=4).cells, found.cells, strict=True):
        assert texts(new) == texts(old), old.source
        assert kinds(new) == kinds(old), old.source


def skip_without_smollm2() -> None:
    if fetched_folder("smollm2") is None:
        pytest.skip("SmolLM2 is not here: asof models get smollm2")


def tidy(cell: Any) -> None:
    """Leave out what is no result: times of execution, and the lines of progress, which are empty in the end."""
    cell.metadata = {key: value for key, value in cell.metadata.items() if key not in NOT_KEPT}
    if cell.cell_type == "code":
        cell.outputs = [one for one in cell.outputs if one.get("data", {}).get("text/plain", "shown") != ""]


def texts(cell: Any) -> list[str]:
    """Return what a cell printed or showed, but for numbers that another processor may give otherwise."""
    if cell.cell_type != "code":
        return [cell.source]
    shown = [one.get("text") or one.get("data", {}).get("text/plain", "") for one in cell.outputs]
    if "numbers-vary" in cell.metadata.get("tags", ()):
        return [" ".join(NUMBER.sub("#", text).split()) for text in shown]
    return shown


def kinds(cell: Any) -> list[list[str]]:
    """Return as what each output of a cell can be shown."""
    return [sorted(one.get("data", {"stream": ""})) for one in cell.get("outputs", [])]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_stored_notebook_is_small_and_whole(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) < BYTES
    assert not re.search(r"/(root|home|tmp|Users|work)/", text), "a path of a machine is in an output"
    cells = nbformat.read(path, as_version=4).cells
    assert sum(cell.cell_type == "code" for cell in cells) + 1 >= 10 and len(cells) <= 32
    for number, cell in enumerate((cell for cell in cells if cell.cell_type == "code"), 1):
        assert cell.execution_count == number, "run it again from the top"
        assert "stderr" not in {one.get("name") for one in cell.outputs}, cell.source
    assert sum("image/png" in one.get("data", {}) for cell in cells for one in cell.get("outputs", [])) >= 1
