"""A run of a benchmark, as a notebook holds it: ``asof.run``, ``asof.compare``, ``asof.report``, ``asof.cutoff``."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof.api.any_model import open_model, parted_settings, types_of_model_settings, with_documents
from asof.api.benchmark import BuiltBenchmark, open_benchmark
from asof.api.frame import Frame
from asof.api.own_model import OwnModel
from asof.api.progress import progress_bar, without_widgets
from asof.api.python_words import says_it_in_python
from asof.api.where import in_words
from asof.benchmarks import Benchmark
from asof.cache import cache_folder
from asof.errors import UserError
from asof.probes import Probe, open_probe
from asof.runs.folder import Run, different_names, read_run, short_name
from asof.runs.item_scores import scores_of
from asof.runs.runner import run as run_into
from asof.runs.score_rows import score_rows
from asof.runs.spending import Budget, read_prices

if TYPE_CHECKING:
    from asof.runs.cutoff import CutoffOf
    from asof.runs.cutoff_answers import Contrast, Reading
    from asof.runs.cutoff_rows import By


class ModelRun:
    """One model on one benchmark, in its folder."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @property
    def name(self) -> str:
        """A short name: the model, and how it was asked."""
        return self.run.name

    @property
    def folder(self) -> Path:
        """Where it is; the command takes this folder, too."""
        return self.run.folder

    def __len__(self) -> int:
        return len(self.run.predictions())

    def __repr__(self) -> str:
        about = self.run.settings
        return (
            f"<asof run of {short_name(str(about['model']))!r} on {about['benchmark_name']} with {about['probe']}: "
            f"{len(self):,} predictions; {in_words(self.folder)}>"
        )

    def benchmark(self) -> BuiltBenchmark:
        """Return the benchmark of the run."""
        return BuiltBenchmark(self.run.benchmark())

    def scores(self, by: str | None = None) -> Frame:
        """Compute the measures of the run, each with its 95 % interval by fact.

        Args:
            by: A tag, such as relation or period: the same measures for each of its values.
        """
        shown = (*([by] if by else []), "metric", "value", "low", "high", "items", "facts")
        notes = [f"Skipped {count:,} items: {reason}" for reason, count in self.run.left_out().items()]
        return Frame.of(score_rows(scores_of(self.run), by), shown=shown, notes=notes)

    def predictions(self) -> Frame:
        """Return every item with what the model gave for it; facts that are not finished are not in."""
        table = self.run.table()
        scored = self.run.probe.scored
        return Frame(table, ("prompt", "answers", *([scored] if scored in table.column_names else [])))

    def left_out(self) -> Frame:
        """Return how many items could not be asked, by reason; those that were lost to an error are marked."""
        lost = self.run.lost()
        rows = ({"reason": why, "items": n, "lost": why in lost} for why, n in self.run.left_out().items())
        return Frame.of(rows)

    def plot(self, by: str | None = None) -> Any:
        """Draw the measures with their intervals, and return the matplotlib figure."""
        from asof.api.plots import plot_scores

        return plot_scores({self.name: score_rows(scores_of(self.run), by)}, by=by, title=repr(self)[6:].split(";")[0])

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])}</p>{self.scores()._repr_html_()}"


@dataclass(frozen=True, repr=False)
class CutoffFrame(Frame):
    """Estimates of knowledge cutoffs, one row for each run, relation, period or fact."""

    found: Sequence[CutoffOf] = ()

    def plot(self) -> Any:
        """Draw what the answers are worth period by period, with the estimate, and return the matplotlib figure."""
        from asof.api.time_plots import plot_cutoffs
        from asof.runs.cutoff_rows import cutoff_notes

        return plot_cutoffs(self.found, [cutoff_notes(one)[0] for one in self.found])


