"""A Wikibase by its address: documents of entities, names, and what has a name. One request at a time.

A server that does not answer in time has said nothing: that is an error of its own, never an empty answer.
"""

from __future__ import annotations

import os
import re
import time
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from asof.errors import UserError
from asof.places import MissingPlaceError
from asof.places.place import BusyPlaceError, TimedOutError
from asof.places.web import WebManners, WebPlace

KNOWN = {"wikidata": "https://www.wikidata.org"}
_HOUR = 3600.0
_IDS_AT_A_TIME = 50  # what api.php allows
_FOUND = 10
_PAUSE = 0.1  # seconds between two requests
_PATHS = re.compile(r"/(?:w|wiki)(?:/.*)?$|/$")


def is_entity_id(text: str) -> bool:
    """Tell whether a text is the id of an item.

    >>> is_entity_id("Q42"), is_entity_id("Q42/../../x"), is_entity_id("P39")
    (True, False, False)
    """
    return re.fullmatch(r"Q[0-9]{1,15}", text) is not None


class SpentBudgetError(UserError):
    """All requests that may be sent in an hour were sent."""


@dataclass(frozen=True)
class LiveDocument:
    """An entity as a server gave it: its JSON, and the revision that it is of."""

    id: str
    raw: bytes
    revision: int
    modified: str


@dataclass(frozen=True)
class NamedThing:
    """What a name may mean."""

    id: str
    label: str
    description: str


