"""What two versions of a base differ in, as ``asof diff`` shows it: all facts, or those behind a benchmark's items."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from asof.benchmarks._expired import expired_answers
from asof.cli.output import Row, counted, show, talk, write_json
from asof.facts import FactStore
from asof.facts.engines import Engine
from asof.facts.fact import end_of_row
from asof.facts.versions import CHANGES, version_difference

_COLUMNS = ["change", "subject", "relation", "object", "before", "after"]


def show_versions(old: FactStore, new: FactStore, engine: Engine, *, limit: int | None, as_json: bool) -> None:
    """Show every fact that is new, has ended, has changed or is gone, and count them."""
    changes = version_difference(old, new, engine=engine)
    show(_rows(changes.slice(0, limit).to_pylist(), old, new), columns=_COLUMNS, as_json=as_json)
    talk(counts_in_words(Counter(changes["change"].to_pylist()), CHANGES))


def show_expired(
    folder: Path, old: FactStore, new: FactStore, engine: Engine, *, limit: int | None, as_json: bool
) -> None:
    """Show the facts behind the items of a benchmark whose gold answer has expired, and count the items."""
    found = expired_answers(folder, old, new, engine=engine)
    rows = [
        shown | {"items": fact["items"], "group": fact["group"]}
        for shown, fact in zip(_rows(found.facts, old, new), found.facts, strict=True)
    ]
    if as_json:
        write_json(found.counts)
    show(rows[:limit], columns=[*_COLUMNS, "items"], as_json=as_json)
    counts = found.counts
    changes = counts_in_words(Counter(counts), [change for change in CHANGES if change in counts])
    talk(
        f"Expired in {folder}: {counted(counts['expired_facts'], 'fact')} of {counts['facts']:,} and "
        f"{counted(counts['expired_items'], 'item')} of {counts['items']:,} ({changes[:-1]})."
    )
    if found.counts["unknown"]:
        talk(
            f"Not in {old.manifest.name}: {counted(found.counts['unknown'], 'fact')} of the benchmark. "
            "Was it built from this base?"
        )


def counts_in_words(counts: Counter[str], order: Sequence[str]) -> str:
    """Count each word in a given order."""
    return ", ".join(f"{counts[word]:,} {word}" for word in order) + "."


def _rows(rows: list[dict[str, Any]], old: FactStore, new: FactStore) -> list[Row]:
    ids = {row[column] for row in rows for column in ("subject", "object")}
    labels = old.labels(ids) | new.labels(ids)
    relations = old.relations | new.relations
    return [
        {
            "change": row["change"],
            "subject": labels.get(row["subject"], row["subject"]),
            "relation": relations[row["relation"]].label,
            "object": labels.get(row["object"], row["object"]),
            "before": _interval(row, "old"),
            "after": _interval(row, "new"),
            "subject_id": row["subject"],
            "relation_id": row["relation"],
            "object_id": row["object"],
            "statement": row["statement"],
        }
        for row in rows
    ]


def _interval(row: dict[str, Any], version: str) -> str | None:
    ends = {key.removeprefix(f"{version}_"): value for key, value in row.items() if key.startswith(f"{version}_")}
    return None if ends["start_precision"] is None else f"{end_of_row(ends, 'start')}..{end_of_row(ends, 'end')}"
