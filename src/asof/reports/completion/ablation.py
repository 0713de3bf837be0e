"""Models of one dataset beside each other, as an ablation: what each part adds (table 12 of Jain et al. 2020)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from asof.completion.interval_prediction import Floats
from asof.metrics import mean_of_facts
from asof.reports.completion.models import ReportedModel, SameFacts, of_facts
from asof.reports.html import difference, numbers, paragraph, part_title, section

_OF_INTERVALS = "aeiou@1"
_MEASURES = {"mrr": "MRR", "hits@1": "Hits@1", "hits@10": "Hits@10", _OF_INTERVALS: "aeIOU@1"}


def ablation_section(groups: Sequence[SameFacts]) -> str:
    """The table of models of the same facts, and their differences; nothing where no two are of the same facts."""
    several = [group for group in groups if len(group.models) > 1]
    if not several:
        return ""
    parts = []
    for group in several:
        models = sorted(group.models, key=_order)
        least = models[0]
        rows = []
        for model in models:
            row: list[object] = [model.key, model.name, role_of(model)]
            for measure in _MEASURES:
                found = model.times.get(measure) if measure == _OF_INTERVALS else model.links["instants", measure]
                row.append(_whole(f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]") if found else "none")
            rows.append(row)
        gaps = [
            [_whole(f"{model.key} − {least.key}"), f"{role_of(model)} − {role_of(least)}"]
            + [_difference(least, model, measure) for measure in _MEASURES]
            for model in models[1:]
        ]
        parts += [
            *map(part_title, group.heading),
            paragraph(_counted(models)),
            numbers(
                group.titled("The numbers: model by model"),
                ["", "model", "parts", *_MEASURES.values()],
                rows,
                is_open=True,
            ),
            numbers(
                group.titled(f"The numbers: differences from {least.key} {least.name}"),
                ["", "comparison", *_MEASURES.values()],
                gaps,
                is_open=True,
            ),
        ]
    return section(
        "ablation",
        "Ablation: what does each part add?",
        paragraph(
            "Models of the same facts under the same protocol; links are ranked with the filter instants. Differences "
            "are paired by fact: each fact's own difference. An interval on one side of 0 is one that "
            "another draw of facts would hardly turn round; another seed of the training may."
        ),
        *parts,
    )


def _counted(models: Sequence[ReportedModel]) -> str:
    facts, dated = len(models[0].dataset.split(models[0].split)), [model.dated for model in models if model.dated]
    return f"n = {facts:,} facts" + (f", and for aeIOU@1 the {len(dated[0][0]):,} with both ends." if dated else ".")


def _whole(text: str) -> str:
    """Keep a number and its interval on one line."""
    return text.replace(" ", "\u00a0")


def role_of(model: ReportedModel) -> str:
    """Say which parts of a family of models one has, as its scorer declares; of another scorer its name."""
    role = model.trained.scorer.ablation_role()
    return role.name if role else model.trained.plan.scorer


def _order(model: ReportedModel) -> tuple[float, int]:
    """Order as scorers declare, the least model first; those that declare nothing come last, as given."""
    role = model.trained.scorer.ablation_role()
    return (role.order if role else math.inf, model.position)


def _values(model: ReportedModel, measure: str) -> Floats | None:
    if measure != _OF_INTERVALS:
        return of_facts(model.ranked.ranking, measure)
    return model.dated[1][measure] if model.dated else None


def _difference(least: ReportedModel, model: ReportedModel, measure: str) -> str:
    first, second = _values(least, measure), _values(model, measure)
    if first is None or second is None:
        return "none"
    found = mean_of_facts(second - first, within=(-1, 1))
    return _whole(difference(found.value, found.low, found.high))
