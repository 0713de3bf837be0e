"""Statements and their marks, as rows of facts; entities and their marks, as rows of entities."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from asof.errors import DateError
from asof.sources._wikidata_statements import intervals_of
from asof.sources._wikidata_time import date_of_rdf
from asof.sources.wikidata_sparql.endpoint import Row
from asof.sources.wikidata_sparql.period import ALL_DAYS
from asof.sources.wikidata_sparql.queries import ENTITY, ROLES, STATEMENT
from asof.timeline import Interval, Span

_GENID = "http://www.wikidata.org/.well-known/genid/"  # an unknown value; a blank node on some endpoints
_MEDIA = re.compile(r"https?://commons\.wikimedia\.org/(?:wiki/Special:FilePath|data/main)/")
_NUMBERS = {"decimal", "integer", "double", "float"}
_COORDINATES = {"wktLiteral", "Geometry"}  # the second is Virtuoso's word
_WITHOUT_UNIT = ENTITY + "Q199"
_OPEN_ENDS = {"unknown": "unknown", "none": ""}


class UnreadableError(ValueError):
    """A statement that is no fact, though it looks like one."""


class NoTextError(ValueError):
    """A value that facts do without; the message is what it is counted as."""


@dataclass
class SparqlReader:
    """Reads statements and counts those that are no facts, in the same words as the dump.

    Args:
        qualifiers: Those to keep.
        numbers: Take quantities as objects too.
        period: Leave out what surely does not hold on any day of it.
    """

    qualifiers: Sequence[str] = ()
    numbers: bool = False
    period: Span = ALL_DAYS
    counts: Counter[str] = field(default_factory=Counter)

    def rows(self, statement: Row, marks: Sequence[str]) -> list[dict[str, Any]]:
        """Return the facts of one statement; raise an UnreadableError that says why a date or object is none."""
        said = [mark.split("|") for mark in marks]
        ranks = [parts[1].rsplit("#", 1)[-1] for parts in said if parts[0] == "rank"]
        try:
            if "DeprecatedRank" in ranks:
                raise NoTextError("deprecated")
            object = self._object(statement.get("object"), said)
            pairs = _intervals(said)
        except NoTextError as reason:
            self.counts[str(reason)] += 1
            return []
        fact = {
            "subject": statement["subject"]["value"].removeprefix(ENTITY),
            "object": object,
            "rank": "preferred" if "PreferredRank" in ranks else "normal",
            "best": ["best"] in said,
            "statement": statement_id(statement["id"]["value"]),
            "qualifiers": self._qualifiers(said),
        }
        return [fact | {"start": start, "end": end} for start, end in pairs if self._meets_period(start, end)]

    def _object(self, term: Mapping[str, str] | None, said: Sequence[Sequence[str]]) -> str:
        """Return the object as a text."""
        for parts in said:
            if parts[0] == "object":
                return _date(parts)
            if parts[0] == "amount":
                return _amount(parts)
        if term is None or term["type"] == "bnode":
            raise NoTextError("objects without value")
        kind = "address" if term["type"] == "uri" else term.get("datatype", "")
        return _text(kind, term["value"])

    def _qualifiers(self, said: Sequence[Sequence[str]]) -> str | None:
        """Write the kept qualifiers as JSON; values that are no text are left out."""
        kept: dict[str, list[str]] = {}
        for id in sorted(self.qualifiers):
            for _, kind, *rest in (parts for parts in said if parts[0] == id):
                try:
                    readers = {"time": _date, "amount": _amount}
                    text = readers[kind]([id, *rest]) if kind in readers else _text(kind, "|".join(rest))
                    kept.setdefault(id, []).append(text)
                except (NoTextError, UnreadableError) as reason:
                    self.counts["qualifiers without text"] += str(reason) not in ("times", "quantities")
        told = {id: sorted(texts) for id, texts in kept.items()}  # RDF knows no order of values
        return json.dumps(told, ensure_ascii=False, separators=(",", ":")) if told else None

    def _meets_period(self, start: str, end: str) -> bool:
        if self.period is ALL_DAYS:
            return True
        interval = Interval.parse(start, end)
        if interval.inverted or interval.bounds().possibly_meets(self.period):
            return True
        self.counts["outside the period"] += 1
        return False


def _intervals(said: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Pair the dates of a statement."""
    dates = {role: _dates(said, role) for role in ROLES.values()}
    ends = [end or "ongoing" for end in dates["end"]]
    pairs = intervals_of(dates["start"], ends, [point for point in dates["point"] if point])
    if not pairs:
        raise NoTextError("without a date")
    return pairs