@dataclass
class WikibaseServer:
    """A server and how it is asked.

    Args:
        location: Its address, https://wiki.example, or a name that is known: wikidata.
        budget: Requests that may be sent in an hour.
        timeout: Seconds to wait for an answer.
        tries: How often a question is sent.
        language: Of names.
    """

    location: str
    budget: int = 500
    timeout: float = 10.0
    tries: int = 2
    language: str = "en"
    pause: float = _PAUSE
    sent: int = field(default=0, init=False)
    _times: deque[float] = field(default_factory=deque, init=False, repr=False)
    _turn: Lock = field(default_factory=Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        written = KNOWN.get(self.location.lower(), self.location)
        parts = urlsplit(written)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UserError(
                f"{self.location!r} is not the address of a Wikibase. Write 'wikidata', or an address such as "
                "https://wiki.example"
            )
        if "sparql" in parts.path.lower():
            raise UserError(
                f"{self.location} is a SPARQL endpoint. Give the address of its Wikibase, such as {KNOWN['wikidata']}; "
                "'asof mine' takes endpoints."
            )
        self._root = _PATHS.sub("", written)

    @property
    def name(self) -> str:
        """The host, with its port if it has an unusual one."""
        return urlsplit(self._root).netloc.rpartition("@")[2]

    def document(self, id: str) -> LiveDocument:
        """Fetch an entity; one that was merged into another comes as that one."""
        address = f"{self._root}/wiki/Special:EntityData/{quote(id)}.json"
        try:
            entities = self._asked(address, what=id)["entities"]
            [raw] = entities.values()
            head = msgspec.json.decode(raw, type=_Head)
        except MissingPlaceError:
            raise UserError(f"{self.name} has no entity {id}: it never existed, or was deleted.") from None
        except (KeyError, ValueError, TypeError, AttributeError, msgspec.DecodeError) as error:
            raise self._strange(address, error) from error
        if not is_entity_id(head.id):
            raise self._strange(address, ValueError(f"{head.id[:40]!r} is not the id of an item"))
        return LiveDocument(head.id, bytes(raw), head.lastrevid, head.modified)

    def names(self, ids: Collection[str]) -> Iterator[NamedThing]:
        """Fetch labels and descriptions, of many entities at a time."""
        languages = "|".join(dict.fromkeys((self.language, "mul", "en")))
        wanted = sorted(ids)
        for first in range(0, len(wanted), _IDS_AT_A_TIME):
            some = wanted[first : first + _IDS_AT_A_TIME]
            given = {"action": "wbgetentities", "ids": "|".join(some), "props": "labels|descriptions"}
            found = self._api(given | {"languages": languages}, what=f"the names of {len(some)} entities")
            for id, raw in found.get("entities", {}).items():
                one = msgspec.json.decode(raw)
                yield NamedThing(id, self._text(one.get("labels")) or id, self._text(one.get("descriptions")))

    def search(self, name: str) -> list[NamedThing]:
        """Ask what a name may mean, the likeliest first."""
        given = {"action": "wbsearchentities", "search": name, "language": self.language, "limit": str(_FOUND)}
        found = self._api(given | {"uselang": self.language, "type": "item"}, what=repr(name)).get("search", b"[]")
        return [
            NamedThing(one["id"], one.get("label") or one["id"], one.get("description") or "")
            for one in msgspec.json.decode(found)
            if is_entity_id(str(one.get("id")))
        ]

    def _text(self, texts: Any) -> str:
        known = texts if isinstance(texts, dict) else {}  # PHP writes an empty map as an empty list
        found = (known[language]["value"] for language in (self.language, "mul", "en") if language in known)
        return str(next(found, ""))

    def _api(self, given: dict[str, str], *, what: str) -> dict[str, Any]:
        address = f"{self._root}/w/api.php?{urlencode(given | {'format': 'json', 'maxlag': '5'})}"
        found = self._asked(address, what=what)
        if "error" in found:
            said = msgspec.json.decode(bytes(found["error"]))
            raise UserError(f"{self.name} refused to look up {what}: {said.get('info', said)}")
        return found

    def _asked(self, address: str, *, what: str) -> dict[str, Any]:
        """Ask for JSON, when it is the turn of this question and the budget has room for it."""
        contact = os.environ.get("ASOF_CONTACT", "").strip()
        manners = WebManners(
            tries=self.tries, first_wait=0.5, longest_wait=5.0, timeout=self.timeout, longest=self.timeout * self.tries,
            contact=contact if contact.isascii() else "",
        )  # fmt: skip
        with self._turn:
            self._spend(what)
            try:
                content = WebPlace(address, manners).read()
            except TimedOutError as error:
                raise TimedOutError(
                    f"{self.name} timed out: no answer about {what} within {self.timeout:g} s. That says nothing about "
                    "what it has; ask again later."
                ) from error
            except BusyPlaceError as error:
                raise BusyPlaceError(
                    f"{self.name} could not be asked about {what}: {str(error).partition(': ')[2] or error}"
                ) from error
        return self._decoded(address, content)

    def _decoded(self, address: str, content: bytes) -> dict[str, Any]:
        try:
            found = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
            if "entities" in found:
                entities = msgspec.json.decode(found["entities"], type=dict[str, msgspec.Raw])
                return dict(found) | {"entities": entities}
        except msgspec.DecodeError as error:
            raise self._strange(address, error) from error
        return dict(found)

    def _spend(self, what: str) -> None:
        now = time.monotonic()
        while self._times and now - self._times[0] > _HOUR:
            self._times.popleft()
        if len(self._times) >= self.budget:
            minutes = (_HOUR - (now - self._times[0])) / 60
            raise SpentBudgetError(
                f"{what} was not looked up: the {self.budget:,} requests an hour to {self.name} are spent. The next "
                f"one is free in {minutes:.0f} minutes; --live-budget allows more."
            )
        if self._times and (left := self.pause - (now - self._times[-1])) > 0:
            time.sleep(left)
        self._times.append(time.monotonic())
        self.sent += 1

    def _strange(self, address: str, error: Exception) -> UserError:
        path = urlsplit(address).path
        return UserError(
            f"{self.name} did not answer as a Wikibase does at {path} ({error}). Is it one, and is the address right?"
        )


class _Head(msgspec.Struct):
    id: str
    lastrevid: int = 0
    modified: str = ""
