"""The dashboard: a folder of static files that open from disk and load nothing from elsewhere."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from asof import __version__
from asof.errors import UserError
from asof.json_numbers import json_numbers
from asof.reports.html import (
    PagePart,
    cards,
    cell,
    described,
    difference,
    numbers,
    paragraph,
    part_title,
    section,
)  # fmt: skip
from asof.reports.page import html_page
from asof.watches.badge import badge
from asof.watches.by_release import cutoff_section, scores_section
from asof.watches.changed_facts import TurnedFact, by_relation, changed_facts
from asof.watches.feed import feed
from asof.watches.knowledge_cutoff import knowledge_cutoffs
from asof.watches.outcomes import ReleaseStep
from asof.watches.status import WatchStatus
from asof.whole_file import write_text

_MARK = '<meta name="generator" content="asof'
_FACTS_SHOWN = 100  # of each kind and release; changed_facts.tsv has all
_STATES = {"kept": "✓ holds", "broken": "✗ broken", "unknown": "? cannot be judged"}
_ALTERNATE = '<link rel="alternate" type="application/atom+xml" href="feed.xml" title="Results">\n'


def write_page(status: WatchStatus, to: Path) -> list[Path]:
    """Write the page and what lies beside it; return the files, the page first."""
    page = to / "index.html"
    if to.exists() and not to.is_dir():
        raise UserError(f"{to} is a file. Give a folder with --to.")
    if page.is_file() and _MARK not in page.read_text(encoding="utf-8", errors="replace")[:2000]:
        raise UserError(f"{page} is not a page that asof wrote. Choose another folder with --to.")
    if not status.tracks:
        raise UserError(f"{status.watch.history_folder} has no results yet. Run: asof watch run {status.watch.path}")
    turned = [(step, changed_facts(step)) for track in status.tracks for step in track.steps]
    made = f"asof {__version__}"
    cutoffs = knowledge_cutoffs(
        status.tracks, title=status.watch.title, made_by=made, made_on=str(status.plan.today)
    ).as_row()
    texts = {
        **_badges(status),
        "knowledge_cutoff.json": json.dumps(json_numbers(cutoffs), indent=1, ensure_ascii=False) + "\n",
        "changed_facts.tsv": _tsv([fact for _, facts in turned for fact in facts]),
        "feed.xml": feed(status),
    }
    to.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_text(to / name, text)
    write_text(page, _page(status, turned))  # last, so that what it links to is there
    return [page, *(to / name for name in texts)]


def _badges(status: WatchStatus) -> dict[str, str]:
    """Draw a badge for each model that has a cutoff, and one that is called badge.svg for the first of them."""
    broken = {one.model for one in status.broken}
    found: dict[str, str] = {}
    for track in status.tracks:
        name = f"badge-{track.model}.svg"
        if track.newest.cutoff is not None and name not in found:
            found[name] = badge(track.newest, broken=track.model in broken)
    return ({"badge.svg": next(iter(found.values()))} if found else {}) | found


def _page(status: WatchStatus, turned: Sequence[tuple[ReleaseStep, list[TurnedFact]]]) -> str:
    parts = [
        PagePart("newest", "Newest releases", _newest(status)),
        PagePart("bounds", "Bounds", _bounds(status)),
        PagePart("cutoff", "Knowledge cutoff", cutoff_section(status.watch, status.tracks)),
        PagePart("scores", "Scores", scores_section(status.watch, status.tracks)),
        PagePart("turned", "What got worse", _turned(turned)),
        PagePart("checks", "Checks", _checks(status)),
    ]
    leads = [f"{status.headline} Made on {status.plan.today}."]
    made_by = (
        f"Made by asof {__version__}. Intervals: 95 %, by fact. Differences are paired by fact, p after Holm's "
        "correction for the metrics of a comparison."
    )
    names = list(dict.fromkeys(track.model for track in status.tracks))
    return html_page(
        status.watch.title, names, leads, [part for part in parts if part.content], made_by, head=_ALTERNATE
    )


def _newest(status: WatchStatus) -> str:
    """Return a card for the newest release of each model, with all that it was asked."""
    made = []
    for position, name in enumerate(dict.fromkeys(track.model for track in status.tracks)):
        tracks = [track for track in status.tracks if track.model == name]
        rows: dict[str, str] = {}
        for track in tracks:
            cutoff = track.newest.told_cutoff
            if cutoff.text:
                rows[f"Cutoff, {track.benchmark}"] = f"{cutoff.text} ({cutoff.span})"
            measure, result = next(iter(track.newest.results.items()))
            rows[f"{measure}, {track.benchmark}"] = cell(result)
        record = tracks[0].newest.kept.record
        rows |= {"Released": record.released or "", "Asked": record.done or ""}
        made.append(described(_initial(name), position, tracks[0].newest.title, rows))
    links = (
        '<p><a href="knowledge_cutoff.json">knowledge_cutoff.json</a> · <a href="changed_facts.tsv">changed facts</a>'
    )
    return section("newest", "The newest releases", cards(made), f'{links} · <a href="feed.xml">feed</a></p>')


def _initial(name: str) -> str:
    return name[0].upper()


def _bounds(status: WatchStatus) -> str:
    if not status.verdicts:
        return ""
    order = {"broken": 0, "unknown": 1, "kept": 2}
    rows = [
        (_STATES[one.state], one.title, f"{one.bound.benchmark}: {one.bound}", one.told)
        for one in sorted(status.verdicts, key=lambda one: order[one.state])
    ]
    return section(
        "bounds", "Bounds", numbers("Of the newest releases", ["", "release", "bound", "found"], rows, is_open=True)
    )


def _turned(turned: Sequence[tuple[ReleaseStep, list[TurnedFact]]]) -> str:
    """From each release to the next: the differences, and the facts that turned; the newest first."""
    parts = [_step(step, facts) for step, facts in reversed(turned)]
    lead = paragraph(
        "Each release beside the one before it, on the facts that both were asked about. A fact is right when its "
        "answer is; of a fact with several periods the last one counts. Metrics may count every period, so one may "
        "fall while facts turn right."
    )
    return section("turned", "What got worse, what got better", lead, *parts) if parts else ""


def _step(step: ReleaseStep, facts: Sequence[TurnedFact]) -> str:
    record = step.after.kept.record
    title = f"{step.before.title} → {step.after.release}, {record.benchmark} ({record.probe})"
    if step.comparison is None:
        return part_title(title) + paragraph("They share no fact.")
    rows = [
        (row.measure, row.first, row.second, difference(row.difference, row.low, row.high), f"{row.p_holm:.3g}",
         {"second": "better", "first": "worse", None: "cannot tell"}[row.ahead], row.n)
        for row in step.comparison.differences
        if row.n
    ]  # fmt: skip
    columns = ["metric", step.before.release, step.after.release, "difference", "p (Holm)", "", "facts"]
    wrong = [one for one in facts if one.turn == "newly wrong"]
    right = [one for one in facts if one.turn == "newly right"]
    said = f"{len(wrong):,} newly wrong, {len(right):,} newly right of {step.comparison.shared:,} shared facts."
    relations = by_relation(facts)
    return (
        part_title(title)
        + paragraph(" ".join([said, *step.comparison.notes]))
        + numbers("Differences, paired by fact", columns, rows, is_open=True)
        + _facts("Newly wrong", wrong)
        + _facts("Newly right", right)
        + (numbers("By relation", ["relation", "newly wrong", "newly right"], relations) if relations else "")
    )


def _facts(title: str, facts: Sequence[TurnedFact]) -> str:
    if not facts:
        return ""
    words = any(one.before or one.after for one in facts)
    columns = ["subject", "relation", "when", "right answers", *(["before", "now"] if words else []), "asked"]
    rows = [
        (one.subject, one.relation, one.when, one.answers, *((one.before, one.after) if words else ()), one.asked)
        for one in facts[:_FACTS_SHOWN]
    ]
    shown = f"{title}: {len(facts):,}" if len(facts) <= _FACTS_SHOWN else f"{title}: {_FACTS_SHOWN} of {len(facts):,}"
    return numbers(shown, columns, rows, is_open=title == "Newly wrong")


def _checks(status: WatchStatus) -> str:
    columns = ["release", "benchmark", "probe", "done", "facts", "asked", "taken over", "state"]
    rows = [
        [row[name] if row[name] is not None else "" for name in
         ("model", "benchmark", "probe", "done", "facts", "asked", "reused", "state")]
        for row in status.rows()
    ]  # fmt: skip
    failed = [(f"{one.model} {one.release}".strip(), one.benchmark, one.day, one.why) for one in status.failures]
    failures = numbers("Could not be done", ["release", "benchmark", "day", "why"], failed, is_open=True)
    return section("checks", "Checks", numbers("All checks", columns, rows, is_open=True), failures if failed else "")


def _tsv(facts: Sequence[TurnedFact]) -> str:
    written = io.StringIO()
    names = list(TurnedFact.__dataclass_fields__)
    writer = csv.DictWriter(written, names, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(fact.as_row() for fact in facts)
    return written.getvalue()
