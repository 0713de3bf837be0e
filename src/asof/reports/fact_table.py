"""The table of facts: sorted and filtered by ``page.js``, which also draws a fact's dates when it is opened.

Each fact's dates are inlined as JSON, about 25 bytes a date, and read only when the fact is opened.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow.compute as pc

from asof.reports.figures import ReportedRun
from asof.reports.html import section
from asof.reports.svg import short
from asof.runs.scores.timestress import PRECISIONS

_ABOUT = ("group", "subject", "relation", "start", "end", "popularity", "answers", "prompt")


def facts_section(runs: Sequence[ReportedRun]) -> str:
    """Return the table of all facts that some run has scored, the most popular first, and their dates."""
    about = {fact: row for run in reversed(runs) for fact, row in _described(run).items()}
    dates = [_dates(run) for run in runs]
    order = sorted(about, key=lambda fact: (-about[fact]["popularity"], fact))
    heads = [("fact", "text"), ("popularity", "number")]
    for run in runs:
        before = f"{run.key} " if len(runs) > 1 else ""
        heads += [(f"{before}win rate", "number"), (f"{before}known at", "number")]
    head = "".join(
        f'<th scope="col" aria-sort="none"><button type="button" data-kind="{kind}">{escape(name)}</button></th>'
        for name, kind in heads
    )
    body = "".join(
        _row(position, about[fact], [run.by_fact.get(fact) for run in runs]) for position, fact in enumerate(order)
    )
    scripts = "".join(
        f'<script type="application/json" id="fact{position}">{_as_json(_data(about[fact], runs, dates))}</script>\n'
        for position, fact in enumerate(order)
    )
    return section(
        "facts",
        "Every fact",
        "<p>Global win rate, and the precisions at which the fact is robustly known. Open a fact to see each of its "
        "dates.</p><noscript><p>Sorting, filtering and opening need JavaScript.</p></noscript>",
        '<p class="controls" hidden><label for="filter">Show facts with</label> '
        '<input id="filter" type="search" autocomplete="off" placeholder="a name, a relation, a year"> '
        '<span id="shown" role="status"></span></p>',
        '<div class="scroll" tabindex="0" role="region" aria-label="Table of facts">'
        f'<table id="fact-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>',
        scripts,
    )


def _described(run: ReportedRun) -> dict[str, dict[str, Any]]:
    """Return the first item of each scored fact: names, period, popularity and how it was asked."""
    _, first = np.unique(run.scores.table["group"].to_numpy(zero_copy_only=False), return_index=True)
    rows = run.scores.table.select(list(_ABOUT)).take(first).to_pylist()
    return {row["group"]: row for row in rows if row["group"] in run.by_fact}


def _dates(run: ReportedRun) -> dict[str, tuple[dict[str, Any], list[float | None]]]:
    """Return the dates of each scored fact in the order of their α, as small as may be, and the log-probabilities."""
    dated = run.scores.table.filter(pc.is_valid(run.scores.table["date"]))  # without those that name no date
    table = dated.sort_by([("group", "ascending"), ("alpha", "ascending"), ("date", "ascending")])
    groups = table["group"].to_pylist()
    found = {}
    start = 0
    for fact, members in groupby(groups):
        rows = table.slice(start, sum(1 for _ in members))
        start += rows.num_rows
        if fact in run.by_fact:
            asked = {
                "date": " ".join(rows["date"].to_pylist()),
                "precision": "".join(name[0] for name in rows["precision"].to_pylist()),
                "verdict": "".join(name[0] for name in rows["verdict"].to_pylist()),
                "alpha": [round(alpha, 2) for alpha in rows["alpha"].to_pylist()],
            }
            # A log-probability of minus infinity becomes null: JSON has no word for it.
            logprobs = [round(value, 3) if math.isfinite(value) else None for value in rows["logprob"].to_pylist()]
            found[fact] = asked, logprobs
    return found


def _row(position: int, about: dict[str, Any], scores: Sequence[Any]) -> str:
    when = f"{about['start']} to {about['end']}"
    name = f"{about['subject']} · {about['relation']} · {about['answers'][0]}"
    cells = (
        f'<th scope="row" data-value="{escape(name)}"><button type="button" class="open" aria-expanded="false" '
        f'disabled>{escape(name)}</button> <span class="when">{escape(when)}</span></th>'
        f'<td data-value="{about["popularity"]}">{short(about["popularity"])}</td>'
    )
    for fact in scores:
        if fact is None:
            cells += '<td data-value="-1">not asked</td><td data-value="-1"></td>'
            continue
        known = [precision for precision in PRECISIONS if fact.robust[precision] == 1]
        rate = fact.measures["win-rate global"]
        cells += f'<td data-value="{rate}">{rate:.3f}</td>'
        cells += f'<td data-value="{len(known)}">{", ".join(known) or "none"}</td>'
    return f'<tr data-fact="{position}">{cells}</tr>\n'


def _data(
    about: dict[str, Any],
    runs: Sequence[ReportedRun],
    dates: Sequence[dict[str, tuple[dict[str, Any], list[float | None]]]],
) -> dict[str, Any]:
    """Return a fact's dates, written once for the runs that have the same, and each run's log-probabilities."""
    fact = about["group"]
    lists: list[dict[str, Any]] = []
    scored = []
    for run, found in zip(runs, dates, strict=True):
        if fact not in found:
            continue
        asked, logprobs = found[fact]
        if asked not in lists:
            lists.append(asked)
        scored.append(
            {
                "run": f"{run.key} {run.name}",
                "dates": lists.index(asked),
                "logprob": logprobs,
                "win": [round(run.by_fact[fact].win_rates[precision], 3) for precision in PRECISIONS],
                "robust": [run.by_fact[fact].robust[precision] == 1 for precision in PRECISIONS],
            }
        )
    return {"prompt": about["prompt"], "answer": about["answers"][0], "dates": lists, "runs": scored}


def _as_json(value: Any) -> str:
    r"""Return JSON that cannot end the script element it stands in.

    >>> _as_json({"name": "</script>"})
    '{"name":"\\u003c/script>"}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
