"""How a cost grows: each size in a process of its own, so that none pays for the memory of another; JSON and a plot."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def start(one_size: Callable[[int], object], main: Callable[[list[int]], None], sizes: Sequence[int]) -> None:
    """Be the process of one size (``--one SIZE``), or measure the sizes that the command names."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one_size(int(sys.argv[2]))))
    else:
        main([int(size.replace(",", "")) for size in sys.argv[1:]] or list(sizes))


def of_sizes(program: str, sizes: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Run a program for each size."""
    for size in sizes:
        yield by_itself(program, "--one", str(size))


def by_itself(program: str, *words: str) -> Any:
    """Run a program; the last line that it prints is its result."""
    ran = subprocess.run([sys.executable, program, *words], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(ran.stdout.splitlines()[-1])


def cpu_seconds(action: Callable[[], object]) -> float:
    """Return the CPU time of an action, of all its threads."""
    began = time.process_time()
    action()
    return time.process_time() - began


def keep(name: str, results: Any, plot: Callable[[Any, Path], None] | None = None) -> None:
    """Write results as JSON and as a plot."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if plot:
        plot(results, RESULTS / f"{name}.png")


@contextmanager
def panels(
    path: Path, *, size: tuple[float, float], columns: int = 1, rows: int = 1, **options: Any
) -> Iterator[list[Any]]:
    """Give the panels of a figure to draw on; each gets a grid, and a key unless it has the scale of the first."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False, **options)
    yield list(axes.flat)
    for number, axis in enumerate(axes.flat):
        axis.grid(alpha=0.3)
        if axis.get_legend_handles_labels()[0] and not (number and options.get("sharey")):
            axis.legend(fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def mark_sizes(axis: Any, sizes: Sequence[int]) -> None:
    """Write just the sizes that were measured under a panel."""
    axis.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axis.minorticks_off()
