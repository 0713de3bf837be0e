"""A trained completion model, as a notebook holds it: ``asof.train``."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import asdict, fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import pyarrow as pa

from asof import registry
from asof.api.any_model import needs_torch
from asof.api.base import Base, open_base
from asof.api.frame import Frame
from asof.api.progress import progress_bar
from asof.api.taught import TaughtModel
from asof.api.where import in_words
from asof.cache import cache_folder
from asof.completion.prediction_row import PredictionRow, prediction_columns
from asof.errors import UserError
from asof.facts.store import When, as_span

if TYPE_CHECKING:
    from asof.completion.trained.folder import TrainedModel
    from asof.completion.training.phases import StepProgress
    from asof.timeline import Time

_OF_TYPES = {
    "probability": pa.float64(),
    "known": pa.list_(pa.string()),
    "curve": pa.list_(pa.struct({"time": pa.string(), "probability": pa.float64()})),
}
_PREDICTIONS = pa.schema([(one.name, _OF_TYPES.get(one.name, pa.string())) for one in fields(PredictionRow)])
FILTERS = ("none", "any-time", "same-interval", "instants")


class CompletionModel:
    """A model that knows which facts are likely, and when, in its folder."""

    def __init__(self, trained: TrainedModel) -> None:
        self.trained = trained

    @property
    def folder(self) -> Path:
        """Where it is; the command takes this folder, too."""
        return self.trained.folder

    def __repr__(self) -> str:
        about, valid = self.trained.about, self.trained.about["valid"]
        quality = f"MRR {valid['mrr']:.4f} on valid; " if valid else ""
        trained_on = about["dataset"]["name"]
        return f"<asof completion model {about['scorer']!r} of {trained_on}: {quality}{in_words(self.folder)}>"

    def predict(
        self,
        *,
        relation: str,
        subject: str | None = None,
        object: str | None = None,
        on: When | None = None,
        after: When | None = None,
        top: int | None = None,
    ) -> Frame:
        """Predict the end of a fact that is left out; with both ends given, when the fact held.

        Args:
            on: At this time; without it at any time.
            after: What comes next after this time, and when, from what was known by then; with both ends given, when
                the fact that holds then ends. Each row is a statement with the probability that it is true.
            top: So many answers (default: 10; 3 intervals).
        """
        from asof.completion.trained.prediction import when
        from asof.completion.trained.prediction_rows import answer_rows, interval_rows

        if subject is None and object is None:
            raise UserError("Give a subject, an object, or both to ask when the fact held.")
        if after is not None:
            if on is not None:
                raise UserError("after= asks what comes next: omit on=.")
            return self._next(subject, relation, object, as_span(after), top or 10)
        if subject is None or object is None:
            span = None if on is None else as_span(on)
            rows, notes = answer_rows(
                self.trained, subject=subject, relation=relation, object=object, on=span, top=top or 10
            )
            return _prediction_frame(rows, notes)
        if on is not None:
            raise UserError("With both subject and object, the model predicts when the fact held: omit on=.")
        names, number = self.trained.entities, self.trained.relations.number(relation)
        fact = names.number(subject), number, names.number(object)
        found = when(self.trained, *fact, top=top or 3)
        rows = interval_rows(self.trained, *fact, found)
        known = rows[0].known if rows else []
        told = [f"{self.trained.dataset.name} has this fact: {', '.join(known)}."] if known else []
        return _prediction_frame(rows, told)

    def _next(self, subject: str | None, relation: str, object: str | None, after: Time, top: int) -> Frame:
        from asof.completion.forecast.outlook_rows import ForecastFacts, outlook_rows

        facts = ForecastFacts(self.trained.dataset, self.trained.entities, self.trained.relations)
        rows, notes = outlook_rows(facts, subject=subject, relation=relation, object=object, after=after, top=top)
        return _prediction_frame(rows, notes)

    def add(self, facts: Any) -> Frame:
        """Take new facts in at once, all or none: what is counted knows them now, embeddings of old entities stay.

        They are written beside the model, so that it has them when it is opened again; ``undo`` forgets them.

        Args:
            facts: Whatever ``asof.open`` opens: a table, a data frame, a list of rows, a base.
        """
        from asof.completion.trained.adding import add_facts

        found = add_facts(self.trained, open_base(facts).store)
        self.trained = found.trained
        rows = [{"added": found.facts, "known": found.known, "new_entities": len(found.entities)}]
        return Frame.of(rows, notes=[f"New: {', '.join(found.entities)}."] if found.entities else [])

    def undo(self) -> int:
        """Forget all facts that were added since the training; return how many they were."""
        from asof.completion.trained.adding import undo_added
        from asof.completion.trained.folder import open_trained

        count = undo_added(self.folder)
        self.trained = open_trained(self.folder)
        return count

    def complete(self, *, least: float = 0.1, limit: int | None = None) -> Frame:
        """Propose missing ends, starts and objects of the whole base, the likeliest first; nothing is written into it.

        What the base remembers as rejected is not proposed again.

        Args:
            least: The lowest probability.
            limit: At most so many.
        """
        from asof.completion.trained.prediction_rows import proposal_row
        from asof.completion.trained.proposals import review_of
        from asof.completion.trained.reasons import ReasonWriter
        from asof.completion.trained.remembered import proposal_id, rejected_before

        review = review_of(self.trained, least=least)
        relations = self.trained.relations.labels
        notes = [
            f"No {one.what} is proposed for {one.facts:,} facts of {relations[one.relation]}: too few of that relation "
            "have a start and an end in train to learn how long they last."
            for one in review.abstentions
        ]
        shown = ("subject", "relation", "object", "start", "end", "proposed", "probability", "reason")
        why = ReasonWriter(self.trained, review.ends)
        gone = rejected_before(self.trained)
        kept = [one for one in review.proposals if proposal_id(self.trained, one) not in gone]
        rows = (proposal_row(self.trained, one, why) for one in kept[:limit])
        return Frame.of(rows, shown=shown, notes=notes)

    def rank(self, split: str = "test", filters: Sequence[str] = FILTERS) -> Frame:
        """Rank the right answers of a split among all entities, under each filter: MRR with its interval, hits."""
        from asof.completion.trained.measures import link_results

        shown = ("filter", "mrr", "mrr_low", "mrr_high", "hits@1", "hits@3", "hits@10", "queries")
        rows = link_results(self.trained, split, tuple(filters))  # type: ignore[arg-type]
        return Frame.of(rows, shown=shown)

    def intervals(self, split: str = "test") -> Frame:
        """Predict the intervals of all facts of a split that have both ends: aeIOU and others."""
        from asof.completion.trained.measures import time_results, why_no_intervals

        found = time_results(self.trained, split)
        if found is None:
            return Frame.of([], notes=[f"No intervals: {why_no_intervals(self.trained)}."])
        rows = ({"measure": name, "value": value} for name, value in found.items() if "@" in name)
        return Frame.of(rows, notes=[f"{found['facts']:,} facts with both ends."])


def _prediction_frame(rows: Sequence[PredictionRow], notes: Sequence[str]) -> Frame:
    """Make a frame of predictions, whose columns have the same types whatever was asked."""
    table = pa.Table.from_pylist([asdict(row) for row in rows], schema=_PREDICTIONS)
    return Frame(table, prediction_columns(rows[0].what) if rows else (), tuple(notes))


def open_completion(folder: str | PathLike[str]) -> CompletionModel:
    """Open a trained completion model, by its folder."""
    needs_torch()
    from asof.completion.trained.folder import open_trained

    return CompletionModel(open_trained(Path(folder)))


@overload
def train(scorer: Literal["memorize"], base: Any, **settings: Any) -> TaughtModel: ...
@overload
def train(scorer: str, base: Any, **settings: Any) -> CompletionModel: ...
def train(
    scorer: str,
    base: Base | str | PathLike[str] | Any,
    *,
    to: str | PathLike[str] | None = None,
    preset: str | None = None,
    protocol: str | None = None,
    split: str | None = None,
    built_on: Sequence[CompletionModel | str | PathLike[str]] = (),
    device: str = "cpu",
    **settings: Any,
) -> CompletionModel | TaughtModel:
    """Train a model that completes a temporal knowledge base; stopped at any moment, the same call resumes.

    ``train("memorize", benchmark)`` teaches the statements of a lama-tk benchmark to a network instead.

    Args:
        scorer: timeplex, timeplex-base, evidence, tntcomplex …: ``asof list scorers``; or memorize, or what another
            package adds to ``asof.api.trainings``.
        base: Whatever ``asof.open`` opens, or a folder with train.txt, valid.txt and test.txt.
        to: The folder; without one it is kept in the cache, and the same call finds it there.
        preset: The settings of a paper for this dataset and scorer, such as jain2020.
        protocol: How facts are read and ranked: corrected (default) or jain2020.
        split: "time" for forecasts: train before, valid and test after, and nothing of later times in train.
        built_on: Models whose embeddings are taken: timeplex and evidence build on timeplex-base.
        device: Where to train, as torch names it: cpu, cuda, cuda:1, mps.
        settings: ``rank=``, ``epochs=``, ``seed=`` and whatever else the scorer and its training have.
    """
    needs_torch()
    if scorer in registry.trainings.names():
        taught: TaughtModel = registry.trainings.get(scorer).train(base, to=to, **settings)
        return taught
    from asof.completion.quadruple_file import is_quadruple_file
    from asof.completion.trained.folder import open_trained, train_into
    from asof.completion.trained.kept_facts import fingerprint
    from asof.completion.trained.planning import planned_training
    from asof.completion.training.memory import needed_memory, see_that_it_fits

    models = [one.trained if isinstance(one, CompletionModel) else open_trained(Path(one)) for one in built_on]
    is_dataset = isinstance(base, str | PathLike) and (
        (Path(base) / "train.txt").is_file() or is_quadruple_file(Path(base))
    )
    location = str(base) if is_dataset else str(open_base(base).store.folder)
    found = planned_training(scorer, location, settings, preset=preset, protocol=protocol, built_on=models, split=split)
    dataset = found.dataset
    if dataset.rejects.count:
        shown = "\n  ".join(dataset.rejects.shown)
        warnings.warn(
            f"Could not read {dataset.rejects.count:,} {'line' if dataset.rejects.count == 1 else 'lines'}. The "
            f"first:\n  {shown}",
            stacklevel=2,
        )
    if found.notes:
        warnings.warn("\n".join(found.notes), stacklevel=2)
    if to is None:
        key = (scorer, fingerprint(dataset), str(dataset.protocol), sorted(found.plan.settings.items()), str(built_on))
        name = f"{dataset.name}-{scorer}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}"
        to = cache_folder() / "trained" / name
    with progress_bar("epoch") as progress:

        def on_epoch(row: dict[str, Any]) -> None:
            progress(row["epoch"], row["epochs"], note=f"loss {row['loss']:.3f}")

        def on_step(step: StepProgress) -> None:
            progress(step.epochs_done, step.epochs, note=f"step {step.step:,} of {step.steps:,}")

        see_that_it_fits(needed_memory(found.plan, dataset), found.plan, dataset)
        trained = train_into(
            Path(to),
            found.plan,
            dataset,
            found.location,
            on_progress=on_epoch,
            on_step=on_step,
            built_on=models,
            device=device,
        )
    return CompletionModel(trained)
