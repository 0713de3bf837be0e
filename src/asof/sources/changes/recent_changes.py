"""The feed of recent changes of a Wikibase: which entities changed, page by page, then what each of them says now.

The feed is read from where the last update stopped, with some overlap: changes may come twice and in any order. What
could not be fetched is remembered in the base and asked for again by the next update; a server that fails is never
taken to say that there is nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from asof.errors import UserError
from asof.facts import FactStore
from asof.facts.revision_changes import RESTORED
from asof.sources.changes.documents import BROKEN, DELETED, LIVE, REDIRECT, EntityDocument
from asof.sources.changes.entity_files import documents_in
from asof.sources.changes.wikibase import FailingServerError, Wikibase
from asof.timeline import Date

_TITLE = re.compile(r"(?:(?:Item|Property):)?([QP][0-9]+)")
_FAILURES_IN_A_ROW = 5  # after which a server is left alone
_FEED_DAYS = 30  # that Wikidata keeps
_STATES = {"delete": DELETED, "restore": RESTORED}


@dataclass(frozen=True)
class EntityChange:
    """The last change of an entity in the feed.

    Args:
        when: Time and number of the change.
        revision: The highest one that the feed names, 0 where it names none.
        state: What became of it: live, deleted, restored.
    """

    id: str
    when: tuple[str, int]
    revision: int
    state: str = LIVE

    def and_then(self, other: EntityChange) -> EntityChange:
        """Bring two changes of an entity together, in whatever order they came."""
        last = max(self, other, key=lambda one: one.when)
        restored = RESTORED in (self.state, other.state) and last.state == LIVE
        return replace(last, revision=max(self.revision, other.revision), state=RESTORED if restored else last.state)


@dataclass
class RecentChanges:
    """The changes of a server since a base stopped.

    Args:
        since: The time to begin at, where the base does not say where it stopped.
    """

    server: Wikibase
    base: FactStore
    counts: Counter[str]
    since: Any = None
    notes: list[str] = field(default_factory=list)
    position: dict[str, Any] = field(default_factory=dict)

    def documents(self) -> Iterator[EntityDocument]:
        """Give a document for each entity that changed, as far as the server gives it."""
        before = self.base.manifest.feeds.get(self.server.address, {})
        begin = self._begin(before)
        self.position = {"since": begin, "pending": dict(before.get("pending", {}))}
        changes = {id: EntityChange(id, ("", 0), revision) for id, revision in self.position["pending"].items()}
        for change in self._listed(begin):
            self.counts["changes"] += 1
            changes[change.id] = changes[change.id].and_then(change) if change.id in changes else change
        self.position["pending"] = {one.id: one.revision for one in changes.values()}
        yield from self._fetched([one for one in changes.values() if not self._is_known(one)])
        self.counts["pending"] = waiting = len(self.position["pending"])
        if waiting:
            first = next(iter(self.position["pending"]))
            self.notes.append(
                f"{first} could not be fetched and stays as it is; the next update asks for it again."
                if waiting == 1
                else f"{waiting:,} entities could not be fetched and stay as they are, such as {first}; the next "
                "update asks for them again."
            )

    def _begin(self, before: dict[str, Any]) -> str:
        if self.since is not None:
            return f"{Date.from_day(self.since.first)}T00:00:00Z"
        if before:
            return str(before["since"])
        known = self.base.manifest.known_by_date
        if known is None:
            raise UserError(
                f"{self.base.folder} does not say to which day it is current. Say where the changes begin with "
                "--since, as in --since 2024-06-01."
            )
        return f"{Date.from_day(known.first)}T00:00:00Z"

    def _listed(self, begin: str) -> Iterator[EntityChange]:
        """Walk over the pages of the feed; where it breaks off, the next update goes on at the last whole page."""
        wanted = {"list": "recentchanges", "rcdir": "newer", "rcstart": begin, "rclimit": "500"}
        wanted |= {"rctype": "edit|new|log", "rcprop": "title|ids|timestamp|loginfo|redirect"}
        going_on: dict[str, str] = {}
        asked: set[str] = set()
        while True:
            try:
                answer = self.server.query(**wanted, **going_on)
                rows: list[dict[str, Any]] = answer["query"]["recentchanges"]
            except (FailingServerError, KeyError, TypeError) as error:
                if not asked:
                    raise UserError(
                        f"{self.server.address} gave no recent changes: {_reason(error)}. {self.base.folder} is "
                        "unchanged; run the same command again later."
                    ) from error
                self.notes.append(f"The feed broke off ({_reason(error)}); the next update goes on there.")
                self.position["broken off"] = True
                return
            if not asked:
                self._see_that_none_is_missing(begin, rows)
            found = [change for row in rows if (change := _change(row))]
            yield from found
            if rows:
                self.position["since"] = max(self.position["since"], *(str(row.get("timestamp", "")) for row in rows))
            going_on = {name: str(value) for name, value in (answer.get("continue") or {}).items()}
            place = going_on.get("rccontinue", "")
            if not place or place in asked:
                return
            asked |= {place, ""}

    def _see_that_none_is_missing(self, begin: str, rows: list[dict[str, Any]]) -> None:
        """Say that the feed may not reach back to where the base stopped."""
        first = min((str(row.get("timestamp", "")) for row in rows), default="")
        if first and Date.parse(first[:10]).first - Date.parse(begin[:10]).first > _FEED_DAYS:
            self.notes.append(
                f"The feed begins at {first}, and the base stopped at {begin}: what changed between them may be "
                "missing. Take the daily dumps of that time, or a newer dump."
            )

    def _is_known(self, change: EntityChange) -> bool:
        """Tell whether the base has read that revision, or a later one."""
        if change.id.startswith("P"):
            del self.position["pending"][change.id]
            return True  # what is known of relations is not taken from the feed
        if change.state != LIVE or not change.revision or "revisions" not in self.base.manifest.tables:
            return False
        rows = self.base.rows("revisions", change.id).to_pylist()
        known = bool(rows) and rows[0]["revision"] >= change.revision and rows[0]["state"] != DELETED
        if known:
            del self.position["pending"][change.id]
            self.counts["repeated"] += 1
        return known

    def _fetched(self, changes: list[EntityChange]) -> Iterator[EntityDocument]:
        failures = 0
        for change in changes:
            if change.state == DELETED:
                del self.position["pending"][change.id]
                said: dict[str, Any] = {"modified": change.when[0], "where": self.server.address}
                yield EntityDocument(id=change.id, state=DELETED, revision=change.revision, is_now=True, **said)
                continue
            if failures >= _FAILURES_IN_A_ROW:
                continue
            try:
                documents = self._fetch(change)
                failures = 0
            except FailingServerError as error:
                failures += 1
                if failures == _FAILURES_IN_A_ROW:
                    self.notes.append(f"{self.server.address} is left alone after {failures} failures: {error}.")
                continue
            if documents:
                del self.position["pending"][change.id]
                yield from documents

    def _fetch(self, change: EntityChange) -> list[EntityDocument]:
        """Ask for an entity; nothing where the answer is older than the feed says, or says nothing sure."""
        raw = self.server.entity(change.id)
        if raw is None:
            self.counts["not found"] += 1  # the feed does not say that it was deleted
            return []
        found = list(documents_in(raw, asked=change.id, where=f"{self.server.address}: {change.id}"))
        moved = next((one for one in found if one.id == change.id and one.state == REDIRECT), None)
        if moved:
            there = replace(moved, revision=change.revision, modified=change.when[0])
            return [*(one for one in found if one.state == LIVE), there]
        whole = [one for one in found if one.id == change.id and one.state == LIVE]
        if not whole or any(one.state == BROKEN for one in found) or whole[0].revision < change.revision:
            self.counts["behind"] += bool(whole)
            return []
        return [replace(whole[0], state=change.state)]


def _change(row: dict[str, Any]) -> EntityChange | None:
    """Read a row of the feed; None where it is about no entity, or about nothing that its facts depend on."""
    title = _TITLE.fullmatch(str(row.get("title", "")))
    if title is None:
        return None
    when = str(row.get("timestamp", "")), int(row.get("rcid") or 0)
    if row.get("type") == "log":
        state = _STATES.get(str(row.get("logaction"))) if row.get("logtype") == "delete" else None
        return EntityChange(title[1], when, 0, state) if state else None
    return EntityChange(title[1], when, int(row.get("revid") or 0))


def _reason(error: Exception) -> str:
    return f"{error} is missing in its answer" if isinstance(error, KeyError) else str(error)
