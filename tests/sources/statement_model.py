"""Wikidata's JSON entities as the triples that its RDF export has: written for tests, apart from the source's code.

Statement nodes (p, ps, psv), qualifiers (pq, pqv), full time values, ranks and best rank, unknown values as genid
addresses, no value as a type (wdno), labels, aliases, descriptions, sitelinks. Times move as Wikibase moves them:
month and day 00 become 01, years before Christ go up by one at year precision and finer, Julian days become Gregorian.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

WD = "http://www.wikidata.org/entity/"
PROP = "http://www.wikidata.org/prop/"
GENID = "http://www.wikidata.org/.well-known/genid/"
WIKIBASE = "http://wikiba.se/ontology#"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
XSD = "http://www.w3.org/2001/XMLSchema#"
SCHEMA = "http://schema.org/"
SKOS_ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"
COMMONS = "http://commons.wikimedia.org/wiki/Special:FilePath/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


def ntriples(entities: Iterable[dict[str, Any]]) -> str:
    """Write entities as N-Triples."""
    return "".join(f"{line}\n" for entity in entities for line in triples(entity))


def triples(entity: dict[str, Any]) -> Iterator[str]:
    """Write one entity, triple by triple."""
    subject = _iri(WD + entity["id"])
    for section, relation in (("labels", LABEL), ("descriptions", SCHEMA + "description")):
        for text in _map(entity.get(section)).values():
            yield f"{subject} {_iri(relation)} {_literal(text['value'], language=text['language'])} ."
    for texts in _map(entity.get("aliases")).values():
        for text in texts:
            yield f"{subject} {_iri(SKOS_ALIAS)} {_literal(text['value'], language=text['language'])} ."
    links = _map(entity.get("sitelinks"))
    yield f"{subject} {_iri(WIKIBASE + 'sitelinks')} {_literal(str(len(links)), type=XSD + 'integer')} ."
    for site in links:
        page = _iri(f"https://{site}.example/wiki/{entity['id']}")
        yield f"{page} {_iri(SCHEMA + 'about')} {subject} ."
        yield f"{page} {_iri(SCHEMA + 'isPartOf')} {_iri(f'https://{site}.example/')} ."
    for statements in _map(entity.get("claims")).values():
        best = "preferred" if any(one["rank"] == "preferred" for one in statements) else "normal"
        for statement in statements:
            yield from _statement(subject, statement, is_best=statement["rank"] == best)


def _statement(subject: str, statement: dict[str, Any], *, is_best: bool) -> Iterator[str]:
    snak = statement["mainsnak"]
    relation = snak["property"]
    node = _iri(WD + "statement/" + statement["id"].replace("$", "-"))
    rank = statement["rank"].capitalize() + "Rank"
    yield f"{subject} {_iri(PROP + relation)} {node} ."
    yield f"{node} {_iri(TYPE)} {_iri(WIKIBASE + 'Statement')} ."
    yield f"{node} {_iri(WIKIBASE + 'rank')} {_iri(WIKIBASE + rank)} ."
    if is_best:
        yield f"{node} {_iri(TYPE)} {_iri(WIKIBASE + 'BestRank')} ."
    yield from _snak(node, snak, PROP + "statement/", statement["id"])
    for snaks in _map(statement.get("qualifiers")).values():
        for number, qualifier in enumerate(snaks):
            yield from _snak(node, qualifier, PROP + "qualifier/", f"{statement['id']}{number}")


def _snak(node: str, snak: dict[str, Any], space: str, seed: str) -> Iterator[str]:
    relation = snak["property"]
    if snak["snaktype"] == "novalue":
        yield f"{node} {_iri(TYPE)} {_iri(PROP + 'novalue/' + relation)} ."
        return
    if snak["snaktype"] == "somevalue":
        yield f"{node} {_iri(space + relation)} {_iri(GENID + _hash(seed + relation))} ."
        return
    kind, value = snak["datavalue"]["type"], snak["datavalue"]["value"]
    if kind == "wikibase-entityid":
        id = value.get("id") or f"Q{value['numeric-id']}"
        yield f"{node} {_iri(space + relation)} {_iri(WD + id)} ."
    elif kind == "time":
        yield from _time(node, value, space, relation)
    elif kind == "quantity":
        amount = _literal(value["amount"], type=XSD + "decimal")
        full = _iri("http://www.wikidata.org/value/" + _hash(json.dumps(value, sort_keys=True)))
        unit = WD + "Q199" if value["unit"] == "1" else value["unit"]
        yield f"{node} {_iri(space + relation)} {amount} ."
        yield f"{node} {_iri(space + 'value/' + relation)} {full} ."
        yield f"{full} {_iri(WIKIBASE + 'quantityAmount')} {amount} ."
        yield f"{full} {_iri(WIKIBASE + 'quantityUnit')} {_iri(unit)} ."
    elif kind == "monolingualtext":
        yield f"{node} {_iri(space + relation)} {_literal(value['text'], language=value['language'])} ."
    elif kind == "globecoordinate":
        point = f"Point({value['longitude']} {value['latitude']})"
        yield f"{node} {_iri(space + relation)} {_literal(point, type=WKT)} ."
    elif snak.get("datatype") == "commonsMedia":
        yield f"{node} {_iri(space + relation)} {_iri(COMMONS + value.replace(' ', '%20'))} ."
    elif snak.get("datatype") == "url":
        yield f"{node} {_iri(space + relation)} {_iri(value)} ."
    else:
        yield f"{node} {_iri(space + relation)} {_literal(value)} ."


def _time(node: str, value: dict[str, Any], space: str, relation: str) -> Iterator[str]:
    text, is_clean = rdf_time(value["time"], value["precision"], value["calendarmodel"])
    literal = _literal(text, type=XSD + "dateTime" if is_clean else None)
    full = _iri("http://www.wikidata.org/value/" + _hash(json.dumps(value, sort_keys=True)))
    yield f"{node} {_iri(space + relation)} {literal} ."
    yield f"{node} {_iri(space + 'value/' + relation)} {full} ."
    yield f"{full} {_iri(TYPE)} {_iri(WIKIBASE + 'TimeValue')} ."
    yield f"{full} {_iri(WIKIBASE + 'timeValue')} {literal} ."
    precision = _literal(str(value["precision"]), type=XSD + "integer")
    yield f"{full} {_iri(WIKIBASE + 'timePrecision')} {precision} ."
    yield f"{full} {_iri(WIKIBASE + 'timeTimezone')} {_literal('0', type=XSD + 'integer')} ."
    yield f"{full} {_iri(WIKIBASE + 'timeCalendarModel')} {_iri(value['calendarmodel'])} ."


def rdf_time(time: str, precision: int, calendar: str) -> tuple[str, bool]:
    """Return a JSON time as RDF has it, and whether it is an xsd:dateTime (else it stays as it was)."""
    date, clock = time.split("T", 1)
    before_christ = date.startswith("-")
    year, month, day = (int(part) for part in date[1:].split("-"))
    if year == 0:
        return time, False
    month, day = min(max(month, 1), 12), max(day, 1)
    if precision >= 11 and calendar.endswith("Q1985786"):
        return _written(*_gregorian(1 - year if before_christ else year, month, day), clock), True
    if precision <= 9:
        month = day = 1
    elif precision == 10:
        day = 1
    day = min(day, _length(1 - year if before_christ else year, month))
    if not before_christ:
        return _written(year, month, day, clock), True
    return _written(1 - year if precision >= 9 else -year, month, day, clock), True


def _written(year: int, month: int, day: int, clock: str) -> str:
    return f"{'-' if year < 0 else ''}{abs(year):04d}-{month:02d}-{day:02d}T{clock}"


def _length(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _gregorian(year: int, month: int, day: int) -> tuple[int, int, int]:
    """Turn a Julian day into the Gregorian one, by the difference of the leap days that the two calendars have had."""
    march_year = year - (month <= 2)
    shift = march_year // 100 - march_year // 400 - 2
    step = 1 if shift > 0 else -1
    if day > _length(year, month):  # 29 February of a year that is a leap year in the Julian calendar only
        month, day = month + 1, 1
    for _ in range(abs(shift)):
        day += step
        if day > _length(year, month):
            month, day = month + 1, 1
        elif day < 1:
            month -= 1
            day = _length(year, month) if month else 31
        if month > 12:
            year, month = year + 1, 1
        elif month < 1:
            year, month = year - 1, 12
    return year, month, day


def _map(section: Any) -> dict[str, Any]:
    return section or {}  # an empty map may be written []


def _iri(address: str) -> str:
    return f"<{address}>"


def _literal(text: str, *, language: str | None = None, type: str | None = None) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"' + (f"@{language}" if language else f"^^{_iri(type)}" if type else "")


def _hash(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
