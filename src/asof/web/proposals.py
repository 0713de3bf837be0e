"""The page of proposals: the likeliest first, open ones before all, to accept or reject."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from asof.errors import UserError
from asof.web.decisions import DECISIONS, Decisions, Proposal
from asof.web.entity import NotThereError
from asof.web.paging import PAGE, Pages


@dataclass(frozen=True)
class ProposalRow:
    """A proposal with its id and what was decided, if anything was."""

    id: str
    decision: str | None
    proposal: Proposal


@dataclass(frozen=True)
class ProposalsPage:
    """Proposals in the order of their table; ``counts`` is over all that there are."""

    file: str
    review: str | None
    show: str
    proposed: str
    kinds: list[str]
    counts: dict[str, int]
    page: int
    pages: int
    rows: int
    proposals: list[ProposalRow]


@dataclass(frozen=True)
class Decided:
    """What has been decided, after a decision."""

    id: str
    decision: str | None
    counts: dict[str, int]


class ProposalReview:
    """Proposals, and the decisions about them where there is a table for them."""

    def __init__(self, file: str, proposals: Sequence[Proposal], decisions: Decisions | None) -> None:
        self._file = file
        self._proposals = {one.id: one for one in proposals}
        self._decisions = decisions

    def page(self, *, show: str, proposed: str, page: int) -> ProposalsPage:
        """Collect one page."""
        chosen = [
            one
            for id, one in self._proposals.items()
            if (show == "all" or self._decision(id) == (None if show == "open" else show))
            and proposed in ("", one.proposed)
        ]
        # A decision takes a row out of the list, so the last page may be gone when it is asked for.
        pages = Pages(min(page, Pages(1, len(chosen)).count), len(chosen))
        return ProposalsPage(
            file=self._file,
            review=self._decisions.path.name if self._decisions else None,
            show=show,
            proposed=proposed,
            kinds=sorted({one.proposed for one in self._proposals.values()}),
            counts=self._counts(),
            page=pages.page,
            pages=pages.count,
            rows=len(chosen),
            proposals=[
                ProposalRow(one.id, self._decision(one.id), one) for one in chosen[pages.first : pages.first + PAGE]
            ],
        )

    def decide(self, id: str, decision: str | None) -> Decided:
        """Take a decision, or take it back; it is on the disk when this returns."""
        if self._decisions is None:
            raise UserError(
                "This explorer only shows. To decide, start it with: "
                f"asof serve --proposals {self._file} --review decisions.tsv"
            )
        if id not in self._proposals:
            raise NotThereError("There is no such proposal: has the table been replaced? Reload the page.")
        self._decisions.decide(self._proposals[id], decision)
        return Decided(id, decision, self._counts())

    def _decision(self, id: str) -> str | None:
        made = self._decisions.made.get(id) if self._decisions else None
        return made.decision if made else None

    def _counts(self) -> dict[str, int]:
        found = Counter(self._decision(id) or "open" for id in self._proposals)
        return {"all": len(self._proposals)} | {name: found[name] for name in ("open", *DECISIONS)}
