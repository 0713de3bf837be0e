"""How trained models got there, and whether their probabilities can be believed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from asof.completion.trained.calibration import expected_calibration_error
from asof.completion.training.phases import weighed_on_valid
from asof.metrics import Result
from asof.reports.charts import Line, Point, lines
from asof.reports.completion.models import ReportedModel, SameFacts
from asof.reports.html import figure, numbers, paragraph, part_title, section, side_by_side
from asof.reports.svg import round_ticks, short
from asof.training.epoch_log import read_log

_BINS = 10  # of probability, in the diagram


def training_section(groups: Sequence[SameFacts]) -> str:
    """MRR on valid by epoch."""
    parts: list[str] = []
    for group in groups:
        parts += map(part_title, group.heading)
        series, rows = [], []
        for model in group.models:
            epochs = _epochs(model)
            points = [Point(at, row["valid_mrr"], _said(at, row)) for at, row in epochs if "valid_mrr" in row]
            if points:
                series.append(Line(model.key, model.position, points))
            else:
                why = "was never evaluated on valid" if epochs else "took all its embeddings from another model"
                parts.append(paragraph(f"{model.key} {model.name} has no line: it {why}."))
            rows += [
                (model.key, row["phase"], row["epoch"], float(row["loss"]), row.get("valid_mrr", ""), row["seconds"])
                for _, row in epochs
            ]
            if weighed_on_valid(model.trained.scorer):
                valid = model.trained.about["valid"]["mrr"]
                parts.append(
                    paragraph(
                        f"What {model.key} {model.name} learnt on valid after its embeddings brings it to "
                        f"{valid:.3f}, each half of valid judged by what was learnt on the other."
                    )
                )
        if series:
            last = max(point.x for line in series for point in line.points)
            said = "; ".join(f"{line.key} ends at {line.points[-1].y:.3f}" for line in series)
            drawn = lines(
                "MRR on valid by epoch", said, series, x_label="epoch", y_label="MRR on valid",
                x_ticks=[(tick, short(tick)) for tick in round_ticks(0, last) if tick == int(tick)],
            )  # fmt: skip
            parts.append(side_by_side([figure("MRR on valid by epoch", drawn)]))
        columns = ["model", "phase", "epoch", "loss", "MRR on valid", "seconds"]
        parts.append(numbers(group.titled("The numbers: epochs"), columns, rows))
    return section(
        "training",
        "Training curves",
        paragraph(
            "The weights with the highest MRR on valid are kept. Of models that are trained in phases the epochs are "
            "counted on."
        ),
        *parts,
    )


def _epochs(model: ReportedModel) -> list[tuple[int, dict[str, Any]]]:
    return list(enumerate(read_log(model.trained.folder / "epochs.jsonl"), start=1))


def _said(at: int, row: dict[str, Any]) -> str:
    return f"epoch {at} (phase {row['phase']}), MRR {row['valid_mrr']:.4f}"


def calibration_section(groups: Sequence[SameFacts]) -> str:
    """The share of right answers against the probability that the model gave them."""
    parts = []
    for group in groups:
        charts, rows = [], []
        for model in group.models:
            bins = reliability(model)
            points = [
                Point(sure, result.value, f"said {sure:.2f}, right {result.value:.2f}, n = {result.n}", *_ends(result))
                for sure, result in bins
            ]
            rows += [(model.key, model.name, sure, result) for sure, result in bins]
            title = f"{model.key} {model.name}: expected calibration error {_error(model):.3f}"
            drawn = lines(
                title, "The numbers are in the table below", [Line(model.key, model.position, points)],
                x_label="probability of the first answer", y_label="share that is right",
                x_ticks=[(tick, short(tick)) for tick in round_ticks(0, 1)], y_range=(0, 1), diagonal=True,
            )  # fmt: skip
            charts.append(figure(title, drawn))
        errors = [
            (
                model.key, model.name, what, fitted.temperature, fitted.expected_calibration_error, fitted.n,
                _error(model) if what == "entities" else "",
            )
            for model in group.models
            for what, fitted in (("entities", model.trained.links), ("times", model.trained.times))
            if fitted
        ]  # fmt: skip
        split = group.models[0].split
        parts += [
            *map(part_title, group.heading),
            side_by_side(charts),
            numbers(group.titled("The numbers: bins of probability"), ["", "model", "probability", "right"], rows),
            numbers(
                group.titled("The numbers: temperatures"),
                [
                    "",
                    "model",
                    "of",
                    "temperature",
                    "calibration error, valid",
                    "n of valid",
                    f"calibration error, {split}",
                ],
                errors,
            ),
        ]
    return section(
        "calibration",
        "Calibration of the probabilities",
        paragraph(
            "The first answer to every question, other known answers left out, by the probability that the model gives "
            "it. On the dashed line probabilities mean what they say; below it the model is overconfident. "
            "Probabilities "
            "are a softmax of scores with a temperature that was fitted on valid."
        ),
        *parts,
    )


def reliability(model: ReportedModel) -> list[tuple[float, Result]]:
    """Return, for each bin of probability, the mean of what was said and the share that is right, by question."""
    sure, right = model.asked.sure, model.asked.right
    bins = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    return [(float(sure[bins == one].mean()), model.mean(right[bins == one])) for one in np.unique(bins)]


def _error(model: ReportedModel) -> float:
    return expected_calibration_error(model.asked.sure, model.asked.right)


def _ends(result: Result) -> tuple[float, float]:
    return result.low, result.high
