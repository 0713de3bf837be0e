"""What the page says of runs of ``choose`` and ``yes-no``: who wins the pairs, what a way likes, some pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from asof.metrics import Result
from asof.registry import pages
from asof.reports.charts import Bar, bars
from asof.reports.html import cell, figure, numbers, paragraph, section, side_by_side
from asof.reports.item_run import ItemRun, by_tag, card, measures_of, what_to_mind
from asof.reports.run_kind import RunKind, asked

_LEVELS = ("year", "month", "day", "global")
_LIKINGS = ("first place", "place decides", "says yes", "yes to right", "yes to wrong", "no answer")
_EXAMPLES = 12
_TAGS = ("relation_label", "period")


def _wins_section(runs: Sequence[ItemRun]) -> str:
    """Win rate and robustness, at each precision where statements have dates."""
    charts = [_by_level(measure, runs) for measure in ("win-rate", "robustness")]
    shown = [name for name in measures_of(runs) if name not in _LIKINGS]
    table = numbers("The numbers: pairs", ["", "run", "measure", "result"], _rows(runs, shown), is_open=True)
    told = paragraph(
        "The win rate is the share of pairs in which the right one is preferred, over both orders; a half is chance, "
        "and counts where nothing was decided. Robust is a fact that wins all its pairs: the value is the share that "
        "wins all drawn pairs. Only the upper end of its interval tells much: some dozens of pairs refute robustness "
        "and do not prove it."
    )
    return section("pairs", "Right against wrong", told, side_by_side(filter(None, charts)), table)


def _by_level(measure: str, runs: Sequence[ItemRun]) -> str:
    names = [name for level in _LEVELS if (name := f"{measure} {level}") in measures_of(runs)]
    names = names or ([measure] if measure in measures_of(runs) else [])
    groups = [
        (name.removeprefix(measure).strip(), [_bar(run, run.results[name]) for run in runs if name in run.results])
        for name in names
    ]
    if not groups:
        return ""
    said = "; ".join(
        f"{run.name} {name} {cell(run.results[name])}" for run in runs for name in names if name in run.results
    )
    chance = 0.5 if measure == "win-rate" else None
    return figure(f"{measure} with 95 % intervals", bars(measure, said, groups, highest=1.0, chance=chance))


def _likings_section(runs: Sequence[ItemRun]) -> str:
    """What a model likes whatever is asked: the first place, to say yes."""
    there = [name for name in _LIKINGS if name in measures_of(runs)]
    charts = [
        figure(
            f"{name} with 95 % intervals",
            bars(
                name,
                "; ".join(f"{run.name} {cell(run.results[name])}" for run in runs if name in run.results),
                [("", [_bar(run, run.results[name]) for run in runs if name in run.results])],
                highest=1.0,
                chance=0.5 if name in ("first place", "says yes") else None,
            ),
        )
        for name in there
    ]
    told = paragraph(
        "Forced choice asks each pair in both orders, and yes or no is compared within a fact: a liking for the first "
        "place, or for yes, is in none of the win rates. It is shown here, as a large one leaves little to be seen."
    )
    table = numbers("The numbers: likings", ["", "run", "measure", "result"], _rows(runs, there))
    return section("likings", "Likings", told, side_by_side(charts), table)


def _tags_section(runs: Sequence[ItemRun]) -> str:
    parts = [by_tag(runs, tag, f"By {tag.removesuffix('_label')}", ["win-rate"]) for tag in _TAGS]
    return section("tags", "By tag", *filter(None, parts)) if any(parts) else ""


def _examples_section(runs: Sequence[ItemRun]) -> str:
    """Some pairs with what was said of each."""
    parts = []
    for run in runs:
        rows = run.scores.table.to_pylist()
        told = [_example(row, run) for row in rows[:: max(1, len(rows) // _EXAMPLES)][:_EXAMPLES]]
        columns = ["asked", "right", "wrong", "for the right one", "wins"]
        parts.append(numbers(f"{run.key} {run.name}", columns, told, is_open=True))
    return section("pair-examples", "Sample of pairs", paragraph("A regular sample of all pairs."), *parts)


def _example(row: dict[str, Any], run: ItemRun) -> tuple[str, str, str, str, float]:
    place = row["right_in_pair"]
    share = row[run.run.probe.scored]
    asked = "" if row.get("stratum") else row["prompt"]
    said = "no answer" if share is None else f"{share:.3f}"
    return asked, row["pair"][place], row["pair"][1 - place], said, run.run.probe.measures(row)["win-rate"]


def _bar(run: ItemRun, result: Result) -> Bar:
    return Bar(run.key, run.position, result.value, result.low, result.high, result.n)


def _rows(runs: Sequence[ItemRun], measures: Sequence[str]) -> list[tuple[str, str, str, Result]]:
    return [(run.key, run.name, name, run.results[name]) for run in runs for name in measures if name in run.results]


def _leads(runs: Sequence[ItemRun]) -> list[str]:
    names = " and ".join(dict.fromkeys(run.benchmark.name for run in runs))
    said = f"{asked(runs)} which of two statements or answers is right, or whether each is (facts of {names})."
    return [said, *what_to_mind(runs)]


pages.register("pairs")(
    RunKind(
        paper="",
        read_as=ItemRun,
        first=("pair-runs", "Runs", "Runs"),
        card=card,
        sections=(
            ("pairs", "Pairs", _wins_section),
            ("likings", "Likings", _likings_section),
            ("tags", "By tag", _tags_section),
            ("pair-examples", "Sample", _examples_section),
        ),
        leads=_leads,
    )
)
