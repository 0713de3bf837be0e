"""From the JSON of an entity to rows of facts: the statements that have a start, an end or a point in time.

Only the needed fields are decoded. Rank: deprecated statements are left out; a fact is *best* if no statement of its
subject and relation, dated or not, has a higher rank. Unknown and absent values: an unknown start or end is
``unknown``, an end that is stated not to be is ``ongoing``, a start that is stated not to be is not stated.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import GenericAlias
from typing import Any

import msgspec

from asof.sources._wikidata_statements import intervals_of
from asof.sources._wikidata_time import date_of_json
from asof.sources.wikidata_dump.dated_lists import dated_lists
from asof.sources.wikidata_dump.wanted import MiningSettings

START, END, POINT = "P580", "P582", "P585"
_NOT_OBJECTS = {"commonsMedia": "media", "geo-shape": "media", "tabular-data": "media", "musical-notation": "media"}
# In the XML of pages, statements do not say of which kind their values are: there, files on Commons are told by the
# endings of their names. Addresses have such endings, too, and are objects.
_MEDIA_NAME = re.compile(
    r"(?i)(?!.*://).+\.(?:jpe?g|png|svg|gif|tiff?|webp|xcf|pdf|djvu|og[agv]|opus|flac|mp3|wav|midi?|webm|mpe?g|stl)"
    r"|Data:.+\.(?:map|tab)"
)
_WITHOUT_UNIT = "1"


class _Time(msgspec.Struct, gc=False):
    time: str
    precision: int
    calendarmodel: str


class _TimeValue(msgspec.Struct, gc=False):
    value: _Time


class _TimeSnak(msgspec.Struct, gc=False):
    snaktype: str
    datavalue: _TimeValue | None = None


class _Value(msgspec.Struct, gc=False):
    value: msgspec.Raw
    type: str


class _Snak(msgspec.Struct, gc=False):
    snaktype: str
    datatype: str = ""
    datavalue: _Value | None = None


class _EntityId(msgspec.Struct, gc=False, rename={"kind": "entity-type", "number": "numeric-id"}):
    id: str = ""
    kind: str = "item"
    number: int = 0


class _Amount(msgspec.Struct, gc=False):
    amount: str
    unit: str = _WITHOUT_UNIT


class _Text(msgspec.Struct, gc=False):
    text: str


_NOTHING = list[Any]  # PHP writes an empty map as an empty list


class _Dated(msgspec.Struct, gc=False):
    """The statements of an entity, as far as somebody wants them."""

    claims: dict[str, list[Any]]


class _NoFactError(Exception):
    """A statement that gives no fact; the text is what it is counted as."""


@dataclass
class FactRows:
    """Columns of facts, in the order in which they were found."""

    line: list[int] = field(default_factory=list)
    subject: list[str] = field(default_factory=list)
    relation: list[str] = field(default_factory=list)
    object: list[str] = field(default_factory=list)
    start: list[str] = field(default_factory=list)
    end: list[str] = field(default_factory=list)
    rank: list[str] = field(default_factory=list)
    statement: list[str] = field(default_factory=list)
    best: list[bool] = field(default_factory=list)
    qualifiers: list[str | None] = field(default_factory=list)


class StatementReader:
    """Finds the facts in the lines of entities.

    Args:
        reject: Called with the reason and the statement when one cannot be taken.
    """

    def __init__(self, wanted: MiningSettings, counts: Counter[str], reject: Callable[[str, bytes], None]) -> None:
        self._wanted = wanted
        self._counts = counts
        self._reject = reject
        entity, loose, statement = _shapes(wanted)
        self._entity = msgspec.json.Decoder(entity)
        self._loose = msgspec.json.Decoder(loose)
        self._statement = msgspec.json.Decoder(statement)
        self._statements: msgspec.json.Decoder[Any] = msgspec.json.Decoder(GenericAlias(list, (statement,)))
        self._id = msgspec.json.Decoder(_EntityId)
        self._time = msgspec.json.Decoder(_Time)
        self._amount = msgspec.json.Decoder(_Amount)
        self._text = msgspec.json.Decoder(_Text)
        self._string = msgspec.json.Decoder(str)

    def decode(self, raw: bytes) -> Any:
        """Decode the statements of an entity; raises msgspec.DecodeError if the line is no JSON."""
        try:
            return self._entity.decode(raw)
        except msgspec.ValidationError:
            return self._without_misfits(raw)

    def decode_dated(self, block: bytes, begin: int, stop: int, date: int) -> Any:
        """Decode only the lists of statements with dates of a line in a block, or all if the line is unusual."""
        lists = dated_lists(block, begin, stop, date)
        if lists is not None:
            try:
                return _Dated({relation: self._statements.decode(raw) for relation, raw in lists.items()})
            except msgspec.DecodeError:
                pass  # one of them is broken, or has not the shape of a statement
        return self.decode(block[begin:stop])

    def take(self, entity: Any, id: str, line: int, rows: FactRows) -> None:
        """Add the facts of an entity with an id."""
        claims = entity.claims
        if isinstance(claims, list):
            return
        wanted = self._wanted
        everything = not (wanted.relations or wanted.without_relations)
        for relation, statements in claims.items():
            best = ""
            for statement in statements:
                if not _is_dated(statement.qualifiers):
                    continue
                if not best:
                    if not (everything or wanted.takes(relation)):
                        break
                    best = "preferred" if any(one.rank == "preferred" for one in statements) else "normal"
                try:
                    self._add(rows, line, id, relation, statement, best)
                except _NoFactError as reason:
                    self._counts[str(reason)] += 1
                except (ValueError, msgspec.DecodeError) as error:
                    self._counts["rejected"] += 1
                    self._reject(f"{relation} of {id}: {error}", msgspec.json.encode(statement))

    def _add(self, rows: FactRows, line: int, subject: str, relation: str, statement: Any, best: str) -> None:
        rank = statement.rank
        if rank == "deprecated":
            raise _NoFactError("deprecated")
        object = self._object(statement.mainsnak)
        qualifiers = statement.qualifiers
        pairs = _intervals(qualifiers)
        if not pairs:
            raise _NoFactError("without a date")
        more = self._more(qualifiers) if self._wanted.qualifiers else None
        for start, end in pairs:
            rows.line.append(line)
            rows.subject.append(subject)
            rows.relation.append(relation)
            rows.object.append(object)
            rows.start.append(start)
            rows.end.append(end)
            rows.rank.append(rank)
            rows.statement.append(statement.id)
            rows.best.append(rank == best)
            rows.qualifiers.append(more)

    def _object(self, snak: _Snak) -> str:
        """Return what a snak says, as the text that a fact keeps."""
        if snak.datavalue is None:
            raise _NoFactError("objects without value")
        kind, value = snak.datavalue.type, snak.datavalue.value
        if kind == "wikibase-entityid":
            found = self._id.decode(value)
            return found.id or f"{'P' if found.kind == 'property' else 'Q'}{found.number}"
        if kind == "string":
            if snak.datatype in _NOT_OBJECTS:
                raise _NoFactError(_NOT_OBJECTS[snak.datatype])
            text: str = self._string.decode(value)
            if not snak.datatype and _MEDIA_NAME.fullmatch(text):
                raise _NoFactError("media")
            return text
        if kind == "monolingualtext":
            return self._text.decode(value).text
        if kind == "time":
            time = self._time.decode(value)
            return date_of_json(time.time, time.precision, time.calendarmodel)
        if kind == "quantity":
            if not self._wanted.quantities:
                raise _NoFactError("quantities")
            amount = self._amount.decode(value)
            unit = "" if amount.unit == _WITHOUT_UNIT else " " + amount.unit.rsplit("/", 1)[-1]
            return amount.amount.removeprefix("+") + unit
        raise _NoFactError("coordinates" if kind == "globecoordinate" else "objects of other kinds")

    def _more(self, qualifiers: Any) -> str | None:
        """Write the wanted qualifiers as JSON; values that are no text are left out."""
        told: dict[str, list[str]] = {}
        for name in sorted(self._wanted.qualifiers):
            for snak in getattr(qualifiers, name):
                try:
                    told.setdefault(name, []).append(self._object(snak))
                except (_NoFactError, ValueError):
                    self._counts["qualifiers without text"] += 1
        return msgspec.json.encode(told).decode() if told else None

    def _without_misfits(self, raw: bytes) -> Any:
        """Decode statement by statement, because one of them has not the shape of a statement."""
        entity = self._loose.decode(raw)
        for relation, statements in ({} if isinstance(entity.claims, list) else entity.claims).items():
            good = []
            for statement in statements:
                try:
                    good.append(self._statement.decode(statement))
                except msgspec.ValidationError as error:
                    self._counts["rejected"] += 1
                    self._reject(f"{relation} of {entity.id}: {error}", bytes(statement))
            entity.claims[relation] = good
        return entity


def _shapes(wanted: MiningSettings) -> tuple[Any, Any, Any]:
    """Make the types to decode: an entity, an entity whose statements stay JSON, and a statement."""
    nothing: Any = msgspec.field(default_factory=list)
    times = [(name, list[_TimeSnak], nothing) for name in (START, END, POINT)]
    kept = [(name, list[_Snak], nothing) for name in wanted.qualifiers if name not in (START, END, POINT)]
    qualifiers: Any = msgspec.defstruct("Qualifiers", [*times, *kept], gc=False)
    given = qualifiers | _NOTHING | None
    fields: list[Any] = [("mainsnak", _Snak), ("rank", str, "normal"), ("id", str, ""), ("qualifiers", given, None)]
    statement: Any = msgspec.defstruct("Statement", fields, gc=False)
    entity = msgspec.defstruct("Entity", [("id", str), ("claims", dict[str, list[statement]] | _NOTHING, [])])
    loose = msgspec.defstruct("Loose", [("id", str), ("claims", dict[str, list[msgspec.Raw]] | _NOTHING, [])])
    return entity, loose, statement


def _is_dated(qualifiers: Any) -> bool:
    return bool(qualifiers and (qualifiers.P580 or qualifiers.P582 or qualifiers.P585))


def _intervals(qualifiers: Any) -> list[tuple[str, str]]:
    starts, ends, points = qualifiers.P580, qualifiers.P582, qualifiers.P585
    if len(starts) == 1 and len(ends) <= 1:  # the bulk of all statements
        start = _date(starts[0], "")
        if start:
            return [(start, _date(ends[0], "ongoing") if ends else "")]
    elif len(points) == 1 and not starts and not ends:
        point = _date(points[0], "")
        return [(point, point)] if point else []
    told = [date for date in (_date(snak, "") for snak in points) if date]
    return intervals_of([_date(snak, "") for snak in starts], [_date(snak, "ongoing") for snak in ends], told)


def _date(snak: _TimeSnak, absent: str) -> str:
    value = snak.datavalue
    if value is not None:
        time = value.value
        return date_of_json(time.time, time.precision, time.calendarmodel)
    return "unknown" if snak.snaktype == "somevalue" else absent
