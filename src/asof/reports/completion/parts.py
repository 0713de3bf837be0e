"""All that the page says of trained models: what they are, the sections, what to mind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from asof.completion.training.phases import weighed_on_valid
from asof.completion.training.trainer import CompletionTraining
from asof.reports.completion.ablation import ablation_section
from asof.reports.completion.learning import calibration_section, training_section
from asof.reports.completion.models import ReportedModel, SameFacts, read_models, same_facts
from asof.reports.completion.relations import classes_section, orders_section
from asof.reports.completion.results import intervals_section, links_section
from asof.reports.completion.time_sense import curves_section, distances_section
from asof.reports.html import PagePart, cards, cell, described, numbers, section
from asof.reports.run_kind import ReportParts, mind_few

_SECTIONS: tuple[tuple[str, str, Callable[[Sequence[SameFacts]], str]], ...] = (
    ("links", "Missing entities", links_section),
    ("intervals", "Missing intervals", intervals_section),
    ("ablation", "Side by side", ablation_section),
    ("distances", "Time vectors", distances_section),
    ("curves", "Over time", curves_section),
    ("orders", "Orders", orders_section),
    ("classes", "Classes", classes_section),
    ("training", "Training", training_section),
    ("calibration", "Calibration", calibration_section),
)


def completion_parts(
    folders: Sequence[Path], *, split: str, seed: int, first_position: int, on_message: Callable[[str], None]
) -> ReportParts:
    """Make the parts of the page about trained models.

    Args:
        on_message: Called with a sentence before each model is asked, which takes a while.
    """
    models = read_models(folders, split=split, seed=seed, first_position=first_position)
    for model in models:
        on_message(f"Asking {model.name} about {len(model.dataset.split(split)):,} facts of {split} ...")
        _ = model.links, model.times
    groups = same_facts(models)
    parts = [
        PagePart("models", "Models", section("models", "Trained models", cards(map(_card, models)), _settings(models)))
    ]
    parts += [PagePart(id, title, made(groups)) for id, title, made in _SECTIONS]
    leads = [_lead(models), *_warnings(models, groups)]
    return ReportParts([part for part in parts if part.content], leads, [model.name for model in models])


def _lead(models: Sequence[ReportedModel]) -> str:
    count = "A trained model was" if len(models) == 1 else f"{len(models)} trained models were"
    return (
        f"{count} asked for the missing entity and for the missing interval of the facts of {models[0].split}: "
        "completion of a temporal knowledge base, with the measures and diagnostics of Jain et al. 2020 (TIMEPLEX)."
    )


def _warnings(models: Sequence[ReportedModel], groups: Sequence[SameFacts]) -> list[str]:
    found = []
    if len(groups) > 1:
        found.append(
            "Caution: not all of these models have the same facts and protocol; only those under one heading can be "
            f"compared. The page has {', '.join(group.name for group in groups)}."
        )
    fitted = [model.name for model in models if weighed_on_valid(model.trained.scorer)]
    if models[0].split == "valid":
        found.append(
            "Mind: valid is what epochs, probabilities and lengths of intervals were chosen on, so figures on it are "
            "somewhat too good." + (f" Those of {', '.join(fitted)} measure nothing." * bool(fitted))
        )
    return found + mind_few(min(len(model.dataset.split(model.split)) for model in models))


def _card(model: ReportedModel) -> str:
    about: dict[str, Any] = dict(model.trained.about)
    dataset, training = about["dataset"], about["training"]
    others = model.trained.plan.settings.get("others", [])
    rows = {
        "MRR": f"{cell(model.links['instants', 'mrr'])}; filter instants",
        "aeIOU@1": cell(model.times["aeiou@1"]) if model.times else model.no_times,
        "Scorer": model.trained.plan.scorer,
        "Paper": about["paper"],
        "Dataset": f"{dataset['name']}, facts {dataset['facts'][:12]}; in {model.dataset.granularity}s",
        "Facts": ", ".join(f"{dataset[split]:,} {split}" for split in ("train", "valid", "test")),
        "Size": f"{dataset['entities']:,} entities, {dataset['relations']:,} relations, {dataset['points']:,} times",
        "Protocol": about["protocol"],
        "Seed": str(model.trained.plan.training.seed),
        "Trained for": f"{training['epochs']} epochs, {_duration(training['seconds'])}",
        "MRR on valid": f"{about['valid']['mrr']:.3f}" if about["valid"] else "not measured",
        "Settings": f"rank = {model.trained.plan.rank}, {_changed(model)}; all of them below",
        "Built on": ", ".join(f"weights {digest[:12]}" for digest in about.get("embeddings", [])),
        "With": ", ".join(f"{other['scorer']} of rank {other['rank']}" for other in others),
        "Made with": ", ".join(f"{name} {version}" for name, version in about["versions"].items()),
    }
    return described(model.key, model.position, model.name, rows)


def _changed(model: ReportedModel) -> str:
    """Name the settings of the training that are not those that everybody gets."""
    usual = asdict(CompletionTraining())
    own = asdict(model.trained.plan.training)
    found = [f"{name} = {value}" for name, value in own.items() if value != usual[name] and name != "seed"]
    return ", ".join(found) or "training as usual"


def _settings(models: Sequence[ReportedModel]) -> str:
    """Set the settings of all models beside each other; one that a scorer does not have is left empty."""
    every = [model.trained.plan.settings for model in models]
    names = dict.fromkeys(name for settings in every for name in settings if name != "others")
    rows = [(name, *(str(settings.get(name, "")) for settings in every)) for name in names]
    return numbers("All settings", ["setting", *(f"{model.key} {model.name}" for model in models)], rows)


def _duration(seconds: float) -> str:
    """Say how long something took.

    >>> _duration(0.4), _duration(95), _duration(7300)
    ('0.4 seconds', '95 seconds', '2.0 hours')
    """
    if seconds < 120:
        return f"{seconds:.2g} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"
