"""What trained models have understood of time: how far apart years lie in them, and when they believe facts held."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, UNSEEN, Dataset, Granularity, Ints, Quadruples
from asof.completion.interval_prediction import Floats
from asof.completion.trained.diagnostics.time_distances import LEAST_PAIRS, time_distances
from asof.completion.trained.prediction import WhenAnswer, when, written
from asof.metrics.aeiou import aeiou
from asof.reports.charts import Line, Point, lines
from asof.reports.completion.models import ReportedModel, SameFacts
from asof.reports.html import figure, numbers, paragraph, part_title, section, side_by_side
from asof.reports.svg import round_ticks, short

_POINTS = 80  # of a line; more cannot be told apart on a phone
_FACTS = 6  # whose curves are shown
_OUTSIDE = 0.05  # of a curve, on either side, that may lie outside of the picture
_RARE = 0.005  # of the starts and ends of training facts, on either side: datasets have a few years that are slips
_THINNEST = 0.006  # half of the shaded span, as a share of the picture


def distances_section(groups: Sequence[SameFacts]) -> str:
    """Distance of time vectors against the gap between the times (figure 2)."""
    parts: list[str] = []
    for group in groups:
        parts += map(part_title, group.heading)
        unit = group.dataset.granularity
        series, rows, said = [], [], []
        for model in group.models:
            found = time_distances(model.trained.scorer, model.dataset)
            if found is None or not len(found.gap):
                why = (
                    f"no gap has {LEAST_PAIRS} pairs of {unit}s"
                    if found
                    else f"{model.trained.plan.scorer} has no vector for each {unit}"
                )
                parts.append(paragraph(f"{model.key} {model.name} is not shown: {why}."))
                continue
            columns = (found.gap.tolist(), found.distance.tolist(), found.pairs.tolist())
            every = list(zip(*columns, strict=True))
            kept = np.unique(np.linspace(0, len(every) - 1, _POINTS).round().astype(int))
            points = [
                Point(gap, distance, f"{gap} {unit}s apart, {distance:.3f} from {pairs} pairs")
                for gap, distance, pairs in (every[position] for position in kept)
            ]
            series.append(Line(model.key, model.position, points))
            rows += [(model.key, *every[position]) for position in kept]
            follows = "none" if found.correlation is None else f"{found.correlation:+.2f}"
            said.append(f"{model.key} {model.name} {follows}")
        if not series:
            continue
        last = max(point.x for line in series for point in line.points)
        drawn = lines(
            "Distance of time vectors by gap",
            f"Correlation of distance with gap: {'; '.join(said)}",
            series,
            x_label=f"gap in {unit}s",
            y_label="mean distance",
            x_ticks=[(tick, short(tick)) for tick in round_ticks(0, last)],
        )
        parts += [
            paragraph(f"Spearman's correlation of distance with gap: {'; '.join(said)}."),
            side_by_side([figure(f"Mean distance of the vectors of two {unit}s by the gap between them", drawn)]),
            numbers(group.titled("The numbers: distance by gap"), ["model", "gap", "distance", "pairs"], rows),
        ]
    return section(
        "distances",
        "Time embeddings: are distant times far apart?",
        paragraph(
            "Nobody tells a model that 1904 is nearer to 1905 than to 1950. If it has seen so from the facts, the "
            "vectors of two times lie further apart the further the times are: a correlation near 1."
        ),
        *parts,
    )


def curves_section(groups: Sequence[SameFacts]) -> str:
    """How likely each time is as the time of a fact, for some facts (figure 3)."""
    parts: list[str] = []
    for group in groups:
        able = [model for model in group.models if model.dated]
        parts += map(part_title, group.heading)
        if not able:
            parts.append(paragraph(f"No model of {group.dataset.name} predicts intervals."))
            continue
        charts, rows = [], []
        for fact in _chosen(able[0]):
            drawn, told = _fact(able, fact)
            charts.append(drawn)
            rows += told
        columns = ["fact", "held", "model", "first prediction", "aeIOU"]
        parts += [side_by_side(charts), numbers(group.titled("The numbers: some facts"), columns, rows)]
    return section(
        "curves",
        "When do they believe a fact held?",
        paragraph(
            "How likely each time is to a model, its highest set to 1; the shaded span is when the fact held. Facts "
            "are drawn at random, from each of the most frequent relations in turn. Models that predict starts show "
            "how likely the fact was to begin."
        ),
        *parts,
    )


def _chosen(model: ReportedModel) -> list[Quadruples]:
    """Draw facts with both ends, one of each relation in turn, frequent relations first."""
    facts = model.dated[0] if model.dated else model.dataset.split(model.split)[:0]
    entities = model.dataset.entities
    nobody = len(entities) - 1 if entities[-1] == UNSEEN else -1  # stands for all that train does not have
    facts = facts[(facts.subject != nobody) & (facts.object != nobody)]
    drawn = np.random.default_rng(model.seed).permutation(len(facts))
    relation = facts.relation[drawn]
    count = np.bincount(relation, minlength=1)
    together = np.argsort(relation, kind="stable")
    turn = np.empty(len(facts), np.int64)
    turn[together] = np.arange(len(facts)) - np.searchsorted(relation[together], relation[together])
    rows = drawn[np.lexsort((relation, -count[relation], turn))][:_FACTS]
    return [facts[np.array([row])] for row in rows]


def _fact(models: Sequence[ReportedModel], fact: Quadruples) -> tuple[str, list[tuple[str, str, str, str, float]]]:
    """Draw what all models believe of one fact, and say what each predicts first."""
    trained = models[0].trained
    unit = trained.dataset.granularity
    subject, relation, object, start, end = (
        int(column[0]) for column in (fact.subject, fact.relation, fact.object, fact.start, fact.end)
    )
    names = (trained.entities.labels[subject], trained.relations.labels[relation], trained.entities.labels[object])
    name, held = " · ".join(names), _spell(start, end, unit)
    series, rows = [], []
    found = {model.key: when(model.trained, subject, relation, object, top=1) for model in models}
    first, last = _window(_usual(trained.dataset), (start, end), list(found.values()))
    beside = max(0.5, _THINNEST * (last - first))
    for model in models:
        times, heights = _outline(found[model.key], first, last)
        points = [
            Point(time, height, written(int(time), unit)) for time, height in zip(times, heights.tolist(), strict=True)
        ]
        series.append(Line(model.key, model.position, points, dots=False))
        begin, finish, _ = found[model.key].intervals[0]
        score = float(aeiou((start, end), (begin, finish)))
        rows.append((name, held, f"{model.key} {model.name}", _spell(begin, finish, unit), score))
    said = "; ".join(f"{row[2]} says {row[3]}" for row in rows)
    drawn = lines(
        name,
        f"It held {held}. {said}",
        series,
        x_label=unit,
        y_label="how likely, the highest is 1",
        x_ticks=_ticks(first, last, unit),
        y_range=(0, 1),
        shaded=(max(first, start - beside), min(last, end + beside)),
    )
    return figure(f"{name}: {held}", drawn), rows


def _usual(dataset: Dataset) -> tuple[int, int]:
    """Return the span of time in which nearly all training facts begin and end."""
    ends = np.concatenate([dataset.train.start, dataset.train.end])
    ends = ends[(ends > BEFORE_ALL) & (ends < AFTER_ALL)]
    if not len(ends):
        return dataset.covered
    first, last = np.quantile(ends, [_RARE, 1 - _RARE])
    return int(first), int(last)


def _window(usual: tuple[int, int], held: tuple[int, int], answers: Sequence[WhenAnswer]) -> tuple[int, int]:
    """Return the times to show: most of every curve within the usual, and the time in which the fact held."""
    ends = [*held]
    for one in answers:
        inside = (one.times >= usual[0]) & (one.times <= usual[1])
        sums = one.curve[inside].cumsum()
        if len(sums) and sums[-1] > 0:
            positions = np.searchsorted(sums, [_OUTSIDE * sums[-1], (1 - _OUTSIDE) * sums[-1]])
            ends += one.times[inside][positions].tolist()
    return min(ends) - 1, max(ends) + 1


def _outline(answer: WhenAnswer, first: int, last: int) -> tuple[Ints, Floats]:
    """Return the curve in as many points as can be seen: of neighbours the highest, at its own time."""
    inside = (answer.times >= first) & (answer.times <= last)
    times, heights = answer.times[inside], answer.curve[inside]
    if not len(times):
        return times, heights
    group = (times - first) * _POINTS // (last - first + 1)
    order = np.lexsort((-heights, group))
    _, best = np.unique(group[order], return_index=True)
    kept = order[best]
    return times[kept], heights[kept] / max(float(heights.max()), 1e-300)


def _ticks(first: int, last: int, unit: Granularity) -> list[tuple[float, str]]:
    if unit == "year":
        return [(tick, written(int(tick), unit)) for tick in round_ticks(first, last, about=4) if tick == int(tick)]
    positions = np.linspace(first, last, 5).round().astype(int)[1::2]  # two dates have room
    return [(int(position), written(int(position), unit)) for position in positions]


def _spell(first: int, last: int, unit: Granularity) -> str:
    start, end = written(first, unit), written(last, unit)
    return start if start == end else f"{start} to {end}"
