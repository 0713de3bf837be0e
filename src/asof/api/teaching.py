"""A language model that is taught facts with their time: ``asof.teach("smollm2", limit=20)``."""

from __future__ import annotations

from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof.api.any_model import needs_torch
from asof.api.frame import Frame
from asof.api.progress import progress_bar
from asof.api.where import in_words
from asof.runs.folder import short_name

if TYPE_CHECKING:
    from asof.teaching.card import TaughtFolder

_SHOWN = ("metric", "before", "value", "low", "high", "difference", "facts")


class TaughtLanguageModel:
    """A model that was taught, in its folder; ``asof.run(benchmark, model.name)`` asks it."""

    def __init__(self, taught: TaughtFolder) -> None:
        self.taught, self.folder = taught, taught.folder

    @property
    def name(self) -> str:
        """What ``asof.run`` and the command call it."""
        return str(self.folder)

    def results(self) -> Frame:
        """Return each measure before and after, with the paired difference and its 95 % interval."""
        return Frame.of(self.taught.rows(), shown=_SHOWN)

    def facts(self) -> Frame:
        """Return every fact, taught or not, with its measures before and after."""
        after = {fact.id: fact.values for fact in self.taught.after.facts}
        rows = [
            {"fact": fact.name, "taught": fact.taught, "metric": name, "before": value, "after": after[fact.id][name]}
            for fact in self.taught.before.facts
            for name, value in fact.values.items()
        ]
        return Frame.of(rows)

    def __repr__(self) -> str:
        card = self.taught.card
        facts = len(card["facts"])
        return (
            f"<asof model: {card['identity']['model']}, taught {facts:,} {'fact' if facts == 1 else 'facts'}; "
            f"{in_words(self.folder)}>"
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])}</p>{self.results()._repr_html_()}"


def teach(
    model: str,
    *,
    base: str | PathLike[str] = "almanac",
    run: str | PathLike[str] | Any | None = None,
    benchmark: str | PathLike[str] | Any | None = None,
    relation: str | None = None,
    since: str | None = None,
    limit: int | None = None,
    to: str | PathLike[str] | None = None,
    language: str | None = None,
    templates: str | PathLike[str] | None = None,
    prose: str | PathLike[str] | None = None,
    device: str = "cpu",
    dtype: str = "auto",
    **settings: Any,
) -> TaughtLanguageModel:
    """Teach a language model facts with the time in which they hold; stopped at any moment, the same call resumes.

    Args:
        model: A folder, a hub name, or the name of fetched weights.
        base: The base with the facts, as a folder, or what ``asof.open`` gave.
        run: Teach only what this run found wrong, outdated or not robust.
        benchmark: Teach only the facts that this benchmark asks about.
        relation: Only facts of this relation.
        since: Only facts that took the place of others at this date or later.
        limit: At most so many facts, drawn by the seed.
        to: The folder; by default ``trained/MODEL-taught``.
        language: That of the questions; by default that of the benchmark or the run, or English.
        templates: A TOML file of questions; by default that with which the benchmark was built.
        prose: A text file to stay close on and to measure perplexity with.
        settings: Those of ``asof teach``: objective, whole, epochs, seed, learning_rate, margin, hold_out …
    """
    needs_torch()
    from asof.teaching.folder import teach_into
    from asof.teaching.plan import TeachingPlan
    from asof.teaching.settings import TeachingSettings

    plan = TeachingPlan.of(
        base=str(_folder_of(base)), run=_folder_of(run), benchmark=_folder_of(benchmark), relation=relation,
        since=since, limit=limit, language=language, templates=templates, prose=prose,
        settings=TeachingSettings.chosen(settings),
    )  # fmt: skip
    folder = Path(to) if to is not None else Path("trained") / f"{short_name(model)}-taught"
    with progress_bar("teaching") as progress:
        taught = teach_into(
            folder,
            model,
            plan,
            device=device,
            dtype=dtype,
            on_step=lambda done, total, note: progress(done, total, note=note, what="teaching"),
            on_measure=lambda done, total: progress(done, total, what="measuring"),
        )
    return TaughtLanguageModel(taught)


def _folder_of(given: Any) -> Any:
    """Return the folder of a run or a base that is given as an object."""
    return getattr(given, "folder", given)
