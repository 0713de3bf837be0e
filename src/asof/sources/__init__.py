"""Where facts come from: one file per kind of source."""

from inspect import signature
from typing import Any, Protocol

from asof.errors import UserError
from asof.facts import Source
from asof.registry import sources


class SourceKind(Protocol):
    """A class in this folder: it knows its places when it sees them, and opens them."""

    def recognises(self, location: str) -> bool:
        """Tell whether this kind of source can read a place."""

    def __call__(self, location: str, **settings: Any) -> Source:
        """Open a place."""


def open_source(location: str, *, kind: str | None = None, **settings: Any) -> Source:
    """Open a file, folder or name as a source; the kind is recognised unless it is given."""
    if kind:
        return _opened(location, kind, settings)
    for name in sources.names():
        candidate: SourceKind = sources.get(name)
        if candidate.recognises(location):
            return _opened(location, name, settings)
    raise UserError(
        f"{location!r} is not a source that asof can read: it is neither a table (.csv, .tsv, .jsonl, .parquet), "
        f"nor a Wikidata dump "
        "(.json.gz, .json.bz2, .json.zst, .json), nor the address of a SPARQL endpoint (https://...), nor a folder "
        "with train.txt, valid.txt and test.txt, nor 'almanac'. See: asof list sources"
    )


def _opened(location: str, name: str, settings: dict[str, Any]) -> Source:
    kind: SourceKind = sources.get(name)
    known = signature(kind).parameters
    strange = [setting for setting in settings if setting not in known]
    if strange:
        raise UserError(
            f"{location} is read as a source of the kind {name!r}, which has no setting {strange[0]!r}. Leave it out, "
            "or say with --source what else the place is. See: asof list sources"
        )
    return kind(location, **settings)
