"""All terms of US legislators, presidents and vice presidents since 1789, from the npm package us-legislators.

Source data: unitedstates/congress-legislators (CC0), as of July 2015. Writes two Parquet files of the almanac. People
get their Bioguide id; the almanac gives them their Wikidata id where its own tables know them by the same title.
"""

import json
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from package import unpacked

from asof.facts.schema import ENTITIES
from asof.timeline import Date
from asof.timeline.date import ordinal

VERSION = "1.2.0"
SHA256 = "481a948b421b074371b22ef684d30a0632fc70351788766c08132a4b494f60f0"
SNAPSHOT = Date.parse("2015-07-01")  # terms that end later were still running: how they ended is not stated

STATES = {
    "AK": "Alaska", "AL": "Alabama", "AR": "Arkansas", "AS": "American Samoa", "AZ": "Arizona", "CA": "California",
    "CO": "Colorado", "CT": "Connecticut", "DC": "the District of Columbia", "DE": "Delaware",
    "DK": "Dakota Territory", "FL": "Florida", "GA": "Georgia", "GU": "Guam", "HI": "Hawaii", "IA": "Iowa",
    "ID": "Idaho", "IL": "Illinois", "IN": "Indiana", "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana",
    "MA": "Massachusetts", "MD": "Maryland", "ME": "Maine", "MI": "Michigan", "MN": "Minnesota", "MO": "Missouri",
    "MP": "the Northern Mariana Islands", "MS": "Mississippi", "MT": "Montana", "NC": "North Carolina",
    "ND": "North Dakota", "NE": "Nebraska", "NH": "New Hampshire", "NJ": "New Jersey", "NM": "New Mexico",
    "NV": "Nevada", "NY": "New York", "OH": "Ohio", "OK": "Oklahoma", "OL": "Orleans Territory", "OR": "Oregon",
    "PA": "Pennsylvania", "PI": "the Philippine Islands", "PR": "Puerto Rico", "RI": "Rhode Island",
    "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VA": "Virginia",
    "VI": "the U.S. Virgin Islands", "VT": "Vermont", "WA": "Washington", "WI": "Wisconsin", "WV": "West Virginia",
    "WY": "Wyoming",
}  # fmt: skip
HEADS = {"prez": "President of the United States", "viceprez": "Vice President of the United States"}


def main(target: Path) -> None:
    """Read the package and write facts and entities."""
    with tempfile.TemporaryDirectory() as folder:
        data = unpacked("us-legislators", VERSION, SHA256, Path(folder)) / "data"
        files = ("legislators-historical.json", "legislators-current.json", "executive.json")
        lists = {name: json.loads((data / name).read_text(encoding="utf-8")) for name in files}
    facts: list[dict[str, str]] = []
    entities: dict[str, dict[str, object]] = {}
    for name, people in lists.items():
        for person in people:
            id = person_id(person)
            for term in person["terms"]:
                seat, label = seat_of(term)
                running = name != "executive.json" and Date.parse(term["end"]).last > SNAPSHOT.last
                start, end = term["start"], "" if running else term["end"]
                if end and end < start:  # a few terms are written upside down: their year is all that is sure
                    start, end = sorted((start[:4], end[:4]))
                facts.append({"subject": id, "relation": "P39", "object": seat, "start": start, "end": end})
                entities.setdefault(seat, entity(seat, label, "seat of the Congress of the United States", "position"))
            known = entities.setdefault(id, entity(id, title_of(person), described(person), "human"))
            known["aliases"] = sorted({*known["aliases"], *other_names(person)} - {known["label"]})
            if name == "executive.json":
                known["popularity"] = 3.0
    for label in HEADS.values():
        entities[f"us:{label}"] |= {"description": "office of the United States", "popularity": 4.0}
    facts.sort(key=lambda fact: tuple(fact.values()))
    names = ("subject", "relation", "object", "start", "end")
    pq.write_table(
        pa.Table.from_pylist(facts, pa.schema([(n, pa.string()) for n in names])),
        target / "us_legislators_facts.parquet",
        compression="zstd",
    )
    rows = [entities[id] for id in sorted(entities)]
    pq.write_table(pa.Table.from_pylist(rows, ENTITIES), target / "us_legislators_entities.parquet", compression="zstd")
    print(f"{len(facts):,} terms, {len(entities):,} people and seats")


def person_id(person: dict) -> str:
    """Return the Bioguide id; a few executives have none and are known by their name."""
    bioguide = person["id"].get("bioguide")
    return f"bioguide:{bioguide}" if bioguide else f"us-executive:{plain_name(person).replace(' ', '-')}"


def title_of(person: dict) -> str:
    """Return the title of the Wikipedia page, or the full name."""
    name = person["name"]
    full = " ".join(filter(None, (name.get("first"), name.get("middle"), name["last"], name.get("suffix"))))
    return person["id"].get("wikipedia") or name.get("official_full") or full


def plain_name(person: dict) -> str:
    """Return first and last name."""
    return f"{person['name'].get('nickname') or person['name']['first']} {person['name']['last']}"


def other_names(person: dict) -> list[str]:
    """Return how else somebody may be called."""
    name = person["name"]
    full = " ".join(filter(None, (name.get("first"), name.get("middle"), name["last"])))
    initial = f"{name['first']} {name['middle'][0]}. {name['last']}" if name.get("middle") else full
    return [plain_name(person), f"{name['first']} {name['last']}", full, initial]


def described(person: dict) -> str:
    """Return what somebody was, where and when, in a few words."""
    terms = person["terms"]
    posts = {"sen": "U.S. senator", "rep": "U.S. representative"} | HEADS
    last = terms[-1]
    years = f"{terms[0]['start'][:4]}-{last['end'][:4] if Date.parse(last['end']).last <= SNAPSHOT.last else ''}"
    where = f" from {STATES[last['state']]}" if "state" in last else ""
    party = f", {last['party']}" if last.get("party") and last["party"] != "no party" else ""
    return f"{posts[last['type']]}{where} {years}{party}"


def seat_of(term: dict) -> tuple[str, str]:
    """Return id and label of the office of a term."""
    if term["type"] in HEADS:
        return f"us:{HEADS[term['type']]}", HEADS[term["type"]]
    state = STATES[term["state"]]
    if term["type"] == "sen":
        return (
            f"us-senate:{term['state']}-{term['class']}",
            f"United States senator from {state}, class {term['class']}",
        )
    district = int(term["district"])
    place = {0: f"{state} at large", -1: f"{state}, district not recorded"}.get(
        district, f"the {ordinal(district)} district of {state}"
    )
    return f"us-house:{term['state']}-{district}", f"United States representative for {place}"


def entity(id: str, label: str, description: str, kind: str) -> dict[str, object]:
    """Return one row of the table of entities."""
    row = {"id": id, "label": label, "aliases": [], "description": description, "kind": kind}
    return row | {"popularity": 1.0}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
