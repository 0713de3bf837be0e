"""Bases of other people, and what is asked of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from asof.facts import FactStore
from asof.reading.ask import read_query
from asof.reading.ask.answer import FactsAnswer, Holds
from asof.reading.ask.evaluate import evaluate
from asof.timeline import Date

TODAY = Date.parse("2025-03-01")
BaseOf = Callable[..., FactStore]

# A harbour and its cranes, a choir, a chess club: odd names, years alone, years before Christ, open ends, overlaps.
FACTS: list[tuple[str, ...]] = [
    ("Harbour of Nyx", "harbour master", "Ada Quill", "1998", "2003-05-31"),
    ("Harbour of Nyx", "harbour master", "Bo Reed", "2003-06-01", "2010-12-31"),
    ("Harbour of Nyx", "harbour master", "Cy Salt", "2011-01-01", "2014"),
    ("Harbour of Nyx", "harbour master", "Ada Quill", "2014", "2019-04-30"),
    ("Harbour of Nyx", "harbour master", "Dee Tarn", "2019-05-01", "ongoing"),
    ("Port Æon", "harbour master", "Bo Reed", "2012", "2015"),
    ("Port Æon", "harbour master", "Eli Reed", "2015", "2020"),
    ("Harbour of Nyx", "crane", "Old Tom", "1950", "1990"),
    ("Harbour of Nyx", "crane", "Red Betty", "1970", "ongoing"),
    ("Harbour of Nyx", "crane", "Lift 9", "1985", "2005"),
    ("Ada Quill", "partner", "Zed Vole", "1990", "1999"),
    ("Ada Quill", "partner", "Kim O'Dell", "2001", "ongoing"),
    ("Zed Vole", "partner", "Nan Oak", "2005-05-05", "2006-06-06"),
    ("Low Choir", "singer", "Mo Finch", "2001-01-01", "2004-12-31"),
    ("Low Choir", "singer", "Mo Finch", "2005-01-01", "2007-12-31"),
    ("Low Choir", "singer", "Mo Finch", "2012-01-01", "2012-06-30"),
    ("Low Choir", "singer", "Jo Lark", "2003-01-01", "2012-12-31"),
    ("Low Choir", "singer", "Al Wren", "unknown", "2002"),
    ("Rook Prize", "winner", "Mo Finch", "2001", "2001"),
    ("Rook Prize", "winner", "Mo Finch", "2002", "2002"),
    ("Rook Prize", "winner", "Jo Lark", "2003", "2003"),
    ("Old Keep", "owner", "House of Ur", "-0312", "-0044-03-15"),
    ("Old Keep", "owner", "Priests of An", "-0044-03-15", "0017"),
    ("Old Keep", "owner", "The Crown", "1066-10-14", "1485"),
]


@dataclass
class Asking:
    """A base that is asked at a fixed day."""

    store: FactStore

    def __call__(self, ask: str, relation: str | list[str] = "", **said: Any) -> FactsAnswer:
        """Ask; ``which`` may be given as its keys."""
        query = {"ask": ask} | ({"relation": relation} if relation else {}) | said
        return evaluate(read_query(query), self.store, today=TODAY)

    def texts(self, ask: str, relation: str | list[str] = "", **said: Any) -> list[str]:
        """Return the answers; what is only possible with a question mark."""
        items = self(ask, relation, **said).items
        return [item.text + ("?" if item.holds is Holds.POSSIBLY else "") for item in items]

    def means(self, relation: str, **meanings: Any) -> None:
        """Say what a relation is."""
        self.store.relations[relation] = replace(self.store.relations[relation], **meanings)


@pytest.fixture
def harbour(base_of: BaseOf) -> Asking:
    """A base of somebody else; its harbours have one master at a time."""
    asking = Asking(base_of(FACTS))
    asking.means("harbour master", one_at_a_time=True, kind="office")
    asking.means("partner", symmetric=True)
    asking.means("winner", kind="award")
    asking.means("owner", one_at_a_time=True)
    return asking


@pytest.fixture(scope="session")
def almanac_asked(almanac: FactStore) -> Asking:
    """The base that comes with asof."""
    return Asking(almanac)
