"""All that the page says of runs on LAMA-TK: what they are, the sections, what to mind, some examples."""

from __future__ import annotations

from collections.abc import Sequence

from asof.registry import pages
from asof.reports.html import cell, described, numbers, paragraph, section
from asof.reports.lama_tk.capacity import capacity_section
from asof.reports.lama_tk.queries import boundary_section, implicit_section
from asof.reports.lama_tk.runs import MEASURES, RecallRun
from asof.reports.lama_tk.storage import conflicts_section, storage_section
from asof.reports.run_kind import RunKind, asked, mind_few

_EXAMPLES = 12


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
    return section("prompts", "Sample of prompts", paragraph("A regular sample of all items."), *parts) if parts else ""


def _card(run: RecallRun) -> str:
    results = run.results()
    rows = {
        "Asked": f"{run.query}, {run.benchmark.size}, "
        + ("with conflicts" if run.with_conflicts else "without conflicts"),
        **{name: cell(results[name]) for name in MEASURES if results[name].n},
        "Model": run.model,
    }
    return described(run.key, run.position, run.name, rows | run.about())


def _leads(runs: Sequence[RecallRun]) -> list[str]:
    said = (
        f"{asked(runs)} for a part of facts that were true for a time: who, what, from when, until when (LAMA-TK, Zhao "
        "et al. 2022)."
    )
    return [said, *mind_few(min(len(set(run.column("group").tolist())) for run in runs))]


pages.register("lama-tk")(
    RunKind(
        paper="Zhao et al. 2022, Findings of EMNLP",
        read_as=RecallRun,
        first=("recall", "Runs", "What was taught and asked"),
        card=_card,
        sections=(
            ("storage", "Storage", storage_section),
            ("conflicts", "Conflicts", conflicts_section),
            ("capacity", "Capacity", capacity_section),
            ("boundary", "Boundaries", boundary_section),
            ("implicit", "In between", implicit_section),
            ("prompts", "Prompts", examples_section),
        ),
        leads=_leads,
        measures=("Acc@1", "Hit@1"),
    )
)
