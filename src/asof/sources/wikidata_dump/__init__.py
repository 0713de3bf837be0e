"""A Wikidata JSON dump, as dumps.wikimedia.org has it: .json.gz, .json.bz2, .json.zst or plain .json.

``stretch`` and ``pieces`` cut the file and decompress it, ``lines`` and ``scan`` find what is worth decoding,
``statements`` makes facts, ``items`` and ``entities`` take names, ``mining`` and ``work`` keep what is finished, and
this file gives it all to the base.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from asof.cores import usable_cores
from asof.errors import DateError, UserError
from asof.facts import ENTITIES, RELATIONS, Intake
from asof.facts.labels import labels_batch
from asof.facts.losses import MOST_BYTES, Loss
from asof.facts.schema import REVISIONS
from asof.places import is_there, name_of, size_of
from asof.registry import sources
from asof.sources.almanac.properties import known_relations
from asof.sources.wikidata_dump.item_set import ItemSet, numbers_of
from asof.sources.wikidata_dump.items import aliases_of, label_in, label_of, text_of
from asof.sources.wikidata_dump.mining import FACTS, ITEMS, REJECTS, mine_stretch, rows_of
from asof.sources.wikidata_dump.page_views import PageViews, title_in_views
from asof.sources.wikidata_dump.pieces import Compression, pieces_of
from asof.sources.wikidata_dump.pool import Mapper, mine_all
from asof.sources.wikidata_dump.repeated import RepeatedItems
from asof.sources.wikidata_dump.stretch import Block, ByteRange
from asof.sources.wikidata_dump.wanted import MiningSettings
from asof.sources.wikidata_dump.work import Progress, WorkSizes, tasks_of, whole_reports
from asof.timeline import Date

_DECODED = ("id", "labels", "description", "aliases")
_LOOKED_AT = 1_000  # bytes from which a dump is recognised
_FIRST_ENTITY = re.compile(rb'(?s)(?:\[\s*)?\{.*?"(?:type"\s*:\s*"(?:item|property|lexeme)"|id"\s*:\s*"[QP][0-9]+")')


@sources.register("wikidata-dump")
@dataclass
class WikidataDump:
    """A JSON dump of Wikidata (.json.gz, .json.bz2, .json.zst, .json): its statements with dates.

    Args:
        location: The file, or the address of one at a place that sends parts of files.
        languages: Of labels, descriptions and aliases, in the order of preference.
        relation: Take only these properties.
        without_relation: Leave these properties out.
        qualifiers: Properties of qualifiers to keep beside the dates.
        numbers: Keep numeric objects.
        page_views: A file of page views; popularity is then the views of an item's page, not its sitelinks.
        accept_cut: Take a dump that ends too early for what it is.
        processes: How many to use; by default one for each core.
        on_progress: Called with the bytes done and the bytes of the file.
        mapper: Runs the tasks in place of processes of this machine.
    """

    location: str
    languages: Sequence[str] = ("en",)
    relation: Sequence[str] = ()
    without_relation: Sequence[str] = ()
    qualifiers: Sequence[str] = ()
    numbers: bool = False
    page_views: Path | None = None
    accept_cut: bool = False
    processes: int | None = None
    sizes: WorkSizes = field(default_factory=WorkSizes)
    on_progress: Callable[[int, int], None] = lambda done, size: None
    mapper: Mapper | None = None
    counts: Counter[str] = field(default_factory=Counter, init=False)
    _reports: list[dict[str, Any]] = field(default_factory=list, init=False, repr=False)
    _mentioned: ItemSet = field(default_factory=ItemSet, init=False, repr=False)
    _repeated: RepeatedItems = field(default_factory=lambda: RepeatedItems([]), init=False, repr=False)

    @classmethod
    def recognises(cls, location: str) -> bool:
        """Tell whether a file has the name of a dump and begins as one."""
        return Compression.of(location) is not None and is_there(location) and _begins_as_a_dump(location)

    @property
    def name(self) -> str:
        """The name of the file."""
        return name_of(self.location)

    @property
    def known_by(self) -> Date | None:
        """The latest day on which an entity of the dump was modified; where none says, the day in the file's name."""
        newest = max((report["newest"] for report in self._reports), default="")
        return Date.parse(newest) if newest else _day_in(self.name)

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        """Mine the dump, or what is left of it, then give the facts in the order of the file."""
        self._mine(self._work_folder(intake))
        lines = 0
        for part, report in enumerate(self._reports):
            self._hand_over_rejects(intake, part, lines)
            for every in rows_of(report, FACTS):
                batch = self._repeated.without(part, every)
                rows = dict(zip(batch.schema.names, batch.columns, strict=True))
                numbers = rows.pop("line").to_numpy() + lines
                taken = intake.batch(file=self.name, lines=numbers, source=self.name, **rows)
                for thing in ("subject", "object"):
                    self._mentioned.add(numbers_of(taken[thing]))
                yield taken
            lines += report["counts"].get("lines", 0)

    def entities(self) -> Iterator[pa.RecordBatch]:
        """Give names, descriptions and the number of sitelinks of the items that facts mention."""
        views = self._page_views() if self.page_views else None
        for items in self._mentioned_items():
            yield entities_of(items, views)

    @property
    def language(self) -> str:
        """The language of the names of entities; what has none in it goes by another name."""
        return self.languages[0]

    def labels(self) -> Iterator[pa.RecordBatch]:
        """Give the names of items and properties in the further languages."""
        for index, language in enumerate(self.languages):
            for items in self._mentioned_items() if index else ():
                columns = zip(items["id"].to_pylist(), items["labels"].to_pylist(), strict=True)
                named = [(f"Q{number}", text) for number, raw in columns if (text := label_in(raw, index))]
                yield labels_batch(named, language)
            if index:
                known = known_relations(language).to_pylist()
                yield labels_batch([(row["id"], row["label"]) for row in known], language)

    def _mentioned_items(self) -> Iterator[pa.RecordBatch]:
        for part, report in enumerate(self._reports):
            for every in rows_of(report, ITEMS):
                batch = self._repeated.without(part, every)
                items = batch.filter(pa.array(self._mentioned.mask(batch["id"].to_numpy())))
                if items.num_rows:
                    yield items

    def _page_views(self) -> PageViews:
        def titles() -> Iterator[tuple[str, int]]:
            for items in self._mentioned_items():
                for id, title in zip(items["id"].to_pylist(), items["title"].to_pylist(), strict=True):
                    if title is not None:
                        yield title_in_views(text_of(title)), id

        folder = Path(self._reports[0]["folder"]).parents[1]
        return PageViews(Path(self.page_views or ""), self.languages[0], titles(), folder)

    def relations(self) -> Iterable[pa.RecordBatch]:
        """Give the properties of the dump with their names, and what asof knows of them."""
        rows = {row["id"]: row for row in known_relations(self.languages[0]).to_pylist()}
        for report in self._reports:
            for id, names in report["relations"].items():
                rows[id] = rows.get(id, {}) | {"id": id} | names
        return [pa.RecordBatch.from_pylist(list(rows.values()), schema=RELATIONS)]

    def revisions(self) -> Iterator[pa.RecordBatch]:
        """Give which revision of each item was read, so that an older one never replaces it."""
        for items in self._mentioned_items():
            rows = items.filter(pc.greater(items["revision"], 0))
            columns = [
                pc.binary_join_element_wise("Q", rows["id"].cast(pa.string()), ""),
                rows["revision"],
                pa.nulls(rows.num_rows, pa.int32()),
                pa.repeat("live", rows.num_rows),
                pa.nulls(rows.num_rows, pa.string()),
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=REVISIONS)

    @property
    def mining(self) -> dict[str, Any]:
        """The settings with which it is mined; changes are read with the same ones."""
        return asdict(self._wanted)

    @property
    def begun(self) -> Date | None:
        """The day on which it was begun, if its name says so: what came later may be missing."""
        return _day_in(self.name)

    def notes(self) -> list[str]:
        """Say what was left out, and what could not be read."""
        left_out = [f"{self.counts[name]:,} {name}" for name in _LEFT_OUT if self.counts[name]]
        notes = [f"Skipped in {self.name}: {', '.join(left_out)}."] if left_out else []
        return notes + [f"{self.name}: {_told(loss)}." for report in self._reports for loss in report["losses"]]

    def losses(self) -> list[Loss]:
        """Return the bytes of the file that could not be read, but for an end that somebody accepts to be missing."""
        lost = [loss for report in self._reports for loss in report["losses"]]
        count = sum(loss["stop"] - loss["first"] for loss in lost if not (loss["at_the_end"] and self.accept_cut))
        what = f"bytes of {self.name} could not be read"
        return [Loss(what=what, count=count, of=size_of(self.location), most=MOST_BYTES)]

    def _mine(self, folder: Path) -> None:
        if not is_there(self.location):
            raise UserError(f"{self.location} does not exist.")
        size = size_of(self.location)
        tasks = tasks_of(self.location, self._wanted, folder, self.sizes)
        steps = self.mapper(mine_stretch, tasks) if self.mapper else mine_all(tasks, self.processes or usable_cores())
        progress = Progress(tasks)
        mined = []
        for finished in steps:
            mined += finished
            self.on_progress(progress.bytes(), size)
        self._reports = whole_reports(tasks, mined)
        for report in self._reports:
            self.counts.update(report["counts"])
        self._repeated = RepeatedItems(self._reports)
        self.counts["items"] -= self._repeated.count
        self.counts["repeated items"] += self._repeated.count
        self._see_that_it_is_whole()

    def _see_that_it_is_whole(self) -> None:
        losses = [loss for report in self._reports for loss in report["losses"]]
        brackets = {bracket for report in self._reports for bracket in report["brackets"]}
        end = f"byte {size_of(self.location):,}"
        if losses and losses[-1]["at_the_end"]:
            what = losses[-1]["reason"]
        elif brackets == {"["}:
            what = f"it ends at {end} without the bracket that closes the list"
        else:
            return
        if not self.accept_cut:
            raise UserError(
                f"{self.location} is cut: {what}. Get the file again, or take the {self.counts['items']:,} items that "
                "could be read with --accept-cut: they are kept, and the same command with that option ends soon."
            )

    @cached_property
    def _wanted(self) -> MiningSettings:
        return MiningSettings(
            languages=tuple(self.languages),
            relations=tuple(self.relation),
            without_relations=tuple(self.without_relation),
            qualifiers=tuple(self.qualifiers),
            quantities=self.numbers,
            titles_of=f"{self.languages[0].replace('-', '_')}wiki" if self.page_views else "",
        )

    def _work_folder(self, intake: Intake) -> Path:
        if intake.work is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="asof-")
            return Path(self._temporary.name) / self.name
        return intake.work / self.name

    def _hand_over_rejects(self, intake: Intake, part: int, lines: int) -> None:
        report = self._reports[part]
        with (Path(report["folder"]) / REJECTS).open(encoding="utf-8") as file:
            for reject in map(json.loads, file):
                if not self._repeated.counts(part, reject["line"]):
                    continue
                reason = f"{reject['reason'].rstrip('.')}."
                intake.rejects.add(file=self.name, line=lines + reject["line"], reason=reason, row=reject["row"])
        for loss in report["losses"]:
            last = lines + report["counts"].get("lines", 0)
            intake.rejects.add(file=self.name, line=last, reason=f"{_told(loss)}.", row=loss)


