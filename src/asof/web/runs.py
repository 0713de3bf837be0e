"""The pages of runs: what a model knows by period, its cutoff, TimeStress facts with each date; two runs compared.

The figures are those of ``asof report``. They are made when a run is first looked at, and again when it has gone on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.json_numbers import json_numbers
from asof.metrics import Result
from asof.reports import figures_of
from asof.reports.html import PagePart, cell
from asof.runs import Run, read_run
from asof.runs.compare import compare_runs
from asof.runs.cutoff import Cutoff, CutoffOf
from asof.runs.cutoff_history import has_periods
from asof.runs.item_scores import scores_of
from asof.web.entity import NotThereError
from asof.web.paging import Shelf

_MOST_FACTS = 5_000


@dataclass(frozen=True)
class RunName:
    """A run that can be looked at."""

    name: str
    model: str
    benchmark: str
    probe: str


@dataclass(frozen=True)
class RunRow(RunName):
    """A run with the day of its last prediction, how much it answered, and its first measure with its 95 % interval.

    ``why_none`` says why there is no score, such as that nothing was predicted yet.
    """

    date: str | None
    facts: int
    items: int
    measure: str
    score: dict[str, Any] | None
    why_none: str


@dataclass(frozen=True)
class RunsPage:
    """All runs that the explorer was started with."""

    runs: list[RunRow]


@dataclass(frozen=True)
class RunPage:
    """A run: its settings, every measure with its 95 % interval, and what its benchmark tells beyond.

    ``cutoff`` and ``curve`` are of runs on facts by period, ``facts`` of TimeStress: win rate and robustness of each
    fact; with ``?fact=`` also ``dates``, each date of that fact with its log-probability.
    """

    run: RunName
    settings: dict[str, Any]
    results: dict[str, dict[str, Any]]
    left_out: dict[str, int]
    cutoff: dict[str, Any] | None
    curve: list[dict[str, Any]] | None
    facts: list[dict[str, Any]] | None
    dates: list[dict[str, Any]] | None


@dataclass(frozen=True)
class ComparePage:
    """Two runs on the facts that both have: each measure, second minus first, with its 95 % interval and p-values.

    ``facts`` says how many facts each run has, ``shared_facts`` how many both have, ``notes`` what may mislead. Numbers
    are null where a measure has no items.
    """

    a: str
    b: str
    runs: list[RunName]
    facts: list[int]
    shared_facts: int
    differences: list[dict[str, Any]]
    notes: list[str]


@dataclass(frozen=True)
class RunFigures:
    """The figures of runs as HTML that the reports made, and why there are none."""

    leads: list[str]
    parts: list[PagePart]
    sorts_facts: bool
    why_none: str = ""


class Runs:
    """The runs that the explorer was started with, by the name of their folder."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._runs: dict[str, Run] = {}
        for folder in folders:
            name = folder.resolve().name
            while name in self._runs:
                name += "+"  # another folder of the same name
            self._runs[name] = read_run(folder)
        self._shelf = Shelf(16)
        self._rows = Shelf(max(1, len(self._runs)))

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def names(self) -> list[RunName]:
        """All runs, in the order in which they were given."""
        return [self._named(name) for name in self._runs]

    def list_page(self) -> RunsPage:
        """Collect what can be said of each run in a line."""
        kept = [
            self._rows.get((name, _state(run)), lambda name=name: self._row(name))  # type: ignore[misc]
            for name, run in self._runs.items()
        ]
        return RunsPage(kept)

    def page(self, name: str, fact: str | None = None) -> RunPage:
        """Collect the numbers of a run."""
        run = self._run(name)
        made = self._shelf.get(("numbers", name, _state(run)), lambda: self._numbers(name))
        return made if fact is None else self._with_dates(name, made, fact)

    def drawn(self, *names: str) -> RunFigures:
        """Return the figures of one run or of several side by side."""
        runs = [self._run(name) for name in names]
        return self._shelf.get(("drawn", names, *map(_state, runs)), lambda: _draw(runs))

    def compared(self, a: str, b: str) -> ComparePage:
        """Compare two runs, paired by fact."""
        one, other = self._run(a), self._run(b)
        key = ("compared", a, b, _state(one), _state(other))
        found = self._shelf.get(key, lambda: compare_runs(one, other))
        rows = [json_numbers(asdict(row)) for row in found.differences]
        return ComparePage(a, b, self.names, list(found.facts), found.shared, rows, found.notes)

    def _run(self, name: str) -> Run:
        if name not in self._runs:
            raise NotThereError(f"No run is called {name[:200]!r}. There are: {', '.join(self._runs) or 'none'}.")
        return self._runs[name]

    def _named(self, name: str) -> RunName:
        run = self._runs[name]
        return RunName(name, run.name, str(run.settings.get("benchmark_name")), str(run.settings["probe"]))

    def _row(self, name: str) -> RunRow:
        run, facts, items, why = self._runs[name], 0, 0, ""
        written = _state(run)[0]
        results: dict[str, Result] = {}
        try:
            scores = scores_of(run)
            facts, items = len(set(scores.table["group"].to_pylist())), scores.table.num_rows
            results = scores.results()
        except UserError as error:
            why = str(error)
        # Of measures that stand at several precisions, the one over all of them.
        measure = next((name for name in results if name.endswith(" global")), next(iter(results), ""))
        return RunRow(
            **asdict(self._named(name)),
            date=datetime.fromtimestamp(written / 1e9, UTC).date().isoformat() if written else None,
            facts=facts,
            items=items,
            measure=measure,
            score=_result(results[measure]) if measure and results[measure].n else None,
            why_none=why or ("" if items else "no fact has all its predictions yet: resume the run"),
        )

    def _numbers(self, name: str) -> RunPage:
        run = self._runs[name]
        scores = scores_of(run)
        found = CutoffOf(run) if has_periods(scores.table.column_names) else None
        facts = scores.fact_rows()
        shown = {key: value for key, value in run.settings.items() if key != "benchmark"}
        return RunPage(
            run=self._named(name),
            settings=shown | {"model": run.name},
            results={measure: _result(result) for measure, result in scores.results().items()},
            left_out=run.left_out(),
            cutoff=_cutoff(found.overall) if found else None,
            curve=[json_numbers(asdict(point) | {"period": str(point.period)}) for point in found.curve]
            if found
            else None,
            facts=None if facts is None else facts[:_MOST_FACTS],
            dates=None,
        )

    def _with_dates(self, name: str, page: RunPage, fact: str) -> RunPage:
        table = self._runs[name].table()
        names = [
            column for column in ("date", "precision", "verdict", "alpha", "logprob") if column in table.column_names
        ]
        rows = [row for row in table.to_pylist() if row["group"] == fact]
        if not rows:
            raise NotThereError(f"{name} has no fact {fact[:200]!r}.")
        dates = [json_numbers({column: row[column] for column in names}) for row in rows]
        return RunPage(**{**vars(page), "facts": None, "dates": dates})


def _state(run: Run) -> tuple[int, int]:
    """Tell whether a run has gone on since it was last looked at."""
    try:
        found = run.predictions_path.stat()
    except OSError:
        return (0, 0)
    return found.st_mtime_ns, found.st_size


def _draw(runs: Sequence[Run]) -> RunFigures:
    try:
        made = figures_of([run.folder for run in runs])
    except UserError as error:
        return RunFigures([], [], False, str(error))
    return RunFigures(made.leads, made.parts, made.sorts_facts)


def _cutoff(cutoff: Cutoff) -> dict[str, Any]:
    names = ("status", "why", "best", "low", "high", "beyond", "facts")
    found = {name: getattr(cutoff, name) for name in names}
    return {name: str(value) if name in ("best", "low", "high") and value else value for name, value in found.items()}


def _result(result: Result) -> dict[str, Any]:
    return json_numbers(asdict(result) | {"said": cell(result)})
