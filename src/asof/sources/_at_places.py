"""Sources at places: what can be read where it lies stays there, all else is copied to the cache."""

from __future__ import annotations

from pathlib import Path

from asof.places import is_on_the_web, name_of, place_at, remote_address
from asof.places.copies import local_file
from asof.places.folders import local_folder
from asof.places.place import MissingPlaceError

_DUMPS = (".json.gz", ".json.bz2", ".json.zst", ".json")
_TABLES = (".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".xls", ".ods")
_NOT_FILES = ("wikidata-sparql",)  # kinds of source that are an address themselves


def readable_source(location: str, *, kind: str | None) -> str:
    """Return a location that a source can read: of a table or a folder at a place, that of its copy."""
    if remote_address(location) is None or kind in _NOT_FILES:
        return location
    if is_on_the_web(location):
        if kind is None and not named_as_a_file(location):
            return location  # the address of an endpoint
    elif _is_a_folder(location):
        return str(local_folder(location))
    if name_of(location).lower().endswith(_DUMPS) and place_at(location).state().in_parts:
        return remote_address(location) or location
    return str(local_file(location))


def named_as_a_file(location: str) -> bool:
    """Tell whether an address ends as that of a table or a dump does; others are those of endpoints or bases.

    >>> named_as_a_file("https://host/facts.csv.gz?v=2"), named_as_a_file("https://query.wikidata.org/sparql")
    (True, False)
    """
    name = name_of(location).lower()
    return name.endswith(_DUMPS) or Path(name.removesuffix(".gz")).suffix in _TABLES


def _is_a_folder(location: str) -> bool:
    try:
        place_at(location).state()
    except MissingPlaceError:
        if place_at(location).files():
            return True
        raise
    return False
