"""A new version of a base in which relations mean something else, or in which somebody has decided something.

The facts stay as they are: a new table of relations is written beside the old one, and counts from the moment at which
the manifest is renamed. What a person says is kept in the manifest, too, so that mining again does not lose it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from asof.facts.manifest import Manifest, read_manifest
from asof.facts.meanings import MEANINGS, with_inverses
from asof.facts.merge import table_parts
from asof.facts.mirror import base_writer, writable_base
from asof.facts.proposed import ProposalEvidence, evidence_in
from asof.facts.schema import RELATIONS
from asof.facts.store import FactStore
from asof.facts.write import remove_strangers, staging_folder
from asof.whole_file import sync_folder

Changes = Mapping[str, Mapping[str, Any]]  # by relation and column


def set_relations(folder: Path, changes: Changes) -> Manifest:
    """Write what a person says of relations; what was proposed of it is proposed no more."""
    folder = writable_base(folder)
    with base_writer(folder):
        manifest = read_manifest(folder)
        told = {id: dict(said) for id, said in manifest.told.items()}
        for id, said in changes.items():
            told[id] = {**told.get(id, {}), **said}
        return _put(folder, replace(manifest, told=dict(sorted(told.items()))), changes, proposed=False)


def propose_for_relations(folder: Path, changes: Changes) -> Manifest:
    """Write what the facts suggest of relations, as proposals."""
    folder = writable_base(folder)
    with base_writer(folder):
        return _put(folder, read_manifest(folder), changes, proposed=True)


def propose(folder: Path) -> list[ProposalEvidence]:
    """Look for what the facts of a base suggest of relations, write it as proposals, and return the evidence."""
    store = FactStore(folder)
    told = store.manifest.told  # what somebody has denied is not proposed again
    found = [
        one
        for one in evidence_in(store)
        if getattr(store.relations[one.relation], one.meaning) is None and one.meaning not in told.get(one.relation, ())
    ]
    changes: dict[str, dict[str, Any]] = {}
    for one in found:
        changes.setdefault(one.relation, {})[one.meaning] = one.value
    if changes:
        propose_for_relations(folder, changes)
    return found


def set_fine(folder: Path, fine: Mapping[str, str | None]) -> Manifest:
    """Note that problems are none, each with the reason; None takes it back."""
    folder = writable_base(folder)
    with base_writer(folder):
        manifest = read_manifest(folder)
        noted = {id: why for id, why in {**manifest.fine, **fine}.items() if why is not None}
        changed = replace(manifest, fine=dict(sorted(noted.items())))
        changed.put_in_place(folder)
        return changed


def note_decisions(folder: Path, *, rejected: Iterable[str], accepted: Iterable[str]) -> Manifest:
    """Note which proposed facts are rejected, by id, and what accepted ones name as their source."""
    folder = writable_base(folder)
    with base_writer(folder):
        manifest = read_manifest(folder)
        changed = replace(
            manifest,
            rejected=sorted({*manifest.rejected, *rejected}),
            accepted=sorted({*manifest.accepted, *accepted}),
        )
        changed.put_in_place(folder)
        return changed


def _put(folder: Path, manifest: Manifest, changes: Changes, *, proposed: bool) -> Manifest:
    rows = FactStore(folder).sql("SELECT * FROM relations").to_pylist()
    for row in rows:
        said = changes.get(row["id"], {})
        row.update(said)
        names = set(row["proposed"] or ())
        names = names | set(said) if proposed else names - set(said)
        row["proposed"] = [name for name in MEANINGS if name in names] or None
    batch = pa.RecordBatch.from_pylist(with_inverses(rows), schema=RELATIONS)
    with staging_folder(folder) as staging:
        parts = table_parts(staging, "relations", iter([pa.Table.from_batches([batch])]))
        changed = replace(manifest, tables=manifest.tables | {"relations": parts})
        for part in parts:
            shutil.move(staging / part.path, folder / part.path)
        sync_folder(folder)
        changed.put_in_place(folder)
        remove_strangers(folder, changed)
    return changed
