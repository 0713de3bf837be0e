"""All that the pages draw on: the desks with their stores, the names, the runs, the proposals, and what is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from asof.live import LiveEntities
from asof.timeline import Date
from asof.web.desks import Desks
from asof.web.entity import EntityPage, NotThereError
from asof.web.home import overview
from asof.web.live import live_page
from asof.web.paging import Shelf
from asof.web.proposals import ProposalReview
from asof.web.runs import Runs
from asof.web.suggestions import Suggestions

Found = TypeVar("Found")


class Explorer:
    """What one server shows.

    Args:
        base: The folder of the base.
        runs: Folders of runs.
        review: Proposals of a completion model to look at, where there are any.
        live: A Wikibase that is asked for entities that the base has not.
        known_on: Show what the base said on this day, not what it says now.
    """

    def __init__(
        self,
        base: Path,
        runs: Sequence[Path] = (),
        *,
        review: ProposalReview | None = None,
        desks: Desks | None = None,
        live: LiveEntities | None = None,
        known_on: Date | None = None,
    ) -> None:
        self.desks = desks or Desks(base, known_on=known_on)
        first = self.desks.first
        self.known_by = first.store.known_by
        self.base = overview(first.store, first.reader)
        self.suggestions = Suggestions(first.store)
        self.suggestions.of("a", limit=1)  # what is made at the first look-up is made now
        self.runs = Runs(runs)
        self.review = review
        self.live = live
        self.shelf = Shelf()
        self.entities = Shelf(64)
        # Figures are computed by Python alone, for seconds: one at a time, so that other pages stay quick.
        self._elsewhere = ThreadPoolExecutor(4, "live")
        self._figures = ThreadPoolExecutor(1, "figures")

    async def looked_up(self, name: str, on: str | None) -> EntityPage:
        """Return the page of an entity as the live Wikibase has it; the server may take its time, others go on."""
        if self.live is None:
            raise NotThereError("The explorer was started without --live, so nothing is looked up elsewhere.")
        return await asyncio.get_running_loop().run_in_executor(self._elsewhere, live_page, self.live, name, on)

    async def computed(self, work: Callable[[], Found]) -> Found:
        """Compute something about runs, apart from the desks."""
        return await asyncio.get_running_loop().run_in_executor(self._figures, work)
