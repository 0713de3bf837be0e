"""``asof diff``: what changed between two periods, or between two versions of a base."""

from collections import Counter
from pathlib import Path
from typing import Any

import click
import pyarrow as pa

from asof.cli.options import base_option, json_option, limit_option, open_base
from asof.cli.output import Row, show, talk
from asof.facts import FactStore, find_entity, find_relation
from asof.facts.fact import end_of_row
from asof.facts.snapshots import STATUSES, difference
from asof.facts.versions import CHANGES, version_difference


@click.command("diff")
@click.argument("earlier")
@click.argument("later")
@click.option("--relation", metavar="NAME", help="Only this relation.")
@click.option("--subject", metavar="NAME", help="Only this subject.")
@click.option(
    "--status", "statuses", multiple=True, type=click.Choice(STATUSES), help="Only these (default: all but unchanged)."
)
@click.option("--surely", is_flag=True, help="Count only facts that surely hold in a period.")
@limit_option
@base_option
@json_option
def command(
    earlier: str,
    later: str,
    relation: str | None,
    subject: str | None,
    statuses: tuple[str, ...],
    surely: bool,
    limit: int | None,
    base: str,
    as_json: bool,
) -> None:
    """Show what changed between two periods or versions.

    EARLIER and LATER are two periods (2021-Q1 2021-Q2) of one base, or the folders of two bases.

    Between periods, a subject and relation is updated (other objects), new (nothing held before), deleted (nothing
    holds any more) or unchanged. Between versions, a fact is new, ended (it got an end date), changed or gone.
    """
    if Path(earlier).is_dir() and Path(later).is_dir():
        old, new = FactStore(earlier), FactStore(later)
        rows = _version_rows(version_difference(old, new), old, new)
        _show(rows[:limit], ["change", "subject", "relation", "object", "before", "after"], as_json)
        talk(_counted(Counter(row["change"] for row in rows), CHANGES))
        return
    store = open_base(base)
    table = difference(
        store,
        earlier,
        later,
        relation=find_relation(store, relation).id if relation else None,
        subject=find_entity(store, subject).id if subject else None,
        surely=surely,
    )
    counts = Counter(table["status"].to_pylist())
    wanted = statuses or tuple(status for status in STATUSES if status != "unchanged")
    chosen = [row for row in table.to_pylist() if row["status"] in wanted][:limit]
    _show(_period_rows(chosen, store), ["status", "subject", "relation", "before", "after"], as_json)
    talk(_counted(counts, STATUSES))


def _period_rows(rows: list[dict[str, Any]], store: FactStore) -> list[Row]:
    ids = {row["subject"] for row in rows} | {object for row in rows for object in [*row["before"], *row["after"]]}
    labels = store.labels(ids)
    return [
        {
            "status": row["status"],
            "subject": labels.get(row["subject"], row["subject"]),
            "relation": store.relations[row["relation"]].label,
            "before": [labels.get(object, object) for object in row["before"]],
            "after": [labels.get(object, object) for object in row["after"]],
            "subject_id": row["subject"],
            "relation_id": row["relation"],
            "before_ids": row["before"],
            "after_ids": row["after"],
        }
        for row in rows
    ]


def _version_rows(table: pa.Table, old: FactStore, new: FactStore) -> list[Row]:
    rows = table.to_pylist()
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


def _show(rows: list[Row], columns: list[str], as_json: bool) -> None:
    show(rows, columns=columns, as_json=as_json)


def _counted(counts: Counter[str], order: tuple[str, ...]) -> str:
    return ", ".join(f"{counts[word]:,} {word}" for word in order) + "."
