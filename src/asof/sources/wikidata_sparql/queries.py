"""The questions, as SPARQL 1.1 that every engine takes: no OFFSET, no SERVICE, no full scan with a variable predicate.

Statements are asked for in two steps. First a page of statements in the order of their addresses, beginning behind the
last one known. Then what stands at each of them, its *marks*, one row for each statement however many qualifiers it
has, with the number of its marks beside them: a row that is missing or too short is seen. Every branch of a question
names what it is about, or else engines would walk over all that they have.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from asof.sources.wikidata_sparql.period import ALL_DAYS, AskedDays

ENTITY = "http://www.wikidata.org/entity/"
STATEMENT = ENTITY + "statement/"
ROLES = {"P580": "start", "P582": "end", "P585": "point"}
_MOST_DIGITS = 6  # how finely a stretch is cut by its addresses

_PREFIXES = """
PREFIX p: <http://www.wikidata.org/prop/>
PREFIX ps: <http://www.wikidata.org/prop/statement/>
PREFIX psv: <http://www.wikidata.org/prop/statement/value/>
PREFIX pq: <http://www.wikidata.org/prop/qualifier/>
PREFIX pqv: <http://www.wikidata.org/prop/qualifier/value/>
PREFIX wdno: <http://www.wikidata.org/prop/novalue/>
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX schema: <http://schema.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
""".strip()


@dataclass(frozen=True)
class StatementRange:
    """Some statements of one relation: those of some subjects (of all, if none is named) with addresses in a range.

    ``after`` is the last statement that is known; the addresses lie from ``low`` to before ``high``, "" for
    no border; ``stem`` is how the addresses begin, for the next cut. What surely lies outside ``days`` is left out.
    """

    relation: str
    subjects: tuple[str, ...] = ()
    after: str = ""
    low: str = ""
    high: str = ""
    stem: str = ""
    days: AskedDays = ALL_DAYS

    def parts(self) -> list["StatementRange"]:
        """Cut it into smaller ones that cover it wholly; none when it is as small as can be."""
        if len(self.subjects) > 1:
            middle = len(self.subjects) // 2
            return [replace(self, subjects=part) for part in (self.subjects[:middle], self.subjects[middle:])]
        digits, start = ("123456789ABCDEF", f"{self.subjects[0]}-") if self.subjects else ("123456789", "Q")
        stem = self.stem or STATEMENT + start
        if len(stem) >= len(STATEMENT + start) + _MOST_DIGITS:
            return []
        # Digits sort alike in every collation; what begins otherwise falls into the first or the last part.
        borders = [self.low, *(stem + digit for digit in digits), self.high]
        stems = [stem + digit for digit in "0" + digits]
        pairs = zip(borders[:-1], borders[1:], stems, strict=True)
        return [replace(self, low=low, high=high, stem=next_stem) for low, high, next_stem in pairs]

    def __str__(self) -> str:
        of = f"{len(self.subjects):,} subjects" if len(self.subjects) > 1 else "".join(self.subjects) or "all subjects"
        where = f", addresses from {self.low.removeprefix(STATEMENT)}" if self.low else ""
        return f"{self.relation} of {of}{where}"


def statements_query(stretch: StatementRange, limit: int) -> str:
    """Ask for a page of the dated statements of a stretch."""
    return (
        f"{_PREFIXES}\nSELECT DISTINCT ?id ?subject ?object WHERE {{\n{_dated(stretch)}\n}} ORDER BY ?id LIMIT {limit}"
    )


def count_query(stretch: StatementRange) -> str:
    """Ask how many dated statements a stretch has."""
    return f"{_PREFIXES}\nSELECT (COUNT(DISTINCT ?id) AS ?count) WHERE {{\n{_dated(stretch)}\n}}"


def _dated(stretch: StatementRange) -> str:
    subjects = (
        f"  VALUES ?subject {{ {' '.join(f'wd:{id}' for id in stretch.subjects)} }}\n" if stretch.subjects else ""
    )
    there = [f"EXISTS {{ ?statement pq:{id} ?any_{role} }}" for id, role in ROLES.items()]
    there += [f"EXISTS {{ ?statement a wdno:{id} }}" for id in ROLES]
    borders = {">": stretch.after, ">=": stretch.low, "<": stretch.high}
    filters = [f'FILTER(?id {sign} "{border}")' for sign, border in borders.items() if border]
    return (
        f"{subjects}  ?subject p:{stretch.relation} ?statement .\n"
        f"  OPTIONAL {{ ?statement ps:{stretch.relation} ?object }}\n"
        f"  FILTER({' || '.join(there)})\n{stretch.days.clauses()}\n"
        f"  BIND(STR(?statement) AS ?id)\n  {' '.join(filters)}"
    )


def marks_query(addresses: Sequence[str], relation: str, qualifiers: Sequence[str], numbers: bool) -> str:
    """Ask for the marks of statements: rank, best rank, dates, kept qualifiers, objects that are dates or numbers."""
    branches = [
        '?thing wikibase:rank ?rank . BIND(CONCAT("rank|", STR(?rank)) AS ?mark)',
        '?thing a wikibase:BestRank . BIND("best" AS ?mark)',
        _time("object", f"psv:{relation}"),
        *([_amount("amount", f"psv:{relation}")] if numbers else []),
    ]
    for id, role in ROLES.items():
        branches += [
            _time(role, f"pqv:{id}"),
            f'?thing pq:{id} ?value . BIND(IF(isLiteral(?value), "{role}|said", "{role}|unknown") AS ?mark)',
            f'?thing a wdno:{id} . BIND("{role}|none" AS ?mark)',
        ]
    for id in qualifiers:
        branches += [
            f'?thing pq:{id} ?value . BIND(CONCAT("{id}|", IF(isIRI(?value), "address", STR(DATATYPE(?value))), '
            f'"|", STR(?value)) AS ?mark)',
            _time(f"{id}|time", f"pqv:{id}"),
            *([_amount(f"{id}|amount", f"pqv:{id}")] if numbers else []),
        ]
    return _marks(addresses, branches)


def _time(role: str, predicate: str) -> str:
    return (
        f"?thing {predicate} ?value . ?value wikibase:timeValue ?time ; wikibase:timePrecision ?precision ; "
        f"wikibase:timeCalendarModel ?calendar . "
        f'BIND(CONCAT("{role}|", STR(?time), "|", STR(?precision), "|", STR(?calendar)) AS ?mark)'
    )


def _amount(role: str, predicate: str) -> str:
    return (
        f"?thing {predicate} ?value . ?value wikibase:quantityAmount ?amount ; wikibase:quantityUnit ?unit . "
        f'BIND(CONCAT("{role}|", STR(?amount), "|", STR(?unit)) AS ?mark)'
    )


def entities_query(addresses: Sequence[str], languages: Sequence[str]) -> str:
    """Ask for labels, aliases, descriptions and the number of sitelinks of entities."""
    wanted = ", ".join(f'"{language}"' for language in languages)
    terms = {"label": "rdfs:label", "alias": "skos:altLabel", "description": "schema:description"}
    branches = [
        *(
            f"?thing {predicate} ?text . FILTER(LANG(?text) IN ({wanted})) "
            f'BIND(CONCAT("{role}|", LANG(?text), "|", STR(?text)) AS ?mark)'
            for role, predicate in terms.items()
        ),
        '?thing wikibase:sitelinks ?links . BIND(CONCAT("links|", STR(?links)) AS ?mark)',
    ]
    return _marks(addresses, branches)


def pages_query(addresses: Sequence[str]) -> str:
    """Ask for the pages of entities, one by one, where the endpoint does not tell their number."""
    page = '?page schema:about ?thing ; schema:isPartOf ?site . BIND("page" AS ?mark)'
    return _marks(addresses, [page])


def _marks(addresses: Sequence[str], branches: Sequence[str]) -> str:
    things = " ".join(f"<{address}>" for address in addresses)
    union = "\n  UNION ".join(f"{{ {branch} }}" for branch in branches)
    joined = '(GROUP_CONCAT(?mark; SEPARATOR="\\n") AS ?marks)'
    return (
        f"{_PREFIXES}\nSELECT ?thing {joined} (COUNT(?mark) AS ?count) WHERE {{\n"
        f"  VALUES ?thing {{ {things} }}\n  {union}\n}} GROUP BY ?thing"
    )


KNOWN_BY_QUERY = f"""{_PREFIXES}
SELECT ?day WHERE {{
  {{ <http://www.wikidata.org> schema:dateModified ?day }} UNION {{ wikibase:Dump schema:dateModified ?day }}
}}"""