_LEFT_OUT = (
    "deprecated", "objects without value", "quantities", "media", "coordinates", "objects of other kinds",
    "without a date", "lexemes", "redirects", "properties", "other entities", "repeated items",
)  # fmt: skip


def _told(loss: dict[str, Any]) -> str:
    lost = f"{loss['reason']}; {loss['stop'] - loss['first']:,} bytes of the file are lost"
    return lost if loss["at_the_end"] else f"{lost}, reading went on at byte {loss['stop']:,}"


def _day_in(name: str) -> Date | None:
    """Read the day that dumps carry in their name.

    >>> str(_day_in("wikidata-20240603-all.json.gz")), _day_in("latest-all.json.gz"), _day_in("20249999.json")
    ('2024-06-03', None, None)
    """
    found = re.search(r"(?<![0-9])([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?![0-9])", name)
    try:
        return Date.parse("-".join(found.groups())) if found else None
    except DateError:
        return None


def entities_of(items: pa.RecordBatch, views: PageViews | None) -> pa.RecordBatch:
    """Return items as entities of a base."""
    numbers, labels, descriptions, aliases = (items[name].to_pylist() for name in _DECODED)
    columns = {
        "id": [f"Q{number}" for number in numbers],
        "label": [label_of(label) or f"Q{number}" for number, label in zip(numbers, labels, strict=True)],
        "aliases": [aliases_of(*pair) for pair in zip(labels, aliases, strict=True)],
        "description": [text_of(text) if text else None for text in descriptions],
        "kind": [None] * len(numbers),
        "popularity": [views.of(number) for number in numbers] if views else items["sitelinks"].cast(pa.float64()),
    }
    return pa.RecordBatch.from_pydict(columns, schema=ENTITIES)


def _begins_as_a_dump(location: str) -> bool:
    """Look at the first bytes: an opening bracket alone on its line, or an entity."""
    beginning = b""
    for piece in pieces_of(ByteRange(location, 0, size_of(location))):
        if not isinstance(piece, Block):
            break
        beginning += piece.raw
        if len(beginning) > _LOOKED_AT:
            break
    text = beginning.removeprefix(b"\xef\xbb\xbf").lstrip()
    return text.partition(b"\n")[0].strip() == b"[" or _FIRST_ENTITY.match(text[:_LOOKED_AT]) is not None
