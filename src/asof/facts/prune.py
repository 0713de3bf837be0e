"""Forget what a base said only before some day: its history becomes smaller, its facts stay as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from asof.errors import UserError
from asof.facts.key_ranges import key_ranges, read_range
from asof.facts.manifest import Manifest, read_manifest
from asof.facts.merge import table_parts
from asof.facts.mirror import base_writer, writable_base
from asof.facts.schema import HISTORY
from asof.facts.write import remove_strangers, staging_folder
from asof.timeline import Date
from asof.whole_file import sync_folder


def prune_history(folder: Path, day: Date) -> tuple[Manifest, int]:
    """Drop the facts that a base said no longer on a day, and return how many those are.

    The version that counted on that day is then the first one.
    """
    folder = writable_base(folder)
    with base_writer(folder), staging_folder(folder) as staging:
        manifest = read_manifest(folder)
        versions = manifest.versions
        later = [one for one in versions if one.first_day is not None and one.first_day > day.first]
        before = versions[: len(versions) - len(later)]
        if not versions or not before:
            raise UserError(f"{folder} has nothing to forget: its first version is of {manifest.known_since}.")
        if day.first > (Date.parse(versions[-1].day).first if versions[-1].day else day.first):
            raise UserError(f"{folder} is of {versions[-1].day}: give that day or an earlier one, not {day}.")
        kept: list[pa.Table] = []
        for one in key_ranges(manifest.tables.get("history", ())):
            rows = read_range(folder, one, HISTORY)
            kept.append(rows.filter(pc.greater_equal(rows["known_until"], day.first)))
        left = sum(rows.num_rows for rows in kept)
        forgotten = sum(part.rows for part in manifest.tables.get("history", ())) - left
        tables = {name: parts for name, parts in manifest.tables.items() if name != "history"}
        if left:
            tables["history"] = table_parts(staging, "history", iter(kept))
        changed = replace(
            manifest, tables=tables, versions=[replace(before[-1], day=str(Date.from_day(day.first))), *later]
        )
        for part in tables.get("history", ()):
            (staging / part.path).replace(folder / part.path)
        sync_folder(folder)
        changed.put_in_place(folder)
        remove_strangers(folder, changed)
        return changed, forgotten
