"""Changes against a model of a few lines: in whatever form, order and number they come, the newest revision counts.

The wiki here shares nothing with ``changing_wiki``. Revisions are held back for days, come again, and come in other
forms each day, so what a base knows on a day is not what the wiki was then: it follows from what had come by then.
"""

from __future__ import annotations

import bz2
import gzip
import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape

import pytest

from asof.facts import FactStore, write_base
from asof.facts.manifest import damaged_files
from asof.facts.update import update_base
from asof.sources import open_source
from asof.sources.wikidata_dump import WikidataDump
from asof.timeline import Date
from tests.sources.test_changes import facts_in

DAYS = 10
Statement = tuple[str, str, str, int, int | None]  # id, relation, object, start, end
KINDS = ("add", "add", "end", "drop", "revert", "rename", "merge", "delete", "restore", "create")
NAMES = ("Ångström & Söhne", 'The "Old" <Mill>', "\u5317\u4eac \U0001f3db", "back\\slash / tab\t", "O\u2019Neill ]]>")


@dataclass(frozen=True)
class Edit:
    """What an entity was after an edit; what is deleted has no number of its own."""

    id: str
    number: int
    day: int
    statements: tuple[Statement, ...] = ()
    name: str = ""
    target: str = ""
    deleted: bool = False

    @property
    def is_live(self) -> bool:
        return not (self.deleted or self.target)

    def document(self, *, as_text: bool) -> dict[str, Any]:
        claims: dict[str, list[Any]] = {}
        for id, relation, object, start, end in self.statements:
            snak: dict[str, Any] = {"snaktype": "value", "property": relation, "datavalue": {
                "value": {"entity-type": "item", "numeric-id": int(object[1:]), "id": object},
                "type": "wikibase-entityid"}} | ({} if as_text else {"datatype": "wikibase-item"})  # fmt: skip
            years = {"P580": [_year("P580", start)]} | ({"P582": [_year("P582", end)]} if end else {})
            claims.setdefault(relation, []).append(
                {"mainsnak": snak, "type": "statement", "qualifiers": years, "id": f"{self.id}${id}", "rank": "normal"}
            )
        labels = {"en": {"language": "en", "value": self.name}}
        tail = {} if as_text else {"lastrevid": self.number, "modified": f"2024-03-{self.day + 1:02d}T08:00:00Z"}
        head = {"type": "item", "id": self.id, "labels": labels, "descriptions": [], "aliases": []}
        return head | {"claims": claims or [], "sitelinks": []} | tail


def _year(property: str, year: int) -> dict[str, Any]:
    value = {"time": f"+{year}-00-00T00:00:00Z", "timezone": 0, "before": 0, "after": 0, "precision": 9,
             "calendarmodel": "http://www.wikidata.org/entity/Q1985727"}  # fmt: skip
    return {"snaktype": "value", "property": property, "datavalue": {"value": value, "type": "time"}}


class EditedWiki:
    """Edits of entities, the newest of each last."""

    def __init__(self, random: Random, entities: int = 9) -> None:
        self.random, self.number, self.statements = random, 500, 0
        self.edits: dict[str, list[Edit]] = {}
        for _ in range(entities):
            self.create(0)

    def put(self, id: str, day: int, **what: Any) -> Edit:
        self.number += self.random.randint(1, 9)
        name = self.edits[id][-1].name if id in self.edits else self.random.choice(NAMES)
        edit = Edit(id, 0 if what.get("deleted") else self.number, day, **{"name": name} | what)
        self.edits.setdefault(id, []).append(edit)
        return edit

    def create(self, day: int) -> list[Edit]:
        made = tuple(self.statement() for _ in range(self.random.randint(0, 3)))
        return [self.put(f"Q{len(self.edits) + 1}", day, statements=made)]

    def statement(self) -> Statement:
        start = self.random.randint(1900, 2020)
        end = self.random.choice((None, start + self.random.randint(0, 9)))
        self.statements += 1
        relation, object = self.random.choice(("P6", "P39")), f"Q{self.random.randint(1, 15)}"
        return str(self.statements), relation, object, start, end

    def edit(self, day: int) -> list[Edit]:
        live = [edits[-1] for edits in self.edits.values() if edits[-1].is_live]
        gone = [edits for edits in self.edits.values() if not edits[-1].is_live]
        one, kept = self.random.choice(live), [self.random.choice(live).id]
        said = list(one.statements)
        match self.random.choice(KINDS):
            case "add":
                said.append(self.statement())
            case "end" if said:
                id, relation, object, start, _ = said.pop(0)
                said.append((id, relation, object, start, start + self.random.randint(0, 30)))
            case "drop" if said:
                said.pop()
            case "revert":
                said = list(self.random.choice([edit for edit in self.edits[one.id] if edit.is_live]).statements)
            case "rename":
                return [self.put(one.id, day, statements=one.statements, name=self.random.choice(NAMES))]
            case "merge" if kept != [one.id]:
                both = (*self.edits[kept[0]][-1].statements, *said)
                return [self.put(kept[0], day, statements=both), self.put(one.id, day, target=kept[0])]
            case "delete" if len(live) > 4:
                return [self.put(one.id, day, deleted=True)]
            case "restore" if gone:
                edits = self.random.choice(gone)
                before = [edit for edit in edits if edit.is_live][-1]
                return [self.put(before.id, day, statements=before.statements)]
            case "create":
                return self.create(day)
        return [self.put(one.id, day, statements=tuple(said))]


