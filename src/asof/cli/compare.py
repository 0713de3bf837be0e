"""``asof compare``: two runs on the same facts."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from asof.cli.options import json_option
from asof.cli.output import counted, show, talk
from asof.runs import read_run
from asof.runs.compare import Comparison, Difference, compare_runs


@click.command("compare")
@click.argument("left", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("right", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--seed", type=int, default=0, help="The random seed of the sign-flip test, which samples with more than 20 facts."
)
@json_option
def command(left: Path, right: Path, seed: int, as_json: bool) -> None:
    """Compare two runs, paired by item and tested by fact.

    The difference is second minus first, on the items that both have; low and high are its 95 % interval. p is from a
    two-sided sign-flip test over facts: how often would a difference as large come up if it did not matter which run
    a score is from? p_holm is p after Holm's correction for the number of metrics: one in twenty that do not differ
    has p below 0.05 by chance. better says whether a high or a low value of the metric is good.
    """
    found = compare_runs(read_run(left), read_run(right), seed=seed)
    if as_json:
        show([_json(found, row) for row in found.differences], columns=[], as_json=True)
        return
    (first, second), (of_first, of_second) = found.runs, found.facts
    talk(
        f"{first}: {counted(of_first, 'fact')}. {second}: {counted(of_second, 'fact')}. "
        f"In both, and compared: {found.shared:,}."
    )
    rows = [
        {"measure": row.measure, first: _rounded(row.first), second: _rounded(row.second)}
        | {name: _rounded(getattr(row, name)) for name in ("difference", "low", "high", "p", "p_holm", "n")}
        | {"better": row.better}
        for row in found.differences
    ]
    show(rows, columns=list(rows[0]) if rows else [], as_json=False)
    for note in found.notes:
        talk(note)


def _json(comparison: Comparison, row: Difference) -> dict[str, Any]:
    numbers = {name: _rounded(value) for name, value in asdict(row).items()} | {"ahead": row.ahead}
    about = {
        "runs": comparison.runs,
        "facts": comparison.facts,
        "shared_facts": comparison.shared,
        "notes": comparison.notes,
    }
    return numbers | about


def _rounded(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value
