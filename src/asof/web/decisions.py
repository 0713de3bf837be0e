"""What a completion model proposes and what a person decides about it: two tables, never the base.

Proposals are the table that ``asof complete --to`` writes. Decisions go to a table of their own with the same columns
and ``decision`` and ``decided``. It is written anew beside its place after every decision and put there when it is
whole: nothing confirmed is lost, and nobody ever sees half of it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from asof.errors import UserError
from asof.lock import hold_lock
from asof.whole_file import write_whole

DECISIONS = ("accept", "reject")
_MOST_ROWS = 500_000


@dataclass(frozen=True)
class Proposal:
    """A fact, or an end of one, that a model proposes, as the table has it."""

    subject: str
    relation: str
    object: str
    start: str
    end: str
    proposed: str
    probability: str
    subject_id: str
    relation_id: str
    object_id: str
    reason: str = ""

    @property
    def id(self) -> str:
        """What tells it from others, also in a table that was made anew."""
        return "|".join((self.subject_id, self.relation_id, self.object_id, self.start, self.end, self.proposed))


_COLUMNS = [field.name for field in fields(Proposal)]
_NEEDED = [name for name in _COLUMNS if name != "reason"]  # tables of before have none


@dataclass(frozen=True)
class ReviewDecision:
    """What was decided about a proposal, and when."""

    proposal: Proposal
    decision: str
    decided: str


def read_proposals(path: Path) -> list[Proposal]:
    """Read the table of ``asof complete``."""
    return [_proposal(row) for row in _rows(path, _NEEDED)]


class Decisions:
    """The decisions of a table, and the place to which more are written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self.made: dict[str, ReviewDecision] = {}
        for row in _rows(path, [*_NEEDED, "decision", "decided"]) if path.exists() else ():
            if row["decision"] not in DECISIONS:
                raise UserError(f"{path} has the decision {row['decision']!r}. It can be: {', '.join(DECISIONS)}.")
            one = ReviewDecision(_proposal(row), row["decision"], row["decided"])
            self.made[one.proposal.id] = one

    def decide(self, proposal: Proposal, decision: str | None) -> None:
        """Write a decision to the disk, or take one back; it is there when this returns."""
        if decision is not None and decision not in DECISIONS:
            raise UserError(f"A decision is one of: {', '.join(DECISIONS)}, or null to take it back.")
        with self._lock:
            made = {id: one for id, one in self.made.items() if id != proposal.id}
            if decision is not None:
                made[proposal.id] = ReviewDecision(proposal, decision, datetime.now(UTC).isoformat(timespec="seconds"))
            self._write(made)
            self.made = made

    def _write(self, made: dict[str, ReviewDecision]) -> None:
        def write(temporary: Path) -> None:
            with temporary.open("w", encoding="utf-8", newline="") as out:
                table = csv.writer(out, delimiter="\t", lineterminator="\n")
                table.writerow([*_COLUMNS, "decision", "decided"])
                table.writerows([*asdict(one.proposal).values(), one.decision, one.decided] for one in made.values())

        write_whole(self.path, write, then="Free some space and decide again.")


@contextmanager
def open_decisions(path: Path) -> Iterator[Decisions]:
    """Open a table of decisions to add to it, or begin one; only one explorer at a time can."""
    lock = path.with_name(f".{path.name}.lock")
    try:
        lock.touch()
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}. Give another file with --review.") from error
    otherwise = f"Another explorer is writing to {path}. Stop it, or give another file with --review."
    with hold_lock(lock, otherwise=otherwise):
        yield Decisions(path)
        with suppress(PermissionError):  # Windows removes no file that is in use
            lock.unlink(missing_ok=True)


def _proposal(row: dict[str, str]) -> Proposal:
    return Proposal(*(row.get(name) or "" for name in _COLUMNS))


def _rows(path: Path, columns: list[str]) -> Iterator[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            table = csv.DictReader(file, delimiter="\t")
            missing = [name for name in columns if name not in (table.fieldnames or [])]
            if missing:
                raise UserError(f"{path} has no column {missing[0]!r}. It must have: {', '.join(columns)}.")
            for number, row in enumerate(table, start=2):
                if any(row[name] is None for name in columns):
                    raise UserError(f"{path}, line {number} has too few columns. Correct or delete it.")
                if number > _MOST_ROWS:
                    raise UserError(
                        f"{path} has more than {_MOST_ROWS:,} rows. Make a smaller table: asof complete --limit N"
                    )
                yield row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"Could not read {path}: {error}.") from error