class BaseModel:
    """What a base must say after what came: of each entity what its newest revision says."""

    def __init__(self, edits: list[Edit]) -> None:
        self.known = {edit.id: edit for edit in edits}
        self.numbers = {edit.id: edit.number for edit in edits}

    def take(self, came: list[Edit], *, without_numbers: bool) -> None:
        """Take what came.

        Args:
            without_numbers: Of what is moved, it was not told by which edit: it is so now, as what is deleted.
        """
        for id in {edit.id for edit in came}:
            mine = [edit for edit in came if edit.id == id]
            now = [edit for edit in mine if edit.deleted or (edit.target and without_numbers)]
            numbered = {edit.number: edit for edit in mine if edit not in now}
            newest, known = max(numbered, default=0), self.numbers.get(id, 0)
            again = newest == known and id in self.known and self.known[id].is_live
            if now or newest > known or again:
                self.known[id] = now[0] if now else numbered[newest]
            self.numbers[id] = max(newest, known)

    def facts(self) -> Counter[Any]:
        return Counter(
            (edit.id, relation, object, str(start), str(end or ""))
            for edit in self.known.values()
            for _, relation, object, start, end in edit.statements
        )


def as_entities(path: Path, came: list[Edit], random: Random) -> Path:
    """Write them as JSON with one on each line, or as a folder of files in the forms of the API."""
    said: list[Any] = []
    for edit in came:
        entity: dict[str, Any] = {edit.id: {"id": edit.id, "missing": ""}} if edit.deleted else {}
        if edit.target:
            said.append({"entity": edit.id, "redirect": edit.target})
        else:
            said.append({"entities": entity or {edit.id: edit.document(as_text=False)}})
    if random.random() < 0.5:
        path = path.with_suffix(".jsonl")
        path.write_text("".join(json.dumps(one, ensure_ascii=random.random() < 0.5) + "\n" for one in said))
        return path
    path.mkdir()
    for number, one in enumerate(said):
        (path / f"{number:03d}.json").write_text(json.dumps(one, indent=random.choice((None, 1)), ensure_ascii=False))
    return path


def as_export(path: Path, came: list[Edit], random: Random) -> Path:
    """Write them as pages with several revisions, between pages of other kinds, in files of several members."""
    pages: dict[int, list[Edit]] = {}
    for edit in came:
        pages.setdefault(hash((edit.id, random.random() < 0.3)), []).append(edit)
    texts = [_page(edits) for edits in pages.values()]
    texts += [f"<page><title>Lexeme:L7</title>{_revision(9, 0, json.dumps({'type': 'lexeme', 'id': 'L7'}))}</page>"]
    texts += [f"<page><title>Talk:Q1</title>{_revision(10, 0, 'no &amp; entity')}</page>"]
    random.shuffle(texts)
    raw = f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">{"".join(texts)}</mediawiki>'.encode()
    ending, pack = random.choice(((".xml.gz", gzip.compress), (".xml.bz2", bz2.compress), (".xml", bytes)))
    path, cut = path.with_suffix(ending), random.randint(1, len(raw) - 1)
    path.write_bytes(pack(raw[:cut]) + pack(raw[cut:]))
    return path


def _page(edits: list[Edit]) -> str:
    said = []
    for edit in edits:
        text = {"entity": edit.id, "redirect": edit.target} if edit.target else edit.document(as_text=True)
        said.append(_revision(edit.number, edit.day, json.dumps(text, ensure_ascii=edit.number % 2 == 0)))
    return f"<page><title>{edits[0].id}</title><ns>0</ns><id>1</id>{''.join(said)}</page>"


def _revision(number: int, day: int, text: str) -> str:
    when = f"<timestamp>2024-03-{day + 1:02d}T08:00:00Z</timestamp>"
    return f"<revision><id>{number}</id>{when}<text>{escape(text)}</text></revision>"


