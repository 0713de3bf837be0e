"""A small Wikibase that people edit for some days: its dump, its daily changes in every form, and the truth."""

from __future__ import annotations

import bz2
import gzip
import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape

FIRST = date(2024, 5, 1)
Row = tuple[str, str, str, str, str]  # subject, relation, object, start, end


def day_of(number: int) -> str:
    return str(FIRST + timedelta(days=number))


@dataclass
class Revision:
    """What one edit made of an entity."""

    id: str
    number: int
    day: int
    claims: dict[str, dict[str, Any]] | None = field(default_factory=dict)  # by id; None: it was deleted
    label: str = ""
    target: str = ""  # of a redirect
    rcid: int = 0

    @property
    def is_live(self) -> bool:
        return self.claims is not None and not self.target

    def rows(self) -> Counter[Row]:
        if not self.is_live:
            return Counter()
        claims = (self.claims or {}).values()
        return Counter((self.id, one["relation"], one["object"], one["start"], one["end"]) for one in claims)


class Wiki:
    """Entities and all their revisions.

    Args:
        random: Decides everything.
        size: How many entities there are on the first day.
    """

    def __init__(self, random: Random, size: int = 12) -> None:
        self.random = random
        self.now: dict[str, Revision] = {}
        self.history: list[Revision] = []
        self._number = 1_000
        self._claims = 0
        for number in range(1, size + 1):
            self._put(f"Q{number}", 0, {self._new_id(): self._claim_of() for _ in range(self.random.randint(0, 4))})

    def edit(self, day: int, edits: int) -> list[Revision]:
        """Let people edit for a day, and return what they did in its order."""
        before = len(self.history)
        for _ in range(edits):
            kind = self.random.choices(("claim", "revert", "delete", "merge", "new", "label"), (10, 3, 1, 1, 2, 2))[0]
            getattr(self, f"_{kind}")(day)
        return self.history[before:]

    def truth(self) -> Counter[Row]:
        """Return the facts as the wiki has them now."""
        return sum((one.rows() for one in self.now.values()), Counter())

    def dump(self, path: Path) -> Path:
        """Write what is there now as a dump, without redirects as the real one has none."""
        lines = [json.dumps(document(one), separators=(",", ":")) for one in self.now.values() if one.is_live]
        path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
        return path

    def _put(self, id: str, day: int, claims: dict[str, Any] | None, *, target: str = "", label: str = "") -> None:
        self._number += self.random.randint(1, 5)
        was = self.now.get(id)
        label = label or (was.label if was else f"Thing {id}")
        revision = Revision(id, self._number, day, claims, label, target, rcid=len(self.history) + 1)
        self.now[id] = revision
        self.history.append(revision)

    def _live(self) -> Revision:
        return self.random.choice([one for one in self.now.values() if one.is_live])

    def _new_id(self) -> str:
        self._claims += 1
        return f"c{self._claims}"

    def _claim_of(self) -> dict[str, str]:
        start = self.random.randint(1950, 2020)
        end = self.random.choice(["", str(start + self.random.randint(0, 4))])
        relation, object = f"P{self.random.choice((6, 39, 54))}", f"Q{self.random.randint(1, 20)}"
        return {"relation": relation, "object": object, "start": str(start), "end": end}

    def _label(self, day: int) -> None:
        one = self._live()
        self._put(one.id, day, dict(one.claims or {}), label=f"Thing {one.id} of {day}")

    def _revert(self, day: int) -> None:
        one = self._live()
        earlier = [old for old in self.history if old.id == one.id and old.is_live]
        self._put(one.id, day, dict(self.random.choice(earlier).claims or {}))

    def _delete(self, day: int) -> None:
        if sum(one.is_live for one in self.now.values()) > 4:
            self._put(self._live().id, day, None)

    def _merge(self, day: int) -> None:
        one, other = self._live(), self._live()
        if one.id != other.id:
            self._put(other.id, day, dict(other.claims or {}) | dict(one.claims or {}))
            self._put(one.id, day, {}, target=other.id)

    def _new(self, day: int) -> None:
        number = len(self.now) + 1
        self._put(f"Q{number}", day, {self._new_id(): self._claim_of()})

    def _claim(self, day: int) -> None:
        """Add a statement, end it, or take it away."""
        one = self._live()
        claims = dict(one.claims or {})
        what = self.random.choice(("add", "end", "drop")) if claims else "add"
        chosen = self.random.choice(sorted(claims)) if claims else ""
        if what == "add":
            claims[self._new_id()] = self._claim_of()
        elif what == "end":
            claims[chosen] = claims[chosen] | {"end": str(int(claims[chosen]["start"]) + self.random.randint(0, 9))}
        else:
            del claims[chosen]
        self._put(one.id, day, claims)


