"""What trained models have understood of relations: orders in time, how long facts last, one relation at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from asof.completion.trained.diagnostics.by_relation import relation_results
from asof.completion.trained.diagnostics.orderings import (
    LEAST_SHARE,
    LEAST_SUBJECTS,
    Orderings,
    mined_orderings,
    violations,
)
from asof.completion.trained.diagnostics.relation_classes import CLASSES, NEARLY_AT_ONCE, SHORT, classes_of
from asof.completion.trained.diagnostics.relation_classes import mean_durations as durations_of
from asof.metrics import Result
from asof.reports.completion.models import ReportedModel, SameFacts, of_facts
from asof.reports.completion.results import bars_of
from asof.reports.html import numbers, paragraph, part_title, section, side_by_side

_SCALES = (0.02, 0.05, 0.1, 0.2, 0.5)  # of charts of small shares


def orders_section(groups: Sequence[SameFacts]) -> str:
    """First answers that break an order that train has (tables 4, 7 and 8)."""
    parts = []
    for group in groups:
        orders = mined_orderings(group.dataset)
        parts += [*map(part_title, group.heading), *(_broken(group, orders) if len(orders) else [_no_orders(group)])]
    return section(
        "orders",
        "Temporal order of relations",
        paragraph(
            "A person is born before winning a prize, for example. One relation comes before another when it "
            f"starts earlier for {100 * LEAST_SHARE:g} % of the {LEAST_SUBJECTS} or more subjects of train that have "
            "both. Counted are the questions for a subject whose first answer, given its training facts, breaks "
            "such an order."
        ),
        *parts,
    )


def _no_orders(group: SameFacts) -> str:
    return paragraph(
        f"Train of {group.dataset.name} has no such order: no pair of relations is in one order for so many subjects."
    )


def _broken(group: SameFacts, orders: Orderings) -> list[str]:
    labels = group.models[0].trained.relations.labels
    shares: dict[str, list[Result]] = {"first answers": [], "right answers": []}  # the latter are the same for all
    rows: list[tuple[object, ...]] = []
    for model in group.models:
        questions, first = model.ranked.subject_questions
        for name, answers in (("first answers", first), ("right answers", questions.answer)):
            found = violations(group.dataset, orders, questions, answers)
            share = model.mean(found.broken.astype(float))
            shares[name].append(share)
            rows.append((model.key, model.name, name, share, int(found.broken.sum()), int(found.judged.sum())))
    most = max(result.high for result in shares["first answers"])
    highest = next((scale for scale in _SCALES if scale >= most), 1.0)
    orders_rows = [
        (labels[before], labels[after], float(share), int(subjects))
        for before, after, share, subjects in zip(
            orders.before, orders.after, orders.share, orders.subjects, strict=True
        )
    ]
    return [
        paragraph(f"Of the right answers, {100 * shares['right answers'][0].value:.1f} % break one, too."),
        side_by_side(
            [
                bars_of(
                    "First answers that break an order",
                    group.models,
                    {"first answers": shares["first answers"]},
                    highest=highest,
                )
            ]
        ),
        numbers(
            group.titled("The numbers: broken orders"),
            ["", "model", "answers", "broken, share of all", "broken", "judged"],
            rows,
        ),
        numbers(
            group.titled(f"The orders that train has: {len(orders)}"),
            ["before", "after", "share in order", "subjects"],
            orders_rows,
        ),
    ]


def classes_section(groups: Sequence[SameFacts]) -> str:
    """MRR and aeIOU@1 by how long facts of the relation last (table 9), and MRR of each relation."""
    parts = []
    for group in groups:
        parts += [*map(part_title, group.heading), *_of_classes(group), _of_relations(group)]
    return section(
        "classes",
        "Events, short facts and long ones",
        paragraph(
            "Relations by how long their facts last on average in train: instant, less than "
            f"{NEARLY_AT_ONCE:g} years; short, less than {SHORT:g} years; long. MRR is that of the filter instants."
        ),
        *parts,
    )


def _of_classes(group: SameFacts) -> list[str]:
    of_relation = classes_of(durations_of(group.dataset))
    labels = group.models[0].trained.relations.labels
    asked = of_relation[group.dataset.split(group.models[0].split).relation]
    there = [number for number in range(len(CLASSES)) if (asked == number).any()]
    if not there:
        return [paragraph("No relation has facts with both ends in train, so it is not known how long facts last.")]
    mrr = {CLASSES[number]: [_mrr(model, of_relation == number) for model in group.models] for number in there}
    able = [model for model in group.models if model.dated]
    aeiou = {CLASSES[number]: [_aeiou(model, of_relation == number) for model in able] for number in there}
    charts = [bars_of("MRR by class", group.models, mrr)]
    charts += [bars_of("aeIOU@1 by class", able, aeiou)] if able else []
    rows = [
        (
            model.key,
            model.name,
            name,
            mrr[name][position],
            aeiou[name][able.index(model)] if model in able else model.no_times,
            ", ".join(labels[relation] for relation in np.flatnonzero(of_relation == CLASSES.index(name)).tolist()),
        )
        for position, model in enumerate(group.models)
        for name in mrr
    ]
    columns = ["", "model", "class", "MRR", "aeIOU@1", "relations"]
    return [side_by_side(charts), numbers(group.titled("The numbers: classes of relations"), columns, rows)]


def _mrr(model: ReportedModel, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Result:
    facts = model.dataset.split(model.split)
    return model.mean(of_facts(model.ranked.ranking, "mrr")[chosen[facts.relation]])


def _aeiou(model: ReportedModel, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Result:
    facts, scores = model.dated or (None, {})
    return model.mean(scores["aeiou@1"][chosen[facts.relation]] if facts is not None else np.zeros(0))


def _of_relations(group: SameFacts) -> str:
    rows = []
    for model in group.models:
        found = relation_results(model.ranked.ranking, len(group.dataset.relations))
        labels = model.trained.relations.labels
        rows += [
            (labels[relation], model.key, int(facts), float(objects), float(subjects))
            for relation, facts, objects, subjects in zip(
                found.relation, found.facts, found.objects, found.subjects, strict=True
            )
        ]
    order = {name: position for position, name in enumerate(dict.fromkeys(row[0] for row in rows))}
    rows.sort(key=lambda row: order[row[0]])
    columns = ["relation", "model", "facts", "MRR of objects", "MRR of subjects"]
    return numbers(group.titled("The numbers: relation by relation"), columns, rows)