def dumped(path: Path, wiki: EditedWiki) -> WikidataDump:
    live = [edits[-1] for edits in wiki.edits.values() if edits[-1].is_live]
    lines = [json.dumps(edit.document(as_text=False), separators=(",", ":")) for edit in live]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    return WikidataDump(str(path), processes=1)


def day_of(number: int) -> Date:
    return Date.parse(f"2024-03-{number + 1:02d}")


class TenDays:
    """A base, what comes to it each day, and what it must say then."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, Random(seed)
        self.wiki = EditedWiki(self.random)
        self.model = BaseModel([edits[-1] for edits in self.wiki.edits.values()])
        write_base(folder / "base", [dumped(folder / "first.json", self.wiki)], known_by=day_of(0))
        self.truth = [self.model.facts()]
        self._late: list[Edit] = []
        self._old: list[Edit] = []

    def next_day(self) -> Path:
        """Write what comes on the next day, and let the model take it."""
        day, random = len(self.truth), self.random
        made = [edit for _ in range(random.randint(0, 7)) for edit in self.wiki.edit(day)]
        waiting, as_xml = [*self._late, *made], random.random() < 0.4 and day < DAYS
        if day == DAYS:  # what was deleted, and came back by what was late, is deleted
            waiting += [edits[-1] for edits in self.wiki.edits.values() if not edits[-1].is_live]
        self._late = [edit for edit in waiting if day < DAYS and random.random() < 0.25]
        came = [edit for edit in waiting if edit not in self._late]
        came += random.sample(self._old, min(3, len(self._old))) + random.sample(came, len(came) // 3)
        tells_now = [edit for edit in came if edit.deleted or (edit.target and not as_xml)]
        stale = [edit for edit in tells_now if as_xml or edit != self.wiki.edits[edit.id][-1]]
        self._late += [edit for edit in stale if edit == self.wiki.edits[edit.id][-1]]
        came = [edit for edit in came if edit not in stale] or [edits[0] for edits in self.wiki.edits.values()]
        random.shuffle(came)
        self._old += [edit for edit in came if not edit.deleted]
        self.model.take(came, without_numbers=not as_xml)
        self.truth.append(self.model.facts())
        return (as_export if as_xml else as_entities)(self.folder / f"day-{day}", came, random)

    def check(self) -> None:
        """Compare the base with the model, on each day, and with the last state mined whole."""
        store = FactStore(self.folder / "base")
        for day, facts in enumerate(self.truth):
            assert facts_in(store.as_known_on(str(day_of(day)))) == facts, f"day {day}"
        newest = BaseModel([edits[-1] for edits in self.wiki.edits.values()])
        assert facts_in(store) == newest.facts()
        write_base(self.folder / "whole", [dumped(self.folder / "last.json", self.wiki)], known_by=day_of(DAYS))
        whole = FactStore(self.folder / "whole")
        assert facts_in(whole) == newest.facts()
        here = [edit.id for edit in newest.known.values() if edit.is_live and edit.statements]
        named = [{row["id"]: row["label"] for row in one.rows("entities", *here).to_pylist()} for one in (store, whole)]
        assert named[0] == named[1]
        assert not damaged_files(self.folder / "base", store.manifest)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(15, marks=pytest.mark.slow)])
def test_whatever_comes_and_when_the_newest_revision_counts(tmp_path: Path, seed: int) -> None:
    days = TenDays(tmp_path, seed)
    for day in range(1, DAYS + 1):
        update_base(tmp_path / "base", open_source(str(days.next_day())), known_by=day_of(day), max_rejects=0)
    days.check()


_KILLED = """
import os, signal, sys
import pyarrow.parquet as pq
from pathlib import Path
from asof.facts import manifest, update
from asof.sources import open_source
from asof.timeline import Date
left = int(sys.argv[4])
def counted(kind, name):
    real = getattr(kind, name)
    def call(*args, **options):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **options)
    setattr(kind, name, call)
counted(pq.ParquetWriter, "close")
counted(update, "sync_folder")
counted(manifest.Manifest, "put_in_place")
update.update_base(Path(sys.argv[1]), open_source(sys.argv[2]), known_by=Date.parse(sys.argv[3]))
"""


@pytest.mark.slow
def test_killed_on_each_of_ten_days_it_is_the_same(tmp_path: Path) -> None:
    days, killed = TenDays(tmp_path, 4), 0
    for day in range(1, DAYS + 1):
        came = str(days.next_day())
        words = [str(tmp_path / "base"), came, str(day_of(day)), str(2 * day - 2)]
        killed += subprocess.run([sys.executable, "-c", _KILLED, *words], check=False).returncode == -9
        update_base(tmp_path / "base", open_source(came), known_by=day_of(day))
    days.check()
    assert killed >= 8
