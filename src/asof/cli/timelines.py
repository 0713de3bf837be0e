"""The timeline of a page on a terminal, as lines of JSON, or as a table that ``asof mine`` takes."""

import csv
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from asof.cli.output import show, talk
from asof.reading.page_timeline import TimelineRow
from asof.whole_file import write_whole

_COLUMNS = ("relation", "object", "start", "end", "probability", "sentence")
_FILE = (
    "subject", "relation", "object", "start", "end", "likely_end", "probability", "section", "sentence", "source"
)  # fmt: skip


def show_timeline(rows: Sequence[TimelineRow], *, as_json: bool) -> None:
    """Show rows in their order."""
    if not rows:
        talk(
            'Nothing that a time belongs to was found. Ask for one thing: --timeline --question "Who managed the club?"'
        )
    show([asdict(row) for row in rows], columns=_COLUMNS, as_json=as_json)


def write_timeline(rows: Sequence[tuple[str, TimelineRow]], path: Path) -> None:
    """Write rows, each with its page, as a CSV file.

    Only an end that the page tells is one of a fact; the start of what came next stands beside it as ``likely_end``.
    """

    def write(temporary: Path) -> None:
        with temporary.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, _FILE)
            table.writeheader()
            table.writerows(_cells(page, row) for page, row in rows)

    write_whole(path, write)
    talk(
        f"{path} has {len(rows):,} facts to review, each with a probability and a sentence. "
        f"Next: asof mine {path} --to BASE"
    )


def _cells(page: str, row: TimelineRow) -> dict[str, object]:
    found = asdict(row) | {"source": page, "likely_end": ""}
    if not row.end_is_told:
        found |= {"end": "", "likely_end": row.end}
    return {name: found[name] for name in _FILE}
