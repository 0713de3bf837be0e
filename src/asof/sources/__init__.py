"""Where facts come from: one file per kind of source."""

from typing import Any, Protocol

from asof.errors import UserError
from asof.facts import Source
from asof.registry import sources


class SourceKind(Protocol):
    """A class in this folder: it knows its places when it sees them, and opens them."""

    def recognises(self, place: str) -> bool:
        """Tell whether this kind of source can read a place."""

    def __call__(self, place: str, **settings: Any) -> Source:
        """Open a place."""


def open_source(place: str, *, kind: str | None = None, **settings: Any) -> Source:
    """Open a file, folder or name as a source; the kind is recognised unless it is given."""
    if kind:
        chosen: SourceKind = sources.get(kind)
        return chosen(place, **settings)
    for name in sources.names():
        candidate: SourceKind = sources.get(name)
        if candidate.recognises(place):
            return candidate(place, **settings)
    raise UserError(
        f"{place!r} is no source that asof knows: neither a table (.csv, .tsv, .jsonl, .parquet), nor a folder with "
        "train.txt, valid.txt and test.txt, nor 'almanac'. See: asof list sources"
    )
