"""Entities looked up live: each becomes a small base in the cache, and is asked as any base is.

So dates keep their precision, ranks and statements, and as-of, timelines and gaps are those of every other base. What
was fetched counts as known up to the day on which it was fetched. After its time to live it is fetched again; where the
server then does not answer, the older copy is shown, with its age.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from asof.cache import cache_folder
from asof.errors import UserError
from asof.facts import FactStore, write_base
from asof.live.wikibase import LiveDocument, NamedThing, SpentBudgetError, WikibaseServer, is_entity_id
from asof.lock import hold_lock
from asof.places.place import BusyPlaceError
from asof.sources.wikidata_dump import WikidataDump
from asof.sources.wikidata_dump.scan import Scanner
from asof.sources.wikidata_dump.wanted import MiningSettings
from asof.timeline import Date
from asof.whole_file import write_text

_THING = re.compile(r"[QP][0-9]{1,15}")
_FETCHED, _NAMES = "fetched.json", "names.json"
_MOST_NAMES = 200  # of objects of one entity that are asked for
_OPEN = 32  # bases that stay open
_WAIT = 60.0


@dataclass(frozen=True)
class LiveEntity:
    """An entity as it was when it was fetched, as a base of its own."""

    id: str
    server: str
    store: FactStore
    revision: int
    fetched: datetime
    problem: str = ""  # why there is nothing newer, where it is older than it may be

    @property
    def stale(self) -> bool:
        """Whether it should have been fetched again, and could not be."""
        return bool(self.problem)

    @property
    def note(self) -> str:
        """Where it is from and how old it is."""
        when = f"{self.fetched:%Y-%m-%d %H:%M} UTC"
        told = (
            f"Looked up live: {self.server}, {self.id}, revision {self.revision}, fetched {when} ({self._age()} ago)."
        )
        unread = self.store.manifest.rejects
        told += f" Statements that could not be read: {unread.rows}." if unread else ""
        return told + (f" Stale: {self.problem}" if self.stale else "")

    def _age(self) -> str:
        seconds = max(0.0, (datetime.now(UTC) - self.fetched).total_seconds())
        for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
            if seconds >= length:
                count = int(seconds // length)
                return f"{count} {unit}{'' if count == 1 else 's'}"
        return f"{int(seconds)} seconds"


def _no_names(ids: Collection[str]) -> Mapping[str, str]:
    return {}


@dataclass
class LiveEntities:
    """All that was looked up at one server.

    Args:
        hours: How long an entity counts as fresh.
        names_known: Names that need not be asked for: of a base beside.
    """

    server: WikibaseServer
    hours: float = 24.0
    names_known: Callable[[Collection[str]], Mapping[str, str]] = field(default=_no_names)
    _open: OrderedDict[Path, FactStore] = field(default_factory=OrderedDict, init=False, repr=False)

    @property
    def name(self) -> str:
        """The host of the server."""
        return self.server.name

    def entity(self, wanted: str) -> LiveEntity:
        """Look an entity up, by its id or by a name that means one alone."""
        id = wanted.strip() if is_entity_id(wanted.strip()) else self._meant(wanted)
        folder = self._folder / id
        folder.mkdir(parents=True, exist_ok=True)
        with hold_lock(folder / ".lock", otherwise=f"Another process is looking up {id}. Try again soon.", wait=_WAIT):
            kept = self._kept(folder)
            if kept and (datetime.now(UTC) - kept.fetched).total_seconds() < self.hours * 3600:
                return kept
            try:
                self._fetch(id, folder)
            except (BusyPlaceError, SpentBudgetError) as error:
                if kept is None:
                    raise
                return LiveEntity(kept.id, kept.server, kept.store, kept.revision, kept.fetched, str(error))
            found = self._kept(folder)
        if found is None:
            raise UserError(f"What {self.name} gave of {id} could not be kept in {folder}.")
        return found

    def search(self, name: str) -> list[NamedThing]:
        """Ask what a name may mean."""
        return self.server.search(name)

    @property
    def _folder(self) -> Path:
        return cache_folder() / "live" / re.sub(r"[^A-Za-z0-9.-]+", "-", self.name)

    def _meant(self, name: str) -> str:
        found = self.server.search(name)
        same = [one for one in found if one.label.casefold() == name.strip().casefold()] or found
        if len(same) == 1:
            return same[0].id
        if not same:
            raise UserError(f"{self.name} has nothing called {name!r}.")
        listed = "\n".join(f"  {one.id:12} {one.label}, {one.description or '?'}" for one in same)
        raise UserError(
            f"{name!r} is ambiguous; at {self.name} it may be one of:\n{listed}\nGive the id of the one you mean."
        )

    def _kept(self, folder: Path) -> LiveEntity | None:
        try:
            told = json.loads((folder / _FETCHED).read_text(encoding="utf-8"))
            store = self._store(folder / told["base"])
            return LiveEntity(told["id"], self.name, store, told["revision"], datetime.fromisoformat(told["at"]))
        except (OSError, ValueError, KeyError, TypeError, UserError):
            return None  # nothing, or nothing whole

    def _store(self, folder: Path) -> FactStore:
        store = self._open.pop(folder, None) or FactStore(folder)
        self._open[folder] = store
        while len(self._open) > _OPEN:
            self._open.popitem(last=False)
        return store

    def _fetch(self, id: str, folder: Path) -> None:
        """Fetch an entity and the names of all that its facts mention, and make a base of them."""
        document = self.server.document(id)
        at = datetime.now(UTC)
        base = f"{document.id}-{document.revision}-{at:%Y%m%dT%H%M%S%f}"
        mentioned = _mentioned(document, self.server.language)
        lines = [document.raw.replace(b"\n", b" "), *(_stub(one) for one in self._named(mentioned - {document.id}))]
        path = folder / f"{_file_name(self.name)}-{document.id}-r{document.revision}.json"
        path.write_bytes(b"[\n" + b",\n".join(lines) + b"\n]\n")
        source = WikidataDump(str(path), languages=(self.server.language,), processes=1)
        write_base(folder / base, [source], name=f"{self.name} (live)", known_by=Date.parse(f"{at:%Y-%m-%d}"))
        path.unlink()
        told = {"at": at.isoformat(), "id": document.id, "revision": document.revision, "base": base}
        write_text(folder / _FETCHED, json.dumps(told))
        for other in folder.iterdir():
            if other.is_dir() and other.name != base and folder / other.name not in self._open:
                shutil.rmtree(other, ignore_errors=True)

    def _named(self, ids: set[str]) -> list[NamedThing]:
        """Return names: of the base beside, of earlier look-ups, else of the server; what it does not tell is an id."""
        known = self._names_kept()
        known |= {key: NamedThing(key, label, "") for key, label in self.names_known(ids - known.keys()).items()}
        unknown = sorted(ids - known.keys(), key=lambda key: (key[0] != "P", key))[:_MOST_NAMES]
        try:
            known |= {one.id: one for one in self.server.names(unknown)}
        except UserError:
            pass  # the facts are there; what has no name yet goes by its id
        else:
            if unknown:
                rows = {one.id: asdict(one) for one in known.values()}
                write_text(self._folder / _NAMES, json.dumps(rows, ensure_ascii=False))
        return [known.get(id, NamedThing(id, id, "")) for id in sorted(ids)]

    def _names_kept(self) -> dict[str, NamedThing]:
        try:
            rows = json.loads((self._folder / _NAMES).read_text(encoding="utf-8"))
            return {key: NamedThing(**row) for key, row in rows.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}


def open_live(location: str, store: FactStore | None = None, **settings: Any) -> LiveEntities:
    """Open a Wikibase for live look-ups, beside a base whose names need not be asked for."""
    hours = settings.pop("hours", 24.0)
    known = store.labels if store is not None and location.lower() == "wikidata" else _no_names
    return LiveEntities(WikibaseServer(location, **settings), hours, known)


def _mentioned(document: LiveDocument, language: str) -> set[str]:
    """Return the ids of all that the facts of an entity mention."""
    scanner = Scanner(MiningSettings(languages=(language,)))
    scanner.scan(document.raw.replace(b"\n", b" ") + b"\n")
    found = {document.id, *scanner.facts.relation, *scanner.facts.object}
    return {id for id in found if _THING.fullmatch(id)}


def _stub(thing: NamedThing) -> bytes:
    """Write what is known of a thing as a line of a dump."""
    texts = {"labels": {"mul": {"language": "mul", "value": thing.label}}}
    if thing.description:
        texts["descriptions"] = {"en": {"language": "en", "value": thing.description}}
    kind = "property" if thing.id.startswith("P") else "item"
    return json.dumps({"type": kind, "id": thing.id, **texts, "claims": {}}, ensure_ascii=False).encode()


def _file_name(host: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", host)
