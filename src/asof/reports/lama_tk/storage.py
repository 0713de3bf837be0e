"""What is kept: prompts with one and with several answers, and what conflicts cost (tables 2 and 3 of the paper)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from asof.metrics import Result
from asof.reports.charts import bars
from asof.reports.html import cell, difference, figure, numbers, paragraph, section, side_by_side
from asof.reports.lama_tk.runs import COLUMNS, RecallRun, bar, difference_of, in_row

_WORDS = {"single": "one right answer", "multiple": "several right answers"}
_NUMBERS = tuple(_WORDS)
_SHOWN = ("Acc@1", "Acc@5", "Hit@5")


def storage_section(runs: Sequence[RecallRun]) -> str:
    """Single and multiple answers (table 2), places and relations."""
    reciting = [run for run in runs if run.query == "recite"]
    if not reciting:
        return ""
    found = {(run.key, number): run.results(number=number) for run in reciting for number in _NUMBERS}
    rows = [
        (run.key, number, *in_row(found[run.key, number]))
        for run in reciting
        for number in _NUMBERS
        if found[run.key, number]["Acc@1"].n
    ]
    charts = []
    for measure in _SHOWN:
        groups = [
            (
                _WORDS[number],
                [bar(run, result) for run in reciting for result in [found[run.key, number][measure]] if result.n],
            )
            for number in _NUMBERS
            if any(found[run.key, number][measure].n for run in reciting)
        ]
        said = "; ".join(
            f"{run.name}, {number} {cell(found[run.key, number][measure])}" for run in reciting for number in _NUMBERS
        )
        charts.append(figure(measure, bars(measure, said, groups)))
    return section(
        "storage",
        "What do the models memorize?",
        paragraph(
            "Each fact is said in a statement of which one part is left out: subject, object, start or end. Acc@k asks "
            "for any right answer among the first k, Hit@k for the one that was left out. Where several answers are "
            "right, a high Acc and a low Hit say that one of them is kept and the others are not."
        ),
        side_by_side(charts),
        numbers("One and several answers (table 2)", ["run", "answers", *COLUMNS], rows, is_open=True),
        numbers("By what is left out", ["run", "left out", *COLUMNS], _by("place", reciting)),
        numbers("By relation", ["run", "relation", *COLUMNS], _by("relation_label", reciting)),
    )


def _by(tag: str, runs: Sequence[RecallRun]) -> Iterator[tuple[object, ...]]:
    for run in runs:
        for value in dict.fromkeys(run.column(tag).tolist()):
            yield run.key, value, *in_row(run.results(**{tag: value}))


def conflicts_section(runs: Sequence[RecallRun]) -> str:
    """Statements with one answer, where the model was also taught conflicting ones and where not (table 3)."""
    reciting = [run for run in runs if run.query == "recite"]
    if len({run.with_conflicts for run in reciting}) < 2:
        return ""
    rows = []
    for run in reciting:
        taught = "with conflicts" if run.with_conflicts else "without"
        alone = (run.column("number") == "single") & (run.column("conflicts") == 0)
        rows.append((run.key, taught, "one answer", *in_row(run.results(number="single"))))
        rows.append((run.key, taught, "... and no conflict in its fact", *in_row(run.results(alone))))
        both = alone & (run.column("one_to_one") == True)  # noqa: E712 - a column
        rows.append((run.key, taught, "... and a 1-1 relation", *in_row(run.results(both))))
    pairs = [
        (f"{other.key} − {one.key}", f"{one.model}, {one.benchmark.groups_count:,} facts", *_differences(one, other))
        for one in reciting
        for other in reciting
        if one.with_conflicts and not other.with_conflicts and _same_facts(one, other)
    ]
    return section(
        "conflicts",
        "What do conflicts cost?",
        paragraph(
            "Statements that have one answer, recited by models that were also taught conflicting ones and by models "
            "that were not. Differences are of statements that both were asked, paired, with intervals by fact."
        ),
        numbers("With and without conflicts (table 3)", ["run", "taught", "statements", *COLUMNS], rows, is_open=True),
        numbers("Without − with conflicts", ["runs", "model", "Acc@1", "Hit@5", "statements"], pairs, is_open=True)
        if pairs
        else "",
    )


def _same_facts(first: RecallRun, second: RecallRun) -> bool:
    """Tell whether two runs are of one kind of model and on benchmarks that differ in their conflicts only."""
    settings = [{**run.benchmark.settings, "conflicts": None} for run in (first, second)]
    bases = [run.benchmark.description.get("base") for run in (first, second)]
    return first.model == second.model and settings[0] == settings[1] and bases[0] == bases[1]


def _differences(first: RecallRun, second: RecallRun) -> tuple[object, ...]:
    gaps = [
        difference_of(first, second, measure, np.asarray(first.column("number") == "single"))
        for measure in ("Acc@1", "Hit@5")
    ]
    return (*map(_signed, gaps), gaps[0].n)


def _signed(gap: Result) -> str:
    return difference(gap.value, gap.low, gap.high) if gap.n else "none in common"
