"""How models use what they keep: when something began and ended, and what held in between (tables 4 and 5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from asof.metrics import Result, mean_of_items
from asof.reports.charts import bars
from asof.reports.html import cell, difference, figure, numbers, paragraph, section, side_by_side
from asof.reports.lama_tk.runs import COLUMNS, RecallRun, bar, in_row

_WORDS = {"implicit-original": "the statement's words", "implicit-new": "new words"}


def boundary_section(runs: Sequence[RecallRun]) -> str:
    """When did it begin, when did it end? (table 4)."""
    asked = [run for run in runs if run.query == "boundary"]
    if not asked:
        return ""
    results = {run.key: run.results() for run in asked}
    rows = [(run.key, "both", *in_row(results[run.key])) for run in asked]
    for run in asked:
        rows += [(run.key, blank, *in_row(run.results(place=blank))) for blank in ("start", "end")]
    charts = [
        figure(
            f"Boundary queries, {measure}",
            bars(
                measure,
                "; ".join(f"{run.name} {cell(results[run.key][measure])}" for run in asked),
                [("start and end", [bar(run, results[run.key][measure]) for run in asked])],
            ),
        )
        for measure in ("Acc@1", "Acc@5")
    ]
    return section(
        "boundary",
        "Do the models know when a fact began and ended?",
        paragraph(
            "The statements say from when to when; these queries ask for one of the two, in words that were never "
            'taught: "... was elected ... in _X_.", "... resigned from ... in _X_."'
        ),
        side_by_side(charts),
        numbers("Boundary queries (table 4)", ["run", "asked for", *COLUMNS], rows, is_open=True),
    )


def implicit_section(runs: Sequence[RecallRun]) -> str:
    """What held at a time strictly inside? In the words of the statement and in others (table 5)."""
    asked = [run for run in runs if run.query == "implicit"]
    if not asked:
        return ""
    found = {(run.key, query): run.results(query=query) for run in asked for query in _WORDS}
    rows = [(run.key, words, *in_row(found[run.key, query])) for run in asked for query, words in _WORDS.items()]
    charts = []
    for measure in ("Acc@1", "Acc@5"):
        groups = [
            (words, [bar(run, found[run.key, query][measure]) for run in asked]) for query, words in _WORDS.items()
        ]
        said = "; ".join(
            f"{run.name}, {words} {cell(found[run.key, query][measure])}"
            for run in asked
            for query, words in _WORDS.items()
        )
        charts.append(figure(f"Between start and end, {measure}", bars(measure, said, groups)))
    gaps = [(run.key, *(_said(_new_words(run, measure)) for measure in ("Acc@1", "Acc@5"))) for run in asked]
    return section(
        "implicit",
        "Do the models know what held in between?",
        paragraph(
            "A time strictly inside, which no statement names, and a subject with other objects at other times. New "
            "words say the same as the statement: who understands them does not merely recite."
        ),
        side_by_side(charts),
        numbers("Between start and end (table 5)", ["run", "asked in", *COLUMNS], rows, is_open=True),
        numbers("New words − the statement's words, paired", ["run", "Acc@1", "Acc@5"], gaps),
    )


def _new_words(run: RecallRun, measure: str) -> Result:
    """Return the difference that new words make, over facts that were asked in both."""
    values, facts, query = run.measured[measure], run.column("group"), run.column("query")
    of = {name: dict(zip(facts[query == name], values[query == name], strict=True)) for name in _WORDS}
    both = [fact for fact in of["implicit-original"] if fact in of["implicit-new"]]
    gaps = np.array([of["implicit-new"][fact] - of["implicit-original"][fact] for fact in both])
    lowest, highest = run.scores.units.ranges[measure]
    return mean_of_items(gaps, both, within=(lowest - highest, highest - lowest))


def _said(gap: Result) -> str:
    return f"{difference(gap.value, gap.low, gap.high)} n = {gap.n:,}" if gap.n else "nothing in both"
