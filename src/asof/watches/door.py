"""A watch, as a notebook holds it: ``asof.watch("watch.toml")``."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from asof.api.frame import Frame
from asof.api.progress import progress_bar, without_widgets
from asof.api.run import ReportPage
from asof.watches.changed_facts import changed_facts
from asof.watches.file import read_watch
from asof.watches.knowledge_cutoff import knowledge_cutoffs
from asof.watches.page import write_page
from asof.watches.status import SHOWN, WatchStatus, watch_status
from asof.watches.watching import run_watch


class Watch:
    """The releases of models, what they are asked, and what must hold; nothing is read before it is needed."""

    def __init__(self, file: str | PathLike[str] = "watch.toml") -> None:
        self.file = Path(file)

    def run(self, *, limit: int | None = None) -> Frame:
        """Ask what is due, keep it, and return the state of each check; stopped, the same call goes on.

        Args:
            limit: For a try: ask about at most so many facts.
        """
        without_widgets()
        with progress_bar("asking", unit="items") as progress:
            run_watch(read_watch(self.file), limit=limit, on_progress=progress)
        return self.status()

    def status(self) -> Frame:
        """Return a row for each check: what is there, when it was made, what is due."""
        status = self._status()
        failures = [f"Not done: {one.model} {one.release} on {one.benchmark}: {one.why}" for one in status.failures]
        return Frame.of(status.rows(), shown=SHOWN, notes=[status.headline, *failures])

    def bounds(self) -> Frame:
        """Return a row for each bound and model: kept, broken or unknown, and what it rests on."""
        return Frame.of(one.as_row() for one in self._status().verdicts)

    def cutoffs(self) -> Frame:
        """Return the knowledge cutoff of each release, with its 95 % interval."""
        found = knowledge_cutoffs(self._status().tracks, title="", made_by="", made_on="")
        shown = ("model", "release", "benchmark", "cutoff", "low", "high", "changed_facts", "asked")
        return Frame.of(map(vars, found.estimates), shown=shown)

    def changed(self) -> Frame:
        """Return the facts that a release gets wrong, or right, other than the one before."""
        facts = [fact for track in self._status().tracks for step in track.steps for fact in changed_facts(step)]
        shown = ("release", "turn", "subject", "relation", "when", "answers", "before", "after")
        return Frame.of((fact.as_row() for fact in facts), shown=shown)

    def page(self, to: str | PathLike[str] = "watch-page") -> ReportPage:
        """Write the dashboard to a folder."""
        return ReportPage(write_page(self._status(), Path(to))[0])

    def _status(self) -> WatchStatus:
        return watch_status(read_watch(self.file))

    def __repr__(self) -> str:
        return f"<asof watch {str(self.file)!r}>"


def watch(file: str | PathLike[str] = "watch.toml") -> Watch:
    """Open a watch by its file; see ``asof watch init``."""
    return Watch(file)
