"""Currencies of all territories with their dates, from Babel's copy of the Unicode CLDR.

Licence of the data: Unicode-3.0. Writes two Parquet files of the almanac. CLDR gives days; a first of January or a 31st
of December mostly stands for "that year", so those become years, but for the euro. Where CLDR is surely wrong, or means
another thing than "this money was used here", CORRECTIONS says better.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from babel import Locale
from babel.core import get_global

from asof.facts.schema import ENTITIES

# Territories that CLDR names otherwise than the almanac, and states that are no more.
NAMES = {
    "BA": "Bosnia and Herzegovina", "BU": "Burma", "CD": "Democratic Republic of the Congo",
    "CG": "Republic of the Congo",
    "CI": "Ivory Coast", "CN": "China", "CS": "Serbia and Montenegro", "CZ": "Czech Republic", "DD": "East Germany",
    "GE": "Georgia (country)", "GM": "The Gambia", "HK": "Hong Kong", "IE": "Ireland", "KP": "North Korea",
    "MM": "Myanmar", "MO": "Macau", "PS": "Palestine", "RU": "Russia", "ST": "São Tomé and Príncipe",
    "SU": "Soviet Union", "TL": "Timor-Leste", "TP": "Portuguese Timor", "TR": "Turkey", "VA": "Vatican City",
    "YD": "South Yemen", "YU": "Yugoslavia", "ZR": "Zaire", "BS": "The Bahamas", "KN": "Saint Kitts and Nevis",
    "LC": "Saint Lucia", "VC": "Saint Vincent and the Grenadines", "AG": "Antigua and Barbuda",
    "TT": "Trinidad and Tobago", "MK": "North Macedonia", "SZ": "Eswatini", "CV": "Cape Verde",
    "FM": "Federated States of Micronesia",
}  # fmt: skip

# What CLDR has wrong: territory, currency and the year in which CLDR begins, to the start and the end that are surely
# known (None: as CLDR has it), or to nothing where that money was not used there. CLDR dates a currency from the day on
# which the territory got its present code or constitution (Burkina Faso 1984, Djibouti 1977), at times from the law
# instead of the first notes.
CORRECTIONS: dict[tuple[str, str, int], tuple[str | None, str | None] | None] = {
    ("BA", "BAM", 1995): ("1998-06-22", None),  # the first notes
    ("BF", "XOF", 1984): ("1945-12-26", None),  # as Upper Volta; the CFA francs of west and middle are of that day
    ("BG", "BGN", 1999): (None, "2026-01-31"),  # the last day on which shops took it beside the euro
    ("BJ", "XOF", 1975): ("1945-12-26", None),  # as Dahomey
    ("BN", "MYR", 1963): None,  # Malaysia's dollar begins in 1967: ADDITIONS has the one before
    ("CF", "XAF", 1993): ("1945-12-26", None),
    ("CG", "XAF", 1993): ("1945-12-26", None),
    ("CI", "XOF", 1958): ("1945-12-26", None),
    ("CM", "XAF", 1973): ("1945-12-26", None),
    ("DJ", "DJF", 1977): ("1949", None),  # as French Somaliland
    ("GA", "XAF", 1993): ("1945-12-26", None),
    ("GQ", "GQE", 1975): (None, "1985"),
    ("GQ", "XAF", 1993): ("1985", None),
    ("HU", "HUF", 1946): ("1946-08-01", None),
    ("IE", "GBP", 1800): (None, "1928"),
    ("IE", "IEP", 1922): ("1928", None),  # the first notes and coins of the Free State
    ("KZ", "KZT", 1993): ("1993-11-15", None),
    ("ML", "XOF", 1958): ("1945-12-26", None),  # as French Sudan
    ("MN", "MNT", 1915): ("1925", None),
    ("MR", "XOF", 1958): ("1945-12-26", None),
    ("MY", "MYR", 1963): ("1967-06-12", None),
    ("NC", "XPF", 1985): ("1945-12-26", None),
    ("NE", "XOF", 1958): ("1945-12-26", None),
    ("NO", "NOK", 1905): ("1875", None),  # of the same gold as Sweden's, but its own
    ("NO", "SEK", 1873): None,
    ("PG", "PGK", 1975): ("1975-04-19", None),
    ("SG", "MYR", 1963): None,
    ("SI", "SIT", 1992): ("1991-10-08", None),
    ("SK", "CSK", 1953): (None, "1993-02-08"),
    ("SK", "SKK", 1992): ("1993-02-08", None),
    ("SM", "ITL", 1865): (None, "2002-02-28"),
    ("SN", "XOF", 1959): ("1945-12-26", None),
    ("TD", "XAF", 1993): ("1945-12-26", None),
    ("TG", "XOF", 1958): ("1945-12-26", None),
    ("TL", "TPE", 1959): (None, "1976"),
    ("TP", "TPE", 1959): (None, "1976"),
    ("UA", "UAK", 1992): (None, "1996-09"),  # until the hryvnia
}
# What CLDR has not: territory, currency, start, end.
MALAYA = "Malaya and British Borneo dollar"  # has no code of ISO 4217
ADDITIONS = [
    ("BG", "EUR", "2026-01-01", "ongoing"),
    ("BN", MALAYA, "1953", "1967-06-12"),
    ("MY", MALAYA, "1953", "1967-06-12"),  # as Malaya
    ("SG", MALAYA, "1953", "1967-06-12"),
]
LABELS = {"PES": "Peruvian Sol (1863–1985)"}  # CLDR's label ends it in 1965, its dates in 1985


def main(target: Path) -> None:
    """Write facts and entities."""
    english = Locale("en")
    facts, entities = [], {}
    for code, currency, start, end in sorted([*of_cldr(), *ADDITIONS], key=lambda spell: spell[0]):
        territory = f"iso3166:{code}"
        object = f"iso4217:{currency}" if currency in english.currencies else f"asof:{currency.replace(' ', '_')}"
        facts.append({"subject": territory, "relation": "P38", "object": object, "start": start, "end": end})
        name = LABELS.get(currency) or english.currencies.get(currency, currency)
        codes = [currency] if currency in english.currencies else []
        entities[object] = entity(object, name, codes, ", ".join(["currency", *codes]), "currency")
        label = NAMES.get(code) or english.territories[code].replace("&", "and").replace("St.", "Saint")
        entities[territory] = entity(territory, label, [], f"territory, {code}", "place")
    names = ("subject", "relation", "object", "start", "end")
    schema = pa.schema([(name, pa.string()) for name in names])
    pq.write_table(pa.Table.from_pylist(facts, schema), target / "currencies_facts.parquet", compression="zstd")
    rows = [entities[id] for id in sorted(entities)]
    pq.write_table(pa.Table.from_pylist(rows, ENTITIES), target / "currencies_entities.parquet", compression="zstd")
    print(f"{len(facts):,} spells, {len(entities):,} territories and currencies")


def of_cldr() -> Iterator[tuple[str, str, str, str]]:
    """Give CLDR's spells, corrected: code of the territory, code of the currency, start, end."""
    left = dict(CORRECTIONS)
    for code, spells in sorted(get_global("territory_currencies").items()):
        for currency, first, last, is_tender in spells:
            if not is_tender or (first is None and last is None):
                continue
            start = written(first, currency, (1, 1))
            end = "ongoing" if first is not None and last is None else written(last, currency, (12, 31))
            corrected = left.pop((code, currency, first[0]), (None, None)) if first else (None, None)
            if corrected is not None:
                yield code, currency, corrected[0] or start, corrected[1] or end
    if left:
        raise SystemExit(f"CLDR has these otherwise by now: {', '.join(map(str, left))}. See CORRECTIONS.")


def written(date: tuple[int, int, int] | None, currency: str, vague: tuple[int, int]) -> str:
    """Write a date of CLDR as text, no finer than it is meant."""
    if date is None:
        return "unknown"
    year, month, day = date
    return f"{year:04d}" if (month, day) == vague and currency != "EUR" else f"{year:04d}-{month:02d}-{day:02d}"


def entity(id: str, label: str, aliases: list[str], description: str, kind: str) -> dict[str, object]:
    """Return one row of the table of entities."""
    row = {"id": id, "label": label, "aliases": aliases, "description": description, "kind": kind}
    return row | {"popularity": 2.0}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
