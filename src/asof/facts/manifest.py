"""The manifest of a base: which files belong to it, with their hashes, and where the facts come from.

Data files carry their hash in their name; the manifest names those that count. Putting a new manifest in place is
one rename, so a reader sees the old base or the new one, never a mixture.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.timeline import Date
from asof.whole_file import whole_file

MANIFEST = "manifest.json"
FORMAT = 4
_READ = (2, 3, 4)  # 2: the table of relations has no columns of meanings but one_at_a_time; 3: no versions


@dataclass(frozen=True)
class Part:
    """One file of a base; tables are sorted, so a part holds the keys from ``first_key`` to ``last_key``."""

    path: str
    rows: int
    bytes: int
    sha256: str
    first_key: str = ""
    last_key: str = ""
    with_known_from: bool = False  # of facts: whether the file has that column


@dataclass(frozen=True, kw_only=True)
class BaseVersion:
    """What one update did to a base; the first version is what was mined."""

    day: str | None  # from which on the base says so; None: its first version, of which nobody says
    known_by: str | None  # the day to which the base was current then
    source: str
    replaces: str | None = None  # the source of the first version whose facts these replace; None: of all
    entities: int = 0
    added: int = 0
    closed: int = 0
    unchanged: int = 0
    hash: str = ""  # of the base as it was then, so that what is made from it as known on that day names the same base

    @property
    def first_day(self) -> int | None:
        """The number of its day."""
        return Date.parse(self.day).first if self.day else None


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a base consists of."""

    name: str
    sources: list[str]
    known_by: str | None  # the day of the dump that we believe; what is ongoing is known to be so up to then
    tables: dict[str, list[Part]]
    rejects: Part | None = None
    language: str | None = None  # of the names of entities, where it is known
    selection: dict[str, Any] | None = (
        None  # the recipe, its settings and the base, where one was selected from another
    )
    told: dict[str, dict[str, Any]] = field(default_factory=dict)  # what a person has said of relations
    fine: dict[str, str] = field(default_factory=dict)  # problems that are none, by id, with the reason
    versions: list[BaseVersion] = field(default_factory=list)  # oldest first; none where nothing was ever updated
    mining: dict[str, Any] = field(default_factory=dict)  # with which settings a dump was mined
    rated: bool | None = None  # whether a source rates popularity, else it counts facts; None: never updated
    hash_then: str | None = None  # of a base that is asked what it said on a day
    feeds: dict[str, dict[str, Any]] = field(default_factory=dict)  # where feeds of changes go on, by address
    rejected: list[str] = field(default_factory=list)  # proposed facts that a person has rejected, by id
    accepted: list[str] = field(default_factory=list)  # what accepted facts name as their source

    @property
    def known_by_date(self) -> Date | None:
        """The day up to which the base is known, as a date."""
        return Date.parse(self.known_by) if self.known_by else None

    @property
    def known_since(self) -> Date | None:
        """The day of the first version that can still be asked for; None where it states none."""
        first = self.versions[0].day if self.versions else self.known_by
        return Date.parse(first) if first else None

    @property
    def hash(self) -> str:
        """One hash for the whole content: equal bases have equal hashes."""
        if self.hash_then:
            return self.hash_then
        content = {table: [part.sha256 for part in parts] for table, parts in self.tables.items()}
        text = json.dumps([content, self.known_by], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def said(self) -> dict[str, Any]:
        """What people have said of it, which holds for its next version, too."""
        return {"told": self.told, "fine": self.fine, "rejected": self.rejected, "accepted": self.accepted}

    @property
    def files(self) -> set[str]:
        """The names of all files that belong to the base, but for the manifest."""
        parts = [part for parts in self.tables.values() for part in parts]
        return {part.path for part in parts} | ({self.rejects.path} if self.rejects else set())

    def rows(self, table: str) -> int:
        """How many rows a table has."""
        return sum(part.rows for part in self.tables[table])

    def put_in_place(self, folder: Path) -> None:
        """Write the manifest beside the old one and rename it: the moment at which the new base exists."""
        text = json.dumps({"format": FORMAT, **asdict(self)}, indent=1, ensure_ascii=False)
        with whole_file(folder / MANIFEST) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8")


def parts_of(manifest: Manifest) -> list[Part]:
    """Return all files of a base, but for the manifest."""
    tables = [part for parts in manifest.tables.values() for part in parts]
    return [*tables, *([manifest.rejects] if manifest.rejects else [])]


def read_manifest(folder: Path, *, with_files: bool = True) -> Manifest:
    """Read the manifest of a base and see that its files are there, whole in length.

    Args:
        with_files: Look at the files; else the manifest alone is read.
    """
    path = folder / MANIFEST
    if not path.is_file():
        what = "has no manifest.json, so it is not a base" if folder.is_dir() else "does not exist"
        raise UserError(f"{folder} {what}. Make one with: asof mine SOURCE --to {folder}")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        version = content.pop("format")
        if isinstance(version, int) and version > FORMAT:
            raise UserError(
                f"{path} has format {version}, which is newer than the format {FORMAT} that this asof reads. Get the "
                "newest with: pip install --upgrade asof"
            )
        if version not in _READ:
            raise UserError(f"{path} has format {version}; this asof reads format {FORMAT}. Mine the base again.")
        manifest = _from_json(content)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path} is broken ({error}). Mine the base again.") from error
    for name in sorted(manifest.files):
        if Path(name).name != name:
            raise UserError(f"{path} names {name!r}, which is not a file in its own folder. Mine the base again.")
    for part in (part for parts in manifest.tables.values() for part in parts) if with_files else ():
        file = folder / part.path
        size = file.stat().st_size if file.is_file() else None
        if size != part.bytes:
            state = (
                "is missing" if size is None else f"has {size:,} bytes instead of {part.bytes:,}: it was cut or changed"
            )
            raise UserError(f"{file} {state}. Mine the base again.")
    return manifest


def said_of_base(folder: Path) -> dict[str, Any]:
    """Return what people have said of relations, problems and proposals; nothing where there is no base."""
    try:
        manifest = read_manifest(folder)
    except UserError:
        return {"told": {}, "fine": {}, "rejected": [], "accepted": []}
    return manifest.said


def damaged_files(folder: Path, manifest: Manifest) -> list[str]:
    """Read every file of a base and return those whose hash is not the one in the manifest."""
    parts = [part for parts in manifest.tables.values() for part in parts]
    return [part.path for part in parts if sha256_of(folder / part.path) != part.sha256]


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def quoted(path: Path) -> str:
    """Write a path as a string of SQL.

    >>> quoted(Path("it's/here"))
    "'it''s/here'"
    """
    return "'" + str(path).replace("'", "''") + "'"


def _from_json(content: dict[str, Any]) -> Manifest:
    tables = {name: [Part(**part) for part in parts] for name, parts in content.pop("tables").items()}
    rejects = content.pop("rejects")
    versions = [BaseVersion(**version) for version in content.pop("versions", [])]
    return Manifest(tables=tables, rejects=Part(**rejects) if rejects else None, versions=versions, **content)
