"""What sources had and a base has not: rows that were not taken, bytes that could not be read; how much is too much.

Good data never wait for bad ones, but a loss is told, and a large one is an error: it does not replace a base.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from asof.errors import FailedCheckError
from asof.facts.intake import Intake
from asof.facts.rejects import RefusedRows

MOST_ROWS = 0.05  # tables that people keep have some rows that nobody can read, and so has Wikidata
MOST_BYTES = 0.001  # nobody knows what stood in them


@dataclass(frozen=True, kw_only=True)
class Loss:
    """Something of a source that is not in the base."""

    what: str  # as it stands behind the number: "rows were not taken"
    count: int
    of: int
    most: float  # the share from which on it is an error
    kept: str | None = None  # the file where it can be looked at

    @property
    def share(self) -> float:
        """How much was lost of what there was."""
        return self.count / self.of if self.of else 0.0

    @property
    def too_large(self) -> bool:
        """Whether more is lost than may be."""
        return self.share > self.most

    def as_json(self) -> dict[str, Any]:
        """Return what ``asof mine --json`` tells of it."""
        share = round(self.share, 6)
        return {"what": self.what, "count": self.count, "of": self.of, "share": share, "kept": self.kept}

    def __str__(self) -> str:
        """Say that it is too large."""
        return f"{self.count:,} of {self.of:,} {self.what} ({self.share:.2%}, more than the {self.most:.2%} allowed)"


@runtime_checkable
class LosingSource(Protocol):
    """A source that knows what it could not read."""

    def losses(self) -> list[Loss]:
        """Return what was lost before it could become rows."""


class DataLossError(FailedCheckError):
    """So much was lost that nothing was written."""

    def __init__(self, losses: list[Loss], folder: object, refused: Sequence[RefusedRows], *, had_base: bool) -> None:
        self.losses = losses
        self.refused = refused
        told = "\n".join(f"  {loss}" + (f", kept in {loss.kept}" if loss.kept else "") for loss in losses)
        why = "".join(f"\n    {line}" for line in told_refused(refused))
        what = f"the base in {folder} was not replaced" if had_base else f"no base was written to {folder}"
        super().__init__(
            f"Too much was lost, so {what}:\n{told}{why}\n"
            "If that is expected, allow a larger share with --max-rejects, as in --max-rejects 100%."
        )


def told_refused(refused: Sequence[RefusedRows], *, most: int = 8) -> list[str]:
    """Say why rows were refused, the most frequent reason first, each with the first of its rows."""
    lines = [
        line
        for one in refused[:most]
        for line in (f"{one.count:,} {'row' if one.count == 1 else 'rows'}: {one.kind}", *(f"  {x}" for x in one.first))
    ]
    return lines + ([f"and {len(refused) - most} more reasons"] if len(refused) > most else [])


def losses_of(sources: Iterable[object], intake: Intake, *, most: float | None, kept: str | None) -> list[Loss]:
    """Return what was lost of sources that were read.

    Args:
        most: The share that may be lost; None: each kind has its own.
        kept: The file with the rows that were not taken.
    """
    refused = intake.rejects.count
    total = intake.taken + intake.dropped + refused
    rows = Loss(what="rows were not taken", count=refused, of=total, most=MOST_ROWS)
    more = [loss for source in sources if isinstance(source, LosingSource) for loss in source.losses()]
    losses = [replace(loss, kept=kept) for loss in (rows, *more) if loss.count]
    return losses if most is None else [replace(loss, most=most) for loss in losses]
