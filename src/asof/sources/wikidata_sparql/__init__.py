"""Facts from a SPARQL endpoint with Wikidata's statement model: query.wikidata.org, QLever, or your own.

For small sets: some relations, of some subjects or of all, in a period. Comes out what a dump would give for the same
statements (``wikidata_dump``). For whole relations of Wikidata, use a dump: endpoints stop after a minute.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from asof.errors import UserError
from asof.facts import ENTITIES, RELATIONS, Intake
from asof.facts.labels import labels_batch
from asof.registry import sources
from asof.sources._day_of_mining import day_of_mining
from asof.sources.almanac.properties import known_relations
from asof.sources.wikidata_sparql.ids import is_id, read_ids
from asof.sources.wikidata_sparql.period import ALL_DAYS, AskedDays
from asof.sources.wikidata_sparql.queries import (
    ENTITY,
    KNOWN_BY_QUERY,
    StatementRange,
    entities_query,
    marks_query,
    pages_query,
)
from asof.timeline import MAX_DAY, MIN_DAY, Date, Span

if TYPE_CHECKING:
    from asof.sources.wikidata_sparql.endpoint import Row, SparqlEndpoint
    from asof.sources.wikidata_sparql.reading import SparqlReader

_SUBJECTS_AT_A_TIME = 200
_STATEMENTS_ON_A_PAGE = 5_000  # below the 10,000 rows at which Virtuoso cuts
_ENTITIES_IN_A_BATCH = 10_000
_MARKS_AT_A_TIME = 400  # statements or entities; some 40 KB of question


@sources.register("wikidata-sparql")
@dataclass
class WikidataSparql:
    """A SPARQL endpoint with Wikidata's statements: its address, and the relations to ask for.

    Args:
        location: The address.
        relation: The relations to ask for: P39. At least one.
        subject: The subjects to ask for: Q76, or @FILE with one a line. Without them, all.
        since: Leave out what surely ended before.
        until: Leave out what surely started after.
        languages: Of labels, descriptions and aliases, in the order of preference.
        qualifiers: Properties of qualifiers to keep beside the dates.
        numbers: Keep numeric objects.
        timeout: Seconds to wait for an answer; WDQS gives up after 60.
        tries: How often a question is sent before it counts as failed.
        first_wait: Seconds before the second try; each wait is about twice the one before.
        longest_wait: Seconds to wait at most, if a server asks for it.
        page: How many statements to ask for at a time.
    """

    location: str
    relation: Sequence[str] = ()
    subject: Sequence[str] = ()
    since: Span | None = None
    until: Span | None = None
    languages: Sequence[str] = ("en",)
    qualifiers: Sequence[str] = ()
    numbers: bool = False
    timeout: float = 70.0
    tries: int = 6
    first_wait: float = 2.0
    longest_wait: float = 120.0
    page: int = _STATEMENTS_ON_A_PAGE
    counts: Counter[str] = field(default_factory=Counter, init=False)
    _endpoint: SparqlEndpoint | None = field(default=None, init=False, repr=False)
    _mentioned: dict[str, None] = field(default_factory=dict, init=False, repr=False)
    _labels: dict[str, list[tuple[str, str]]] = field(default_factory=dict, init=False, repr=False)
    _known_by: Date | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.relation:
            raise UserError(
                f"{self.name} has billions of statements: name the relations to ask for, as in --relation P39. "
                "If the address is that of a table, add --source table."
            )
        self.relation = read_ids(self.relation, "relation", "P39")
        self.subject = read_ids(self.subject, "subject", "Q76")
        self.qualifiers = read_ids(self.qualifiers, "qualifier", "P768")
        for language in self.languages:
            if not re.fullmatch(r"[a-z]{2,}(?:-[a-z0-9]+)*", language):
                raise UserError(
                    f"{language!r} is not a language code. Write one that Wikidata uses, such as en or pt-br."
                )

    @classmethod
    def recognises(cls, location: str) -> bool:
        """Tell whether a place is an address."""
        return re.match(r"https?://", location, re.IGNORECASE) is not None

    @property
    def name(self) -> str:
        """The host and path of the address, without name and password."""
        return re.sub(r"^https?://(?:[^/]*@)?|[?#].*$", "", self.location, flags=re.IGNORECASE)

    @property
    def known_by(self) -> Date | None:
        """The day up to which the endpoint is up to date: as it says itself, else today."""
        return self._known_by

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        """Ask for the statements, relation by relation, and give those that are facts."""
        from asof.sources.wikidata_sparql.endpoint import SparqlEndpoint
        from asof.sources.wikidata_sparql.kept import KeptAnswers
        from asof.sources.wikidata_sparql.paging import statement_pages
        from asof.sources.wikidata_sparql.reading import SparqlReader

        self._endpoint = SparqlEndpoint(
            self.location,
            KeptAnswers(intake.work, self.name),
            timeout=self.timeout,
            tries=self.tries,
            first_wait=self.first_wait,
            longest_wait=self.longest_wait,
        )
        self._known_by = _stated_day(self._endpoint) or day_of_mining()
        reader = SparqlReader(self.qualifiers, self.numbers, self._days(), self.counts)
        count = 0
        for stretch in self._stretches():
            for page in statement_pages(self._endpoint, stretch, limit=self.page):
                yield self._batch(intake, reader, stretch.relation, page, count)
                count += len(page)

    def entities(self) -> Iterable[pa.RecordBatch]:
        """Ask for labels, aliases, descriptions and sitelinks of all that the facts mention."""
        from asof.sources.wikidata_sparql.paging import marks_of
        from asof.sources.wikidata_sparql.reading import entity_row, labels_by_language, name_languages

        if self._endpoint is None:
            return
        things = [ENTITY + id for id in self._mentioned]
        query = partial(entities_query, languages=name_languages(self.languages))
        marks = marks_of(self._endpoint, things, query, at_a_time=_MARKS_AT_A_TIME)
        uncounted = [thing for thing in marks if not any(mark.startswith("links|") for mark in marks[thing])]
        pages = marks_of(self._endpoint, uncounted, pages_query, at_a_time=_MARKS_AT_A_TIME)
        none = (
            0 if pages or len(uncounted) < len(marks) else None
        )  # an endpoint without any page knows nothing of pages
        for first in range(0, len(things), _ENTITIES_IN_A_BATCH):
            rows = [
                entity_row(thing.removeprefix(ENTITY), marks[thing], self.languages, len(pages.get(thing, [])) or none)
                for thing in things[first : first + _ENTITIES_IN_A_BATCH]
                if thing in marks
            ]
            yield pa.RecordBatch.from_pylist(rows, schema=ENTITIES)
        for thing in things:
            id = thing.removeprefix(ENTITY)
            for language, label in labels_by_language(id, marks.get(thing, []), self.languages[1:]).items():
                self._labels.setdefault(language, []).append((id, label))

    @property
    def language(self) -> str:
        """The language of the names of entities; what has none in it goes by another name."""
        return self.languages[0]

    def labels(self) -> Iterable[pa.RecordBatch]:
        """Give the names in the further languages that came with the entities, and those of properties."""
        for language in self.languages[1:]:
            yield labels_batch(self._labels.get(language, []), language)
            yield labels_batch([(row["id"], row["label"]) for row in known_relations(language).to_pylist()], language)

    def relations(self) -> Iterable[pa.RecordBatch]:
        """Ask for the labels of the relations; what is known of Wikidata's properties helps out."""
        from asof.sources.wikidata_sparql.paging import marks_of
        from asof.sources.wikidata_sparql.reading import entity_row, name_languages

        if self._endpoint is None:
            return
        things = [ENTITY + id for id in self.relation]
        query = partial(entities_query, languages=name_languages(self.languages))
        marks = marks_of(self._endpoint, things, query, at_a_time=_MARKS_AT_A_TIME)
        rows = {row["id"]: row for row in known_relations(self.languages[0]).to_pylist()}
        for id in self.relation:
            named = entity_row(id, marks.get(ENTITY + id, []), self.languages, None)
            if named["label"] != id:
                names = {"id": id, "label": named["label"], "aliases": named["aliases"]}
                rows[id] = rows.get(id, {}) | names
        yield pa.RecordBatch.from_pylist(list(rows.values()), schema=RELATIONS)
        self._endpoint.close()

    def notes(self) -> list[str]:
        """Say what was left out."""
        left_out = [f"{count:,} {name}" for name, count in sorted(self.counts.items())]
        notes = [f"Skipped in {self.name}: {', '.join(left_out)}."] if left_out else []
        if self._days().clauses():
            notes.append("Not asked for and not counted: facts that surely lie outside the period.")
        return notes

    def _stretches(self) -> Iterator[StatementRange]:
        for relation in self.relation:
            if not self.subject:
                yield StatementRange(relation, days=self._days())
            for first in range(0, len(self.subject), _SUBJECTS_AT_A_TIME):
                some = tuple(self.subject[first : first + _SUBJECTS_AT_A_TIME])
                yield StatementRange(relation, some, days=self._days())

    def _days(self) -> AskedDays:
        if self.since is None and self.until is None:
            return ALL_DAYS
        return AskedDays(self.since.first if self.since else MIN_DAY, self.until.last if self.until else MAX_DAY)

    def _batch(
        self, intake: Intake, reader: SparqlReader, relation: str, page: list[Row], before: int
    ) -> pa.RecordBatch:
        """Ask for the marks of a page of statements and bring them through the intake."""
        from asof.sources.wikidata_sparql.paging import marks_of
        from asof.sources.wikidata_sparql.reading import UnreadableError

        if self._endpoint is None:
            raise RuntimeError("statements come from an endpoint")
        query = partial(marks_query, relation=relation, qualifiers=self.qualifiers, numbers=self.numbers)
        addresses = list(dict.fromkeys(row["id"]["value"] for row in page))
        marks = marks_of(self._endpoint, addresses, query, at_a_time=_MARKS_AT_A_TIME)
        rows: list[dict[str, Any]] = []
        lines: list[int] = []
        for line, statement in enumerate(page, start=before + 1):
            address = statement["id"]["value"]
            try:
                if address not in marks:
                    raise UnreadableError(
                        "the endpoint lists it but gives nothing of it; it may just have been deleted."
                    )
                facts = reader.rows(statement, marks[address])
            except UnreadableError as error:
                intake.rejects.add(file=self.name, line=line, reason=f"{address}: {error}", row=statement)
                continue
            rows += facts
            lines += [line] * len(facts)

        def column(name: str) -> pa.Array:
            return pa.array([row[name] for row in rows], pa.bool_() if name == "best" else pa.string())

        batch = intake.batch(
            file=self.name,
            lines=np.array(lines, dtype=np.int64),
            relation=pa.repeat(relation, len(rows)),
            source=self.name,
            **{name: column(name) for name in
               ("subject", "object", "start", "end", "rank", "statement", "best", "qualifiers")},
        )  # fmt: skip
        things = {*batch["subject"].to_pylist(), *batch["object"].to_pylist()}
        self._mentioned |= dict.fromkeys(sorted(id for id in things if is_id(id)))
        return batch


def _stated_day(endpoint: SparqlEndpoint) -> Date | None:
    """Return the day of its data, where the endpoint states one."""
    days = [row["day"]["value"][:10] for row in endpoint.ask(KNOWN_BY_QUERY) if "day" in row]
    return max((Date.parse(day) for day in days if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", day)), default=None)