@dataclass(frozen=True, repr=False)
class ReportPage:
    """A page that was written: open its file, or look at it where the notebook shows it."""

    path: Path

    def __repr__(self) -> str:
        return f"<asof report, {self.path.stat().st_size / 1e6:.1f} MB; {in_words(self.path)}>"

    def _repr_html_(self) -> str:
        page = escape(self.path.read_text(encoding="utf-8"), quote=True)
        return f'<p>{escape(repr(self)[1:-1])}</p><iframe srcdoc="{page}" width="100%" height="700"></iframe>'


def run(
    benchmark: BuiltBenchmark | Benchmark | str | PathLike[str],
    model: Any,
    *,
    probe: str | Probe | None = None,
    to: str | PathLike[str] | None = None,
    limit: int | None = None,
    max_cost: float | None = None,
    max_calls: int | None = None,
    prices: str | PathLike[str] | None = None,
    **settings: Any,
) -> ModelRun:
    """Evaluate a model on a benchmark; stopped at any moment, the same call resumes.

    Args:
        model: A name, as for ``asof run``; an object with ``write``, ``answer_logprob`` or ``fill``; or a function from
            a prompt to a text.
        probe: How the model is asked about items; by default as the benchmark says.
        to: The run folder. By default ``runs/BENCHMARK-MODEL-PROBE``, as for the command; for an object or a function,
            which may be another one the next time, a new folder in the cache.
        limit: At most so many facts, each with all its items.
        max_cost: Stop before a run at a model behind an address costs more dollars than this in all.
        max_calls: Stop before more calls than this are answered in all.
        prices: A TOML table of prices; by default the one of asof.
        settings: Those of the probe (``format="chat"``, ``closed_book=True``, ``width=5``) and of the model.
    """
    without_widgets()
    opened = open_benchmark(benchmark).benchmark
    name = probe if isinstance(probe, str) else probe.name if probe else opened.probe
    named = isinstance(model, str)
    whose = f"{model if named else type(model).__name__} with {name}"
    with says_it_in_python():
        of_probe, of_model = parted_settings(
            settings, name, types_of_model_settings(model) if named and settings else {}, whose
        )
        asked = probe if probe is not None and not isinstance(probe, str) else open_probe(name, of_probe)
        if named:
            able = open_model(model, benchmark=opened, probe=asked, **of_model)
        else:
            able = with_documents(OwnModel(model), opened, asked)
        folder = Path(to) if to is not None else _folder(opened, able.name, asked, named)
        table = read_prices(Path(prices) if prices is not None else None)
        budget = Budget.of(
            str(getattr(able, "model", "") or short_name(able.name)), table, cost=max_cost, calls=max_calls
        )
        with progress_bar("scoring", unit="items") as progress:
            finished = run_into(opened, able, folder, probe=asked, limit=limit, budget=budget, on_progress=progress)
    for reason, count in finished.lost().items():
        warnings.warn(
            f"{count:,} {'item was' if count == 1 else 'items were'} lost ({reason}). The same call asks for "
            f"them again.",
            stacklevel=2,
        )
    return ModelRun(finished)


def way_of(probe: Probe) -> str:
    """Return how a probe asks, in a word for the name of a folder."""
    if getattr(probe, "closed_book", False):
        return "closed-book"
    return str(getattr(probe, "format", probe.name))


def _folder(benchmark: Benchmark, model: str, probe: Probe, named: bool) -> Path:
    name = f"{benchmark.folder.name}-{short_name(model)}-{way_of(probe)}"
    if named:
        return Path("runs") / name
    within = cache_folder() / "runs"
    within.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=within))


def open_run(what: ModelRun | Run | str | PathLike[str]) -> ModelRun:
    """Open a run, by its folder."""
    if isinstance(what, ModelRun):
        return what
    if not isinstance(what, Run | str | PathLike):
        raise UserError(f"{what!r} is not a run. Give what asof.run returned, or the folder of a run.")
    return ModelRun(what if isinstance(what, Run) else read_run(Path(what)))


