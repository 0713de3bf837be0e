"""``asof diagnose``: what a trained model has understood, and what simple counting would have got."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from asof.cli.options import json_option
from asof.cli.output import Row, counted, show, talk, write_json
from asof.cli.trained_models import model_argument, open_model, warn_of_valid

if TYPE_CHECKING:
    from asof.completion.trained.diagnostics.by_relation import RankedModel
    from asof.completion.trained.folder import TrainedModel

_EXAMPLES = """\b
Examples:
  asof diagnose trained/YAGO11k-timeplex-base --years 1958 2017
  asof diagnose trained/YAGO11k-timeplex-base --least-share 0.95 --json
"""
_SHOWN = 15  # relations or orders in a table; --json has all
_GAPS_SHOWN = 10


@click.command("diagnose", epilog=_EXAMPLES)
@model_argument
@click.option("--split", type=click.Choice(["valid", "test"]), default="test", show_default=True)
@click.option(
    "--least-share",
    type=click.FloatRange(0, 1),
    default=0.99,
    show_default=True,
    help="The share of the subjects with both relations that must keep an order of them.",
)
@click.option(
    "--least-subjects",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="The smallest number of such subjects.",
)
@click.option("--years", type=int, nargs=2, metavar="FIRST LAST", help="Only the time embeddings of these years.")
@json_option
def command(
    folder: Path, split: str, least_share: float, least_subjects: int, years: tuple[int, int] | None, as_json: bool
) -> None:
    """Show what a trained model has learned about time.

    Figures are by relation and beside simple baselines. The diagnostics of Jain et al. 2020 (section 5.3, appendices C
    and D). Ranks are filtered instant by instant, as the protocol of the model has it; orders, durations and baselines
    are counted from train alone.
    """
    trained = open_model(folder)
    warn_of_valid(trained, split)
    from asof.completion.trained.diagnostics.by_relation import ranked_model

    ranked = ranked_model(trained, split)
    if not as_json:
        facts = len(trained.dataset.split(split))
        talk(
            f"{trained.plan.scorer} on {split} of {trained.dataset.name}: {counted(2 * facts, 'question')} about "
            f"{counted(facts, 'fact')}; protocol {trained.dataset.protocol}."
        )
    tables = (
        _baselines(trained, ranked, split),
        _relations(trained, ranked),
        _classes(trained, split),
        *_orders(trained, ranked, least_share, least_subjects),
        *_distances(trained, years),
    )
    for table in tables:
        if as_json:
            for row in table.rows or [{"note": table.sentence}]:
                write_json({"measures": table.measures, **row, "split": split})
            continue
        if table is not tables[0]:
            click.echo(err=not table.rows)  # an empty line between tables, also in a pipe
        talk(table.sentence)
        if table.rows:
            shown = table.rows if table.shown is None else [table.rows[index] for index in table.shown]
            show(shown, columns=list(table.rows[0]), as_json=False)


@dataclass(frozen=True)
class _Table:
    """Rows with a sentence on what they tell; without rows it tells why there are none.

    Args:
        measures: What they are called in JSON.
        shown: The places of rows to show, where JSON has more.
    """

    measures: str
    sentence: str
    rows: list[Row] = field(default_factory=list)
    shown: Sequence[int] | None = None


def _baselines(trained: "TrainedModel", ranked: "RankedModel", split: str) -> _Table:
    from asof.completion.ranking import rank
    from asof.completion.trained.diagnostics.baselines import baselines

    rankings = {f"{trained.plan.scorer} (this model)": ranked.ranking}
    rankings |= {name: rank(scores, trained.dataset, split) for name, scores in baselines(trained.dataset).items()}
    rows: list[Row] = []
    for name, ranking in rankings.items():
        results = ranking.results()
        rows.append({"baseline": name} | {key: round(results[key], 4) for key in ("mrr", "hits@1", "hits@10")})
    return _Table(
        "baselines",
        "Finding the missing entity: the model beside what counting its training facts gets. "
        "A model is worth what it has above the best of these.",
        rows,
    )


def _relations(trained: "TrainedModel", ranked: "RankedModel") -> _Table:
    from asof.completion.trained.diagnostics.by_relation import relation_results

    found = relation_results(ranked.ranking, len(trained.dataset.relations))
    rows: list[Row] = [
        {
            "relation": trained.relations.labels[relation],
            "facts": int(facts),
            "mrr_objects": round(float(objects), 4),
            "mrr_subjects": round(float(subjects), 4),
        }
        for relation, facts, objects, subjects in zip(
            found.relation, found.facts, found.objects, found.subjects, strict=True
        )
    ]
    sentence = f"By relation: MRR when the object is asked for, and the subject.{_cut(rows)}"
    return _Table("relations", sentence, rows, range(min(_SHOWN, len(rows))))


def _classes(trained: "TrainedModel", split: str) -> _Table:
    from asof.completion.trained.diagnostics.relation_classes import interval_classes
    from asof.completion.trained.measures import why_no_intervals

    found = interval_classes(trained, split)
    if found is None:
        return _Table("classes", f"No intervals: {why_no_intervals(trained)}.")
    rows: list[Row] = [
        {
            "class": one.name,
            "facts": one.aeiou.n,
            **{
                name: round(value, 4) if one.aeiou.n else None
                for name, value in (("aeiou@1", one.aeiou.value), ("low", one.aeiou.low), ("high", one.aeiou.high))
            },
            "relations": [trained.relations.labels[relation] for relation in one.relations],
        }
        for one in found
    ]
    return _Table(
        "classes",
        "When a fact held, by how long facts of its relation last in train: at once, less than 5 years on average, "
        "longer. Facts with both ends; 1 is exact, low and high are the 95 % interval.",
        rows,
    )


def _orders(trained: "TrainedModel", ranked: "RankedModel", least_share: float, least_subjects: int) -> list[_Table]:
    from asof.completion.trained.diagnostics.orderings import mined_orderings, violations

    dataset, labels = trained.dataset, trained.relations.labels
    orders = mined_orderings(dataset, least_share=least_share, least_subjects=least_subjects)
    limits = f"{100 * least_share:g} % of the subjects that have both, {least_subjects:,} or more"
    if not len(orders):
        return [_Table("orders", f"No orders: no relation of train starts before another for {limits}.")]
    mined: list[Row] = [
        {"before": labels[one], "after": labels[other], "share": round(float(share), 4), "subjects": int(subjects)}
        for one, other, share, subjects in zip(orders.before, orders.after, orders.share, orders.subjects, strict=True)
    ]
    questions, first = ranked.subject_questions
    rows: list[Row] = []
    for name, answers in (("first answers of the model", first), ("right answers", questions.answer)):
        found = violations(dataset, orders, questions, answers)
        rows.append(
            {
                "answers": name,
                "breaking": round(found.share, 4),
                "broken": int(found.broken.sum()),
                "judged": int(found.judged.sum()),
                "questions": len(questions),
            }
        )
    return [
        _Table(
            "orders",
            f"Orders that train has: one relation starts before the other for {limits}.{_cut(mined)}",
            mined,
            range(min(_SHOWN, len(mined))),
        ),
        _Table(
            "violations",
            "Questions for a subject whose answer breaks such an order, given its training facts: as a share of all. "
            "Judged are those with a start whose answer has a training fact of an ordered relation.",
            rows,
        ),
    ]


def _distances(trained: "TrainedModel", years: tuple[int, int] | None) -> list[_Table]:
    from asof.completion.trained.diagnostics.time_distances import LEAST_PAIRS, time_distances

    unit = trained.dataset.granularity
    found = time_distances(trained.scorer, trained.dataset, years=years, least_pairs=LEAST_PAIRS)
    if found is None or not len(found.gap):
        reason = (
            f"no gap has {LEAST_PAIRS} pairs of {unit}s"
            if found
            else f"{trained.plan.scorer} has no vector for each {unit}"
        )
        return [_Table("time_order", f"No distances of time vectors: {reason}.")]
    rows: list[Row] = [
        {"gap": int(gap), "distance": round(float(distance), 4), "pairs": int(pairs)}
        for gap, distance, pairs in zip(found.gap, found.distance, found.pairs, strict=True)
    ]
    correlation = None if found.correlation is None else round(found.correlation, 4)
    shown = np.unique(np.linspace(0, len(rows) - 1, _GAPS_SHOWN).round().astype(int)).tolist()
    return [
        _Table(
            "time_order",
            f"Whether the vectors of {unit}s lie further apart the further the {unit}s are: Spearman's correlation of "
            "the gap with the mean distance, 1 if always, 0 if time is not to be seen in them.",
            [{"spearman": correlation, "gaps": len(rows), "unit": unit}],
        ),
        _Table(
            "time_distances",
            f"Mean distance of the vectors by gap in {unit}s; {len(shown)} of {counted(len(rows), 'gap')}.",
            rows,
            shown,
        ),
    ]


def _cut(rows: list[Row]) -> str:
    return f" The first {_SHOWN} of {len(rows):,}; --json has all." if len(rows) > _SHOWN else ""