def _dates(said: Sequence[Sequence[str]], role: str) -> list[str]:
    """Return the values of a time qualifier: dates, "unknown", or "" for no value."""
    marks = [parts for parts in said if parts[0] == role]
    times = [_date(parts) for parts in marks if len(parts) > 2]
    if sum(parts[1:] == ["said"] for parts in marks) > len(times):
        raise UnreadableError(f"{role}: the endpoint has a time without its precision and calendar.")
    return times + [_OPEN_ENDS[parts[1]] for parts in marks if len(parts) == 2 and parts[1] in _OPEN_ENDS]


def _text(kind: str, value: str) -> str:
    """Return a value as a text; ``kind`` is its datatype, "address" for no literal."""
    datatype = kind.rsplit("#", 1)[-1]
    if kind == "address":
        if value.startswith(_GENID):
            raise NoTextError("objects without value")
        if _MEDIA.match(value):
            raise NoTextError("media")
        return value.removeprefix(ENTITY)
    if datatype in _NUMBERS:
        raise NoTextError("quantities")
    if datatype == "dateTime":
        raise NoTextError("times")  # read from its full value, with precision and calendar
    if datatype in _COORDINATES:
        raise NoTextError("coordinates")
    return value


def _date(parts: Sequence[str]) -> str:
    role, time, precision, calendar = parts
    try:
        return date_of_rdf(time, int(precision), calendar)
    except DateError as error:
        raise UnreadableError(f"{role}: {error}") from error


def _amount(parts: Sequence[str]) -> str:
    _, amount, unit = parts
    return amount.removeprefix("+") + ("" if unit == _WITHOUT_UNIT else " " + unit.removeprefix(ENTITY))


def statement_id(address: str) -> str:
    """Return the id of a statement as the dump has it.

    >>> statement_id("http://www.wikidata.org/entity/statement/Q76-4D785D58-4AC1")
    'Q76$4D785D58-4AC1'
    """
    return address.removeprefix(STATEMENT).replace("-", "$", 1)


def entity_row(id: str, marks: Sequence[str], languages: Sequence[str], pages: int | None) -> dict[str, Any]:
    """Make an entity of its marks: the label in the first language that has one, then in none (mul).

    Aliases come in all languages; where several are wanted, the labels in the others are aliases too.
    """
    terms: dict[str, dict[str, list[str]]] = {role: {} for role in ("label", "alias", "description")}
    links = pages
    for mark in marks:
        role, _, rest = mark.partition("|")
        if role in terms:
            language, _, text = rest.partition("|")
            terms[role].setdefault(language, []).append(text)
        elif role == "links" and rest.isdigit():
            links = int(rest)
    labels = _in_order(terms["label"], name_languages(languages))
    others = (labels[1:] if len(languages) > 1 else []) + _in_order(terms["alias"], name_languages(languages))
    descriptions = _in_order(terms["description"], languages)
    return {
        "id": id,
        "label": labels[0] if labels else id,
        "aliases": [name for name in dict.fromkeys(others) if name not in labels[:1]],
        "description": descriptions[0] if descriptions else None,
        "kind": None,
        "popularity": None if links is None else float(links),
    }


def labels_by_language(id: str, marks: Sequence[str], languages: Sequence[str]) -> dict[str, str]:
    """Return the labels that the marks of a thing have in some languages; one for all languages helps out.

    >>> labels_by_language("Q38", ["label|en|Italy", "label|fr|Italie", "label|mul|Italia"], ["fr", "de"])
    {'fr': 'Italie', 'de': 'Italia'}
    """
    terms = (mark.split("|", 2) for mark in marks if mark.startswith("label|"))
    known: dict[str, str] = {}
    for _, language, text in sorted(terms):
        known.setdefault(language, text)
    return {
        language: known.get(language, known.get("mul", ""))
        for language in languages
        if known.keys() & {language, "mul"}
    }


def name_languages(languages: Sequence[str]) -> list[str]:
    """Return the languages in which a thing may have its name; many names are moved to "mul", no language at all."""
    return list(dict.fromkeys([*languages, "mul"]))


def _in_order(texts: Mapping[str, list[str]], languages: Sequence[str]) -> list[str]:
    return [text for language in languages for text in sorted(texts.get(language, []))]
