"""What a base says of a text, as a notebook shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from asof.api.frame import Frame

if TYPE_CHECKING:
    from asof.reading.verify.verification import TextVerification

_SHOWN = ("claim", "verdict", "possibly", "why", "instead")


@dataclass(frozen=True, repr=False)
class VerificationFrame(Frame):
    """The claims of a text, a row each; ``verdict`` is the worst of them, ``left_alone`` what was not judged.

    ``verification`` has everything, as ``asof verify --json`` gives it: the facts of each claim as well.
    """

    verdict: str | None = None
    left_alone: tuple[str, ...] = ()
    verification: Mapping[str, Any] = field(default_factory=dict)

    def fails(self, *verdicts: str) -> bool:
        """Tell whether a claim surely has one of some verdicts; by default outdated or contradicted."""
        wanted = verdicts or ("outdated", "contradicted")
        return any(row["verdict"] in wanted and not row["possibly"] for row in self)

    def _repr_html_(self) -> str:
        return f"<p><strong>{escape(self.verdict or 'nothing to judge')}</strong></p>{super()._repr_html_()}"


def verification_frame(verification: TextVerification) -> VerificationFrame:
    """Return what was found in a text as a frame."""
    row = verification.as_row()
    rows = [
        {name: value for name, value in claim.items() if name not in ("facts", "instead")}
        | {"facts": _texts(claim["facts"]), "instead": _texts(claim["instead"])}
        for claim in row["claims"]
    ]
    left = tuple(one["text"] for one in row["left_alone"])
    made = Frame.of(rows, shown=_SHOWN)
    return VerificationFrame(made.table, _SHOWN, verification.notes, row["verdict"], left, row)


def _texts(facts: Iterable[Mapping[str, Any]]) -> str:
    """Say facts in a line."""
    return "; ".join(
        f"{fact['subject']}, {fact['relation']}: {fact['object']}, {fact['start'] or fact['start_precision']} to "
        f"{fact['end'] or fact['end_precision']}"
        for fact in facts
    )
