"""The bar that long work shows on a terminal or in a notebook: what is done, how fast it goes, how long it takes."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class BarUpdate(Protocol):
    """Tells the bar how far the work is."""

    def __call__(self, done: int, total: int | None = None, *, note: str = "", what: str | None = None) -> None:
        """Show what is done, of how many, with a note behind the bar, and under another name if there is one."""


@contextmanager
def progress_bar(what: str, *, unit: str = "", quiet: bool = False) -> Iterator[BarUpdate]:
    """Show a bar while something runs, where somebody looks.

    Args:
        unit: What is counted, if the rate is to be shown: "items" gives "40 items/s".
    """
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=quiet or not (sys.stderr.isatty() or console.is_jupyter),
    ) as bar:
        task = bar.add_task(what, total=None, note="")

        def tell(done: int, total: int | None = None, *, note: str = "", what: str | None = None) -> None:
            speed = bar.tasks[0].speed
            rate = f"{speed:,.0f} {unit}/s" if unit and speed else ""
            bar.update(task, completed=done, total=total, note=note or rate, description=what)

        yield tell
