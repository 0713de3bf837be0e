"""All that the page says of runs on LAMA-TK: what they are, the sections, what to mind, some examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from asof.reports.html import FEW, Part, cards, cell, described, numbers, paragraph, section
from asof.reports.lama_tk.capacity import capacity_section
from asof.reports.lama_tk.queries import boundary_section, implicit_section
from asof.reports.lama_tk.runs import MEASURES, RecallRun, read_recall_runs
from asof.reports.lama_tk.storage import conflicts_section, storage_section

_EXAMPLES = 12


def recall_parts(folders: Sequence[Path], *, seed: int, first_place: int) -> tuple[list[Part], list[str], list[str]]:
    """Return the parts of the page about runs on LAMA-TK, the paragraphs that lead to them, and the runs' names."""
    runs = read_recall_runs(folders, seed=seed, first_place=first_place)
    parts = [Part("recall", "Runs", section("recall", "What was taught and asked", cards(map(_card, runs))))]
    parts += [Part(id, title, made(runs)) for id, title, made in _SECTIONS]
    asked = "A model was asked" if len(runs) == 1 else f"In {len(runs)} runs models were asked"
    leads = [
        f"{asked} for a part of facts that were true for a time: who, what, from when, until when (LAMA-TK, Zhao et "
        "al. 2022)."
    ]
    if (fewest := min(len(set(run.column("group").tolist())) for run in runs)) < FEW:
        leads.append(f"Mind: {fewest} facts are few; look at the intervals, not at the numbers alone.")
    return [part for part in parts if part.content], leads, [run.name for run in runs]


def examples_section(runs: Sequence[RecallRun]) -> str:
    """Some prompts with all right answers, and what each model puts first (table 9)."""
    parts = []
    for run in runs:
        table = run.scores.table
        if "best" not in table.column_names:
            continue
        step = max(1, table.num_rows // _EXAMPLES)
        rows = [
            (
                row["relation_label"],
                row["prompt"],
                row["answers"][0],
                ", ".join(row["answers"][:5]) + (", ..." if len(row["answers"]) > 5 else ""),
                ", ".join(text.strip() for text in row["best"][:3]),
            )
            for row in table.take(list(range(0, table.num_rows, step))[:_EXAMPLES]).to_pylist()
        ]
        columns = ["relation", "prompt", "left out", "right answers", "given, the likeliest first"]
        parts.append(numbers(f"{run.key} {run.name}", columns, rows, is_open=len(runs) == 1))
    return section("prompts", "Some prompts", paragraph("Evenly taken from all items."), *parts) if parts else ""


_SECTIONS: tuple[tuple[str, str, Callable[[Sequence[RecallRun]], str]], ...] = (
    ("storage", "Storage", storage_section),
    ("conflicts", "Conflicts", conflicts_section),
    ("capacity", "Capacity", capacity_section),
    ("boundary", "Boundaries", boundary_section),
    ("implicit", "In between", implicit_section),
    ("prompts", "Prompts", examples_section),
)


def _card(run: RecallRun) -> str:
    results = run.results()
    rows = {
        "Asked": f"{run.query}, {run.benchmark.items_count:,} items on {run.benchmark.groups_count:,} facts, "
        + ("with conflicts" if run.with_conflicts else "without conflicts"),
        **{name: cell(results[name]) for name in MEASURES if results[name].n},
        "Model": run.model,
        "Probe": str(run.run.settings["probe"]),
        "Benchmark": f"{run.benchmark.folder.name}, items {run.benchmark.items_sha256[:12]}",
        "Base": run.benchmark.base,
        "Left out": "; ".join(f"{count:,}: {reason}" for reason, count in run.run.left_out().items()),
    }
    return described(run.key, run.place, run.name, {name: value for name, value in rows.items() if value})