def document(one: Revision, *, in_export: bool = False) -> dict[str, Any]:
    """Write an entity in Wikidata's own schema; the text of an export has neither revision nor datatypes."""
    claims: dict[str, list[Any]] = {}
    for number, claim in sorted((one.claims or {}).items()):
        claims.setdefault(claim["relation"], []).append(_statement(one.id, number, claim, in_export=in_export))
    head = {"type": "item", "id": one.id}
    tail = {} if in_export else {"lastrevid": one.number, "modified": f"{day_of(one.day)}T10:00:00Z"}
    return head | {
        "labels": {"en": {"language": "en", "value": one.label}}, "descriptions": [], "aliases": {},
        "claims": claims or [], "sitelinks": {},
    } | tail  # fmt: skip


def entity_data(one: Revision) -> dict[str, Any]:
    """Write an entity as Special:EntityData does."""
    page = {"pageid": int(one.id[1:]), "ns": 0, "title": one.id}
    return {"entities": {one.id: page | document(one)}}


def export(revisions: list[Revision]) -> str:
    """Write revisions as a daily adds-changes dump; deletions are not in it."""
    pages = []
    for one in revisions:
        if one.claims is None:
            continue
        text = {"entity": one.id, "redirect": one.target} if one.target else document(one, in_export=True)
        moved = f'<redirect title="{one.target}" />' if one.target else ""
        pages.append(
            f"<page><title>{one.id}</title><ns>0</ns><id>{one.id[1:]}</id>{moved}<revision><id>{one.number}</id>"
            f"<timestamp>{day_of(one.day)}T10:00:00Z</timestamp><model>wikibase-item</model>"
            f'<format>application/json</format><text xml:space="preserve">{escape(json.dumps(text))}</text>'
            "<sha1>x</sha1></revision></page>"
        )
    space = 'xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en"'
    return (
        f"<mediawiki {space}>\n<siteinfo><dbname>wikidatawiki</dbname></siteinfo>\n"
        + "\n".join(pages)
        + "\n</mediawiki>\n"
    )


def write_export(path: Path, revisions: list[Revision]) -> Path:
    """Write a daily dump in the compression that its name says."""
    raw = export(revisions).encode()
    write = {".bz2": bz2.compress, ".gz": gzip.compress}.get(path.suffix, lambda text: text)
    path.write_bytes(write(raw))
    return path


def write_entities(folder: Path, revisions: list[Revision]) -> Path:
    """Write revisions as entity files, in their order; what is deleted is missing in the API's answer."""
    folder.mkdir()
    for number, one in enumerate(revisions):
        said: dict[str, Any] = (
            entity_data(one) if one.is_live else {"entities": {one.id: {"id": one.id, "missing": ""}}}
        )
        if one.target:
            said = {"entity": one.id, "redirect": one.target}
        (folder / f"{number:04d}.json").write_text(json.dumps(said, indent=1 if number % 2 else None), encoding="utf-8")
    return folder


def _statement(id: str, number: str, claim: dict[str, Any], *, in_export: bool) -> dict[str, Any]:
    object = claim["object"]
    value = {"entity-type": "item", "numeric-id": int(object[1:]), "id": object}
    snak: dict[str, Any] = {"snaktype": "value", "property": claim["relation"], "hash": "0"}
    snak["datavalue"] = {"value": value, "type": "wikibase-entityid"}
    if not in_export:
        snak["datatype"] = "wikibase-item"
    qualifiers = {"P580": [_time("P580", claim["start"])]} | (
        {"P582": [_time("P582", claim["end"])]} if claim["end"] else {}
    )
    return {
        "mainsnak": snak, "type": "statement", "qualifiers": qualifiers, "qualifiers-order": list(qualifiers),
        "id": f"{id}${number}", "rank": "normal",
    }  # fmt: skip


def _time(property: str, year: str) -> dict[str, Any]:
    value = {
        "time": f"+{year}-00-00T00:00:00Z", "timezone": 0, "before": 0, "after": 0, "precision": 9,
        "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
    }  # fmt: skip
    datavalue = {"value": value, "type": "time"}
    return {"snaktype": "value", "property": property, "hash": "1", "datavalue": datavalue, "datatype": "time"}
