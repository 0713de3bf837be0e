"""Where facts come from: one file per kind of source."""

from inspect import signature
from pathlib import Path
from typing import Any, Protocol

from asof.errors import UserError
from asof.facts import Source
from asof.registry import sources
from asof.sources._at_places import named_as_a_file, readable_source
from asof.sources._web_page import is_page, page_instead

__all__ = ["SourceKind", "named_as_a_file", "open_source"]

_LOOKED_AT = 512  # bytes from which a web page is recognised
_TABLES = (".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")


class SourceKind(Protocol):
    """A class in this folder: it knows its places when it sees them, and opens them."""

    def recognises(self, location: str) -> bool:
        """Tell whether this kind of source can read a place."""

    def __call__(self, location: str, **settings: Any) -> Source:
        """Open a place."""


def open_source(location: str, *, kind: str | None = None, **settings: Any) -> Source:
    """Open a file, folder or name as a source; the kind is recognised unless it is given.

    A dump at a place (``places``) is read there, part by part; all else is fetched into the cache.
    """
    location = readable_source(location, kind=kind)
    path = Path(location)
    if path.is_file() and not kind:
        with path.open("rb") as file:
            if is_page(file.read(_LOOKED_AT)):
                raise UserError(page_instead(location))
    if kind:
        return _opened(location, kind, settings)
    for name in sources.names():
        candidate: SourceKind = sources.get(name)
        if candidate.recognises(location):
            return _opened(location, name, settings)
    raise UserError(
        f"{location!r} is not a source that asof can read: neither a table (.csv, .tsv, .jsonl, .parquet, .xlsx), nor "
        "a Wikidata dump (.json.gz, .json.bz2, .json.zst, .json), nor changes of Wikidata (entity JSON, .xml.bz2, the "
        "address of an api.php), nor the address of a SPARQL endpoint (https://...), "
        f"nor a folder with train.txt, valid.txt and test.txt, nor 'almanac'. {_instead(path)}See: asof list sources"
    )


def _instead(path: Path) -> str:
    """Say what can be done with a folder or a file of which asof knows no kind."""
    if (path / "manifest.json").is_file():
        return f"It is a base already: asof show {path}. "
    if path.is_dir():
        tables = sorted(one.name for one in path.iterdir() if one.suffix.lower() in _TABLES)
        if tables:
            return f"It holds {', '.join(tables[:3])}: asof mine {path / tables[0]} --to BASE. "
        return "It is a folder without tables: give the file that you mean. "
    if path.exists():
        return f"If it is a table, say so: asof mine {path} --source table --to BASE. "
    return ""


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
