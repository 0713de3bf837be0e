"""What two versions of a base differ in, as ``asof diff`` shows it: all facts, or those behind a benchmark's items."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from asof.benchmarks import expired_answers
from asof.cli.output import counted, show, talk, write_json
from asof.facts import FactStore
from asof.facts.change_row import VersionChangeRow, version_change_rows
from asof.facts.engines import Engine
from asof.facts.versions import CHANGES, version_difference

_COLUMNS = ["change", "subject", "relation", "object", "before", "after"]


def show_versions(old: FactStore, new: FactStore, engine: Engine, *, limit: int | None, as_json: bool) -> None:
    """Show every fact that is new, has ended, has changed or is gone, and count them."""
    changes = version_difference(old, new, engine=engine)
    _show(version_change_rows(changes.slice(0, limit).to_pylist(), old, new), _COLUMNS, as_json=as_json)
    talk(counts_in_words(Counter(changes["change"].to_pylist()), CHANGES))


def show_expired(
    folder: Path, old: FactStore, new: FactStore, engine: Engine, *, limit: int | None, as_json: bool
) -> None:
    """Show the facts behind the items of a benchmark whose gold answer has expired, and count the items."""
    found = expired_answers(folder, old, new, engine=engine)
    if as_json:
        write_json(found.counts)
    _show(version_change_rows(found.facts[:limit], old, new), [*_COLUMNS, "items"], as_json=as_json)
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


def _show(rows: Iterable[VersionChangeRow], columns: Sequence[str], *, as_json: bool) -> None:
    """Show rows; people see both intervals in one column each."""
    show(
        (
            asdict(row) if as_json else asdict(row) | {"before": _interval(row, "old"), "after": _interval(row, "new")}
            for row in rows
        ),
        columns=columns,
        as_json=as_json,
    )


def _interval(row: VersionChangeRow, version: str) -> str | None:
    if getattr(row, f"{version}_start_precision") is None:
        return None
    ends = (f"{version}_{side}" for side in ("start", "end"))
    return "..".join(getattr(row, end) or getattr(row, f"{end}_precision") for end in ends)
