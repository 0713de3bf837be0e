"""One document about one entity, wherever it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from asof.errors import DateError
from asof.timeline import Date

LIVE, DELETED, REDIRECT, BROKEN = "live", "deleted", "redirect", "broken"


@dataclass(frozen=True, kw_only=True)
class EntityDocument:
    """What a source says of an entity.

    Args:
        id: The id of the entity, empty where the document does not say it.
        state: Live, deleted, a redirect to another entity, or broken: then the base keeps what it has.
        raw: The JSON of a live entity in one line; of a broken document, what there is of it.
        revision: The number of the edit, 0 where the source does not say it.
        is_now: Whether it says what is so now, not what that edit made of it: what is deleted has no edit of its own.
        modified: When that was, as the source writes it.
        target: Of a redirect.
        where: The file and place, for messages.
        reason: Why it is broken.
    """

    id: str
    state: str = LIVE
    raw: bytes = b""
    revision: int = 0
    is_now: bool = False
    modified: str = ""
    target: str | None = None
    where: str = ""
    reason: str = ""

    @property
    def day(self) -> Date | None:
        """The day on which it was modified."""
        return _day(self.modified[:10]) if self.modified else None


@lru_cache(maxsize=1_000)  # the documents of a source are of few days
def _day(text: str) -> Date | None:
    try:
        return Date.parse(text)
    except DateError:
        return None
