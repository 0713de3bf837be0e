"""What a page shows of the runs on one kind of benchmark: what they are, the sections, what to mind."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic

from asof.reports.html import FEW, PagePart, cards, section
from asof.reports.numbered_run import Numbered, NumberedRun, read_numbered
from asof.runs import Run
from asof.runs.item_scores import scores_of


@dataclass(frozen=True)
class ReportParts:
    """Parts of the page, the paragraphs that lead to them, and the names of what they are about."""

    parts: list[PagePart]
    leads: list[str]
    names: list[str]


@dataclass(frozen=True, kw_only=True)
class RunKind(Generic[Numbered]):
    """The runs on some benchmarks, and how they are shown: a part of ``reports/pages``.

    Args:
        read_as: The class of such runs.
        first: Id, link and title of the section in which each run has its card.
        sections: Id, link and content of those that follow; one without content is left out.
        leads: What to say before, and what to mind.
        measures: What a run must have been scored with to be shown so; another goes on the page of any items.
    """

    paper: str
    sorts_facts: bool = False  # whether it has a table of facts, which wants ``page.js``
    read_as: type[Numbered]
    first: tuple[str, str, str]
    card: Callable[[Numbered], str]
    sections: tuple[tuple[str, str, Callable[[Sequence[Numbered]], str]], ...]
    leads: Callable[[Sequence[Numbered]], list[str]]
    measures: tuple[str, ...] = ()

    def fits(self, run: Run) -> bool:
        """Tell whether a run has what is shown: its probe may have other measures than this page is about."""
        if not self.measures:
            return True
        scored = set(scores_of(run).units.values)
        return not scored or set(self.measures) <= scored

    def shown(self, folders: Sequence[Path], *, seed: int, first_position: int) -> ReportParts:
        """Read runs and make their parts of the page."""
        runs = read_numbered(self.read_as, folders, seed=seed, first_position=first_position)
        id, link, title = self.first
        parts = [PagePart(id, link, section(id, title, cards(map(self.card, runs))))]
        parts += [PagePart(id, link, made(runs)) for id, link, made in self.sections]
        return ReportParts([part for part in parts if part.content], self.leads(runs), [run.name for run in runs])


def asked(runs: Sequence[NumberedRun]) -> str:
    """Say that models were asked, as the first words of a paragraph."""
    return "A model was asked" if len(runs) == 1 else f"In {len(runs)} runs models were asked"


def mind_benchmarks(runs: Sequence[NumberedRun]) -> list[str]:
    """Warn when runs are not on the same items."""
    if len({run.benchmark.items_sha256 for run in runs}) == 1:
        return []
    return ["Caution: these runs are on different benchmarks, so their results may differ for that reason."]


def mind_few(facts: int) -> list[str]:
    """Warn when facts are few."""
    return [f"Caution: only {facts} facts. Read the intervals, not the numbers alone."] if facts < FEW else []