def score(run: ModelRun | Run | str | PathLike[str], by: str | None = None) -> Frame:
    """Compute the measures of a run; no model is needed."""
    return open_run(run).scores(by=by)


def compare(
    first: ModelRun | Run | str | PathLike[str], second: ModelRun | Run | str | PathLike[str], *, seed: int = 0
) -> Frame:
    """Compare two runs, paired by item and tested by fact: the second less the first, with 95 % intervals and p."""
    from asof.runs.compare import compare_runs

    found = compare_runs(open_run(first).run, open_run(second).run, seed=seed)
    shown = ("measure", "first", "second", "difference", "low", "high", "p", "p_holm", "n")
    facts = "fact" if found.shared == 1 else "facts"
    about = f"first: {found.runs[0]}; second: {found.runs[1]}; {found.shared:,} {facts} in both."
    return Frame.of((asdict(row) for row in found.differences), shown=shown, notes=[about, *found.notes])


def report(
    runs: Sequence[Any] | Any, to: str | PathLike[str] | None = None, *, split: str = "test", seed: int = 0
) -> ReportPage:
    """Write the page of some runs and completion models; without a folder it is kept in the cache.

    Args:
        split: Of completion models: the facts that they are asked about.
    """
    from asof.reports import write_report

    folders = [_folder_of(one) for one in _several(runs)]
    if to is None:
        within = cache_folder() / "reports"
        within.mkdir(parents=True, exist_ok=True)
        to = tempfile.mkdtemp(dir=within)
    return ReportPage(write_report(folders, Path(to), seed=seed, split=split))


def _folder_of(what: Any) -> Path:
    """Return the folder of whatever has a page in a report."""
    folder = what if isinstance(what, str | PathLike) else getattr(what, "folder", None)
    if folder is None:
        raise UserError(f"{what!r} is neither a run nor a trained model. Give what asof.run or asof.train returned.")
    return Path(folder)


def cutoff(
    runs: ModelRun | Run | str | PathLike[str] | Sequence[ModelRun | Run | str | PathLike[str]],
    *,
    by: By | None = None,
    reading: Reading | None = None,
    contrast: Contrast = "others",
) -> CutoffFrame:
    """Estimate until when models know the world, from runs on dynamic-templama, with 95 % intervals.

    Args:
        by: relation, period (the curve) or fact.
        reading: What counts: "exposed", the newest answer that the model was exposed to, or "answered", the one it
            gives.
        contrast: Subtract from each candidate its likelihood for other subjects, or nothing.
    """
    from asof.runs.cutoff import CutoffOf
    from asof.runs.cutoff_rows import SHOWN, cutoff_notes, cutoff_rows

    with says_it_in_python():
        found = tuple(CutoffOf(open_run(one).run, contrast=contrast, reading=reading) for one in _several(runs))
    rows = [row for one in found for row in cutoff_rows(one, by)]
    shown = () if by else SHOWN
    told = [note for one in found for note in cutoff_notes(one, by)]
    return CutoffFrame(Frame.of(rows).table, shown, tuple(told), found)


def plot(
    runs: ModelRun | Run | str | PathLike[str] | Sequence[ModelRun | Run | str | PathLike[str]], by: str | None = None
) -> Any:
    """Draw the measures of several runs beside each other, and return the matplotlib figure."""
    from asof.api.plots import plot_scores

    opened = [open_run(one).run for one in _several(runs)]
    rows = [score_rows(scores_of(one), by) for one in opened]
    return plot_scores(dict(zip(different_names(opened), rows, strict=True)), by=by)


def _several(runs: Any) -> list[Any]:
    """Return what was given as a list; one alone is a list of one."""
    listed = list(runs) if isinstance(runs, Sequence) and not isinstance(runs, str) else [runs]
    if not listed:
        raise UserError("No run was given. Give at least one, as in asof.report([run]).")
    return listed
