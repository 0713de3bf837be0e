"""How good trained models are: the missing entity under every filter, the missing interval under every measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from asof.completion.filters import FILTERS
from asof.completion.ranking import rank
from asof.completion.trained.diagnostics.baselines import baselines
from asof.completion.trained.measures import PREDICTIONS
from asof.metrics import Result
from asof.reports.charts import bars
from asof.reports.completion.models import INTERVAL_MEASURES, LINK_MEASURES, ReportedModel, SameFacts, of_facts
from asof.reports.html import cell, figure, numbers, paragraph, part_title, section, side_by_side

_COUNTED = ("mrr", "hits@1", "hits@10")


def links_section(groups: Sequence[SameFacts]) -> str:
    """MRR and hits under every filter (tables 2 and 11), beside what counting gets."""
    parts = []
    for group in groups:
        charts = [
            bars_of(
                f"{title} by filter",
                group.models,
                {chosen: [model.links[chosen, measure] for model in group.models] for chosen in FILTERS},
            )
            for measure, title in LINK_MEASURES.items()
        ]
        rows = [
            (model.key, model.name, chosen, *(model.links[chosen, measure] for measure in LINK_MEASURES))
            for model in group.models
            for chosen in FILTERS
        ]
        parts += [
            *map(part_title, group.heading),
            side_by_side(charts),
            numbers(
                group.titled("The numbers: missing entities"),
                ["", "model", "filter", *LINK_MEASURES.values()],
                rows,
            ),
            *_counting(group),
        ]
    split = groups[0].models[0].split
    return section(
        "links",
        "Link prediction: missing entities",
        paragraph(
            f"Both ends of every fact of {split} are asked for, and all entities are ranked. MRR is the mean of one "
            "over the rank of the right answer, hits@k the share of right answers among the first k. A filter takes "
            "other right answers out of the ranking: none; any-time, what is right at any time; same-interval, what "
            "is right in exactly the asked interval; instants, what is right, instant by instant, averaged (section "
            "3.2 of the paper)."
        ),
        *parts,
    )


def _counting(group: SameFacts) -> list[str]:
    """Set the models beside what counting their training facts gets."""
    first = group.models[0]
    counted = {
        name: {
            measure: first.mean(of_facts(ranking, measure))
            for ranking in [rank(scores, group.dataset, first.split)]
            for measure in _COUNTED
        }
        for name, scores in baselines(group.dataset).items()
    }
    rows: list[tuple[object, ...]] = [(name, *found.values()) for name, found in counted.items()]
    rows += [
        (f"{model.key} {model.name}", *(model.links["instants", measure] for measure in _COUNTED))
        for model in group.models
    ]
    best = max(found["mrr"].value for found in counted.values())
    return [
        paragraph(
            f"Counting the training facts, without any model, gets an MRR of {best:.3f} (filter instants); "
            "a model is worth what it has above that."
        ),
        numbers(
            group.titled("The numbers: beside counting"),
            ["ranked by", *(LINK_MEASURES[measure] for measure in _COUNTED)],
            rows,
        ),
    ]


def intervals_section(groups: Sequence[SameFacts]) -> str:
    """AeIOU, IOU, gIOU and TAC of the first interval and of the best of ten (tables 3 and 6)."""
    parts = []
    for group in groups:
        able = [model for model in group.models if model.times]
        parts += [*map(part_title, group.heading), *map(_unable, (one for one in group.models if not one.times))]
        if not able:
            continue
        charts = [
            bars_of(
                title,
                able,
                {
                    said: [model.times[f"{measure}@{k}"] for model in able]
                    for k, said in ((1, "the first"), (PREDICTIONS, f"the best of {PREDICTIONS}"))
                },
            )
            for measure, title in INTERVAL_MEASURES.items()
        ]
        rows = [
            (model.key, model.name, title, model.times[f"{measure}@1"], model.times[f"{measure}@{PREDICTIONS}"])
            for model in able
            for measure, title in INTERVAL_MEASURES.items()
        ]
        columns = ["", "model", "measure", "@1", f"@{PREDICTIONS}"]
        parts += [
            side_by_side(charts),
            numbers(group.titled("The numbers: missing intervals"), columns, rows),
        ]
    return section(
        "intervals",
        "Time prediction: missing intervals",
        paragraph(
            "For every fact with both ends, an interval is predicted from its subject, relation and object. 1 is exact "
            "under every measure. aeIOU also tells near misses from far ones: of two intervals that share as much with "
            "the right one, the nearer is better. How long intervals are is learnt on valid."
        ),
        *parts,
    )


def _unable(model: ReportedModel) -> str:
    return paragraph(f"{model.key} {model.name} predicts no intervals: {model.no_times}.")


def bars_of(
    title: str, models: Sequence[ReportedModel], named: Mapping[str, Sequence[Result]], *, highest: float = 1.0
) -> str:
    """Draw a group of bars for each name: its results, one for each model."""
    groups = [
        (name, [model.bar(result) for model, result in zip(models, results, strict=True)])
        for name, results in named.items()
    ]
    said = "; ".join(
        f"{model.name}: " + ", ".join(f"{name} {cell(results[position])}" for name, results in named.items())
        for position, model in enumerate(models)
    )
    return figure(f"{title}, with 95 % intervals", bars(title, said, groups, highest=highest))
