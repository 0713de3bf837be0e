"""Run as one of several processes: train the cases into folders together. ``die``: the first is killed on its way."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from asof.completion.dataset import read_dataset
from asof.completion.trained.folder import train_into
from asof.completion.training import trainer
from asof.completion.training.plan import CompletionPlan

COMMON = {"rank": 4, "epochs": 3, "evaluate_every": 1, "patience": 9, "batch": 33}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "all": ("tntcomplex", {"roughness": 0.01, "cubes": 0.01, "average": 0.5, "time_weight": 0.1}),
    "rows": ("timeplex-base", {"shared_negatives": 5}),
    "points": ("de-simple", {"shared_negatives": 5, "optimiser": "adam", "learning_rate": 0.01}),
    "phases": ("timeplex", {"negatives": 5, "pairs_epochs": 1, "recurrence_epochs": 1}),
    "trees": ("evidence", {}),
}


def train_all(toy: Path, folder: Path, dies: bool = False) -> None:
    """Train all cases, each into a folder of its name."""
    trainer._MANY_ROWS = 1  # gradients of few rows
    dataset = read_dataset(toy)

    def on_progress(row: dict[str, Any]) -> None:
        if dies and row["epoch"] == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    for name, (scorer, options) in CASES.items():
        plan = CompletionPlan.of(scorer, {**COMMON, **options})
        train_into(folder / name, plan, dataset, toy, on_progress=on_progress)


if __name__ == "__main__":
    train_all(Path(sys.argv[1]), Path(sys.argv[2]), "die" in sys.argv)
