"""What the page says of written answers to facts with times: right, outdated, too early, other names; some answers."""

from __future__ import annotations

from collections.abc import Sequence

from asof.benchmarks import AnswerTimes
from asof.registry import pages
from asof.reports.html import numbers, paragraph, section, side_by_side
from asof.reports.item_run import ItemRun, by_tag, card, chart, measures_of, what_to_mind
from asof.reports.run_kind import RunKind, asked
from asof.runs.scores.written import SHARES, judge_row

_TAGS = ("relation_label", "relation", "period", "precision")
_EXAMPLES = 4  # of each kind
_MOST_VALUES = 40


def _came_back_section(runs: Sequence[ItemRun]) -> str:
    """The share of each kind of answer."""
    there = [name for name in measures_of(runs) if name in SHARES]
    charts = [chart(name, [("", {run.key: run.results.get(name) for run in runs})], runs) for name in there]
    rows = [(run.key, run.name, name, result) for run in runs for name, result in run.results.items()]
    told = paragraph(
        "An answer is right by any of its names. It is outdated where it was right at an earlier time, too early where "
        "it is right only later, and another candidate where it belongs to another subject, as the other items of the "
        "benchmark tell."
    )
    table = numbers("The numbers: answers", ["", "run", "measure", "result"], rows, is_open=True)
    return section("came-back", "What came back", told, side_by_side(charts), table)


def _tags_section(runs: Sequence[ItemRun]) -> str:
    there = [tag for tag in _TAGS if all(1 < len(run.by(tag)) <= _MOST_VALUES for run in runs)]
    parts = [by_tag(runs, tag, f"By {tag.removesuffix('_label')}", ["right", "outdated"]) for tag in there]
    return section("tags", "By tag", *parts) if parts else ""


def _examples_section(runs: Sequence[ItemRun]) -> str:
    """Some answers of each kind, with what is known of them."""
    parts = []
    for run in runs:
        times = AnswerTimes.of_rows(run.benchmark.table().to_pylist())
        kinds: dict[str, list[tuple[str, str, str, str]]] = {}
        for row in run.scores.table.to_pylist():
            found = judge_row(row, times)
            said = f"{found.verdict}: {found.why}" if found.why else found.verdict
            told = (_asked(row), ", ".join(row["answers"][:3]), row["text"] or "nothing", said)
            kinds.setdefault(found.verdict, []).append(told)
        shown = [told for some in kinds.values() for told in some[:: max(1, len(some) // _EXAMPLES)][:_EXAMPLES]]
        columns = ["asked", "accepted answers", "written", "verdict"]
        parts.append(numbers(f"{run.key} {run.name}", columns, shown, is_open=True))
    return section("written-examples", "Sample of answers", *parts)


def _asked(row: dict[str, object]) -> str:
    return f"{row['period']}: {row['prompt']}" if row.get("period") else str(row["prompt"])


def _leads(runs: Sequence[ItemRun]) -> list[str]:
    names = " and ".join(dict.fromkeys(run.benchmark.name for run in runs))
    said = f"{asked(runs)} dated questions of {names} to be answered in its own words."
    return [said, *what_to_mind(runs)]


pages.register("written")(
    RunKind(
        paper="",
        read_as=ItemRun,
        first=("written-runs", "Runs", "Runs"),
        card=card,
        sections=(
            ("came-back", "Answers", _came_back_section),
            ("tags", "By tag", _tags_section),
            ("written-examples", "Sample", _examples_section),
        ),
        leads=_leads,
    )
)
