"""Growth with the number of facts: each size in a process of its own, so that none pays for the memory of another."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def of_sizes(program: str, sizes: list[int]) -> Iterator[dict[str, Any]]:
    """Run a program with ``--one SIZE`` for each size; the last line that it prints is its result."""
    for size in sizes:
        command = [sys.executable, program, "--one", str(size)]
        ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        yield json.loads(ran.stdout.splitlines()[-1])


def keep(name: str, results: list[dict[str, Any]], plot: Callable[[list[dict[str, Any]], Path], None]) -> None:
    """Write results as JSON and as a plot."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    plot(results, RESULTS / f"{name}.png")
