"""Currencies of all territories with their dates, from Babel's copy of the Unicode CLDR.

Licence of the data: Unicode-3.0. Writes two Parquet files of the almanac. CLDR gives days; a first of January or a 31st
of December mostly stands for "that year", so those become years, but for the euro.
"""

import sys
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


def main(target: Path) -> None:
    """Write facts and entities."""
    english = Locale("en")
    facts, entities = [], {}
    for code, spells in sorted(get_global("territory_currencies").items()):
        territory = f"iso3166:{code}"
        for currency, first, last, is_tender in spells:
            if not is_tender or (first is None and last is None):
                continue
            object = f"iso4217:{currency}"
            dates = {"start": written(first, currency, (1, 1)), "end": written(last, currency, (12, 31))}
            if first is not None and last is None:
                dates["end"] = "ongoing"
            facts.append({"subject": territory, "relation": "P38", "object": object} | dates)
            name = english.currencies.get(currency, currency)
            entities[object] = entity(object, name, [currency], f"currency, {currency}", "currency")
            label = NAMES.get(code) or english.territories[code].replace("&", "and").replace("St.", "Saint")
            entities[territory] = entity(territory, label, [], f"territory, {code}", "place")
    names = ("subject", "relation", "object", "start", "end")
    schema = pa.schema([(name, pa.string()) for name in names])
    pq.write_table(pa.Table.from_pylist(facts, schema), target / "currencies_facts.parquet", compression="zstd")
    rows = [entities[id] for id in sorted(entities)]
    pq.write_table(pa.Table.from_pylist(rows, ENTITIES), target / "currencies_entities.parquet", compression="zstd")
    print(f"{len(facts):,} spells, {len(entities):,} territories and currencies")


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
