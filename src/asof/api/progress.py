"""The bar that long work shows on a terminal or in a notebook: what is done, how fast it goes, how long it takes."""

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

_SECONDS_BETWEEN = 0.5  # in a notebook: each change is a message to the browser


class BarUpdate(Protocol):
    """Tells the bar how far the work is."""

    def __call__(self, done: float, total: int | None = None, *, note: str = "", what: str | None = None) -> None:
        """Show what is done, of how many, with a note behind the bar, and under another name if there is one."""


def without_widgets() -> None:
    """Keep tqdm, which others import, from its warning where ipywidgets are not: nothing here needs them."""
    warnings.filterwarnings("ignore", message="IProgress not found")


@contextmanager
def progress_bar(what: str, *, unit: str = "", quiet: bool = False) -> Iterator[BarUpdate]:
    """Show a bar while something runs, where somebody looks.

    Args:
        unit: What is counted, if the rate is to be shown: "items" gives "40 items/s".
    """
    console = Console(stderr=True)
    if console.is_jupyter:
        with _notebook_line(what, unit, quiet=quiet) as told:
            yield told
        return
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=quiet or not sys.stderr.isatty(),
    ) as bar:
        task = bar.add_task(what, total=None, note="")

        def tell(done: float, total: int | None = None, *, note: str = "", what: str | None = None) -> None:
            speed = bar.tasks[0].speed
            rate = f"{speed:,.0f} {unit}/s" if unit and speed else ""
            bar.update(task, completed=done, total=total, note=note or rate, description=what)

        yield tell


@contextmanager
def _notebook_line(what: str, unit: str, *, quiet: bool) -> Iterator[BarUpdate]:
    """Show a line below the cell that is gone when the work is done; rich's bars there need ipywidgets."""
    display = import_module("IPython.display").display
    line = None
    started = shown = time.monotonic()
    label = what

    def tell(done: float, total: int | None = None, *, note: str = "", what: str | None = None) -> None:
        nonlocal line, shown, label
        label, now = what or label, time.monotonic()
        if quiet or now - shown < _SECONDS_BETWEEN:
            return
        shown, rate = now, done / (now - started)
        rest = f", {(total - done) / rate:,.0f} s to go" if total and rate else ""
        said = note or (f"{rate:,.0f} {unit}/s" if unit else "")
        text = {"text/plain": f"{label} {done:,}{f' of {total:,}' if total else ''} {said}{rest}"}
        if line is None:
            line = display(text, raw=True, display_id=True)
        else:
            line.update(text, raw=True)

    try:
        yield tell
    finally:
        if line is not None:
            line.update({"text/plain": ""}, raw=True)
