"""Generated dumps, mined and compared with the truth about them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from bench.generated_dump import Truth

from asof.facts import FactStore, Intake, write_base
from asof.facts.fact import end_of_row
from asof.sources.wikidata_dump import WikidataDump
from asof.sources.wikidata_dump.work import WorkSizes

SMALL = WorkSizes(stretch=40_000, part=200_000)  # many stretches and parts in a small file
_COMPARED = ("subject", "relation", "object", "start", "end", "rank", "statement", "best", "qualifiers")


def mined(path: Path, **settings: Any) -> tuple[FactStore, WikidataDump, Intake]:
    """Mine a dump in this process, in many small pieces."""
    source = WikidataDump(str(path), **{"processes": 1, "sizes": SMALL} | settings)
    folder = path.parent / f"{path.name}.base"
    _, intake = write_base(folder, [source], name="base")
    return FactStore(folder), source, intake


def facts_in(store: FactStore) -> Counter[tuple[object, ...]]:
    """Return the facts of a base as the truth writes them."""
    rows = store.sql("SELECT * FROM facts").to_pylist()
    written = [row | {which: str(end_of_row(row, which)) for which in ("start", "end")} for row in rows]
    return Counter(tuple(row[name] for name in _COMPARED) for row in written)


def facts_of(truth: Truth, *, qualifiers: bool = True) -> Counter[tuple[object, ...]]:
    """Return the true facts in the same way."""
    rows = (fact if qualifiers else fact | {"qualifiers": None} for fact in truth.facts)
    return Counter(tuple(fact[name] for name in _COMPARED) for fact in rows)


def entities_in(store: FactStore) -> dict[str, dict[str, Any]]:
    """Return the entities of a base as the truth writes them."""
    rows = store.sql("SELECT id, label, aliases, description, popularity FROM entities").to_pylist()
    return {row.pop("id"): row for row in rows}


def rejects_of(store: FactStore) -> list[dict[str, Any]]:
    """Return what the rejects file of a base holds."""
    part = store.manifest.rejects
    text = (store.folder / part.path).read_text(encoding="utf-8") if part else ""
    return [json.loads(line) for line in text.splitlines()]


def content(folder: Path) -> dict[str, bytes]:
    """Return the files of a base, but for its lock and for unfinished work."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != ".lock"}
