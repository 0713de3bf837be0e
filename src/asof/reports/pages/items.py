"""What the page says of runs on a benchmark that declares no report of its own: scores, by tag, some items."""

from __future__ import annotations

from collections.abc import Sequence

from asof.registry import pages
from asof.reports.html import section
from asof.reports.item_run import ItemRun, by_tag, card, examples_section, measures_of, scores_section, what_to_mind
from asof.reports.run_kind import RunKind, asked

_MOST_VALUES = 30  # a tag with more of them tells items apart, it does not group them
_OWN = ("id", "prompt", "answers", "group")


def _tags_section(runs: Sequence[ItemRun]) -> str:
    """Every tag that groups items, with the first measure; ids are left to their labels."""
    columns = dict.fromkeys(name for run in runs for name in run.benchmark.table().column_names if name not in _OWN)
    readable = [name for name in columns if f"{name}_label" not in columns]
    tags = [tag for tag in readable if all(1 < len(run.by(tag)) <= _MOST_VALUES for run in runs)]
    parts = [by_tag(runs, tag, f"By {tag}", measures_of(runs)[:1]) for tag in tags]
    return section("tags", "By tag", *parts) if parts else ""


def _leads(runs: Sequence[ItemRun]) -> list[str]:
    names = " and ".join(dict.fromkeys(run.benchmark.name for run in runs))
    return [f"{asked(runs)} the items of {names}.", *what_to_mind(runs)]


pages.register("items")(
    RunKind(
        paper="",
        read_as=ItemRun,
        first=("item-runs", "Runs", "Runs"),
        card=card,
        sections=(
            ("item-scores", "Scores", scores_section),
            ("tags", "By tag", _tags_section),
            ("items", "Items", examples_section),
        ),
        leads=_leads,
    )
)
