"""A benchmark as a folder: ``items.parquet`` and ``benchmark.toml``, a function of base, settings and seed.

Some have ``statistics.tsv`` beside them: what the benchmark counted of itself. Some have ``documents.parquet``: the
texts that their items are about.

Built twice it is the same to the byte. The description is written last and holds the hash of the items, so a build that
was cut is told from a whole one.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq
import tomli_w

from asof.benchmarks._account import Account, Omission
from asof.benchmarks._item import Item
from asof.errors import UserError
from asof.facts import Fact, FactStore
from asof.facts.in_language import TranslatedBase, in_language
from asof.facts.manifest import Manifest, sha256_of
from asof.places.folders import local_folder
from asof.whole_file import write_text
from asof.wording import Wording

if TYPE_CHECKING:
    from asof.benchmarks import BenchmarkKind

_ITEMS, _DESCRIPTION, _STATISTICS = "items.parquet", "benchmark.toml", "statistics.tsv"
_DOCUMENTS = "documents.parquet"
_ROWS_PER_CHUNK = 50_000
_OWN_COLUMNS = ("id", "prompt", "answers", "group")


@dataclass(frozen=True)
class Benchmark:
    """A benchmark that was built."""

    folder: Path
    name: str
    probe: str
    settings: dict[str, Any]
    base: str
    items_sha256: str
    items_count: int
    groups_count: int
    account: Account = field(default_factory=Account)
    documents_sha256: str | None = None
    description: dict[str, Any] = field(default_factory=dict)  # all that benchmark.toml says

    @property
    def size(self) -> str:
        """How many items it has about how many things, in words."""
        thing = str(self.description.get("group", "fact"))
        items, groups = (f"{count:,}" for count in (self.items_count, self.groups_count))
        return (
            f"{items} {'item' if self.items_count == 1 else 'items'} about "
            f"{groups} {thing if self.groups_count == 1 else thing + 's'}"
        )

    def table(self) -> pa.Table:
        """Read all items with their tags as columns."""
        return pq.read_table(self.folder / _ITEMS)

    def items(self, *, limit: int | None = None) -> Iterator[Item]:
        """Walk over the items; a limit counts whole groups, wherever their items stand, so no fact is cut in two."""
        file = pq.ParquetFile(self.folder / _ITEMS)
        wanted = None
        if limit is not None:
            groups = pq.read_table(self.folder / _ITEMS, columns=["group"])["group"]
            wanted = pc.unique(groups)[:limit]
        for batch in file.iter_batches(_ROWS_PER_CHUNK):
            kept = batch if wanted is None else batch.filter(pc.is_in(batch["group"], value_set=wanted))
            yield from map(_item, kept.to_pylist())

    def statistics(self) -> pa.Table | None:
        """Read the counts that the benchmark gave of itself, None when it gave none."""
        path = self.folder / _STATISTICS
        return csv.read_csv(path, parse_options=csv.ParseOptions(delimiter="\t")) if path.is_file() else None


@dataclass(frozen=True)
class BenchmarkTables:
    """A benchmark made at once: its items as tables, one column for each tag, and what is to be said of them."""

    tables: Iterator[pa.Table]
    account: Account
    statistics: pa.Table | None = None
    documents: pa.Table | None = None  # see ``_documents``
    made_from: dict[str, str] | None = None  # name and hash of what it was made from, where that is no base


@runtime_checkable
class MakesTables(Protocol):
    """A benchmark of so many items that it makes them as tables."""

    def made(self, store: FactStore, say: Wording) -> BenchmarkTables:
        """Make the items, in the same order every time; the account is known before the first of them is."""


class KeepsItems(Protocol):
    """Which items of a benchmark are kept."""

    @property
    def described(self) -> dict[str, str]:
        """What is put on record of it."""

    def kept(self, items: pa.Table) -> pa.Table:
        """Return the items that are kept."""


@dataclass
class _ItemFilter:
    """Filters tables of items, and counts what it drops."""

    keep: KeepsItems | None
    dropped: int = 0

    @property
    def words(self) -> str:
        said = self.keep.described if self.keep else {}
        return " and ".join(f"answers that began {name} {when}" for name, when in said.items())

    def kept(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        for table in tables:
            some = self.keep.kept(table) if self.keep else table
            self.dropped += table.num_rows - some.num_rows
            yield some


@runtime_checkable
class GivesAccount(Protocol):
    """A benchmark that tells which facts its rules left out."""

    def account(self, store: FactStore, say: Wording) -> Account:
        """Tell which facts were left out and why."""


@runtime_checkable
class TakesQuestions(Protocol):
    """A benchmark whose questions may come from a file: its setting ``questions``."""

    @property
    def own_wording(self) -> bool:
        """Whether facts without a question from there get our wording."""

    def facts_to_ask(self, store: FactStore, say: Wording) -> list[Fact]:
        """Return the facts for which questions are to be written."""


def build(
    folder: Path,
    kind: BenchmarkKind,
    store: FactStore,
    say: Wording,
    *,
    made_with: Mapping[str, Any] | None = None,
    keep_unnamed: bool = False,
    keep: KeepsItems | None = None,
) -> Benchmark:
    """Make the items of a benchmark from a base and write them to a folder, with names in the language of the wording.

    Args:
        made_with: What else to put on record, such as the model that wrote the questions.
        keep_unnamed: Keep facts without a name in that language, with the name that they have.
        keep: Which of the items are kept; all, if not given.
    """
    facts = getattr(kind, "facts", None)
    if isinstance(facts, int) and facts < 1:
        raise UserError(f"facts = {facts} asks about nothing. Give 1 or more.")
    with in_language(store, say.language, keep_unnamed=keep_unnamed) as translated:
        more = {"keep_unnamed": True} if keep_unnamed else {}
        return _build(folder, kind, translated, say, store.manifest, {**(made_with or {}), **more}, keep)


def _build(
    folder: Path,
    kind: BenchmarkKind,
    translated: TranslatedBase,
    say: Wording,
    base: Manifest,
    made_with: Mapping[str, Any],
    keep: KeepsItems | None,
) -> Benchmark:
    store = translated.store
    made = kind.made(store, say) if isinstance(kind, MakesTables) else None
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f".{_ITEMS}.new"
    counter = _ItemFilter(keep)
    tables = made.tables if made else tables_of(kind.items(store, say))
    count, groups = _write_tables(temporary, counter.kept(tables) if keep else tables)
    account = made.account if made else kind.account(store, say) if isinstance(kind, GivesAccount) else Account()
    account = _with_unnamed(account, translated, say.language)
    if counter.dropped:
        note = f"Kept {count:,} of {count + counter.dropped:,} items: {counter.words}."
        account = Account(account.left_out, (*account.notes, note))
    if not count:
        temporary.unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()
        raise UserError(f"{store.manifest.name} has no facts for {kind.name} with these settings.\n{account}".strip())
    description = {
        "name": kind.name,
        "paper": kind.paper,
        "probe": kind.probe,
        "group": getattr(kind, "group", "fact"),  # what items of one group are about
        "base": (made.made_from if made else None) or {"name": base.name, "hash": base.hash},
        "language": say.language,
        "settings": {name: value for name, value in dataclasses.asdict(kind).items() if value is not None},  # type: ignore[call-overload]
        "items": {"count": count, "groups": groups, "sha256": sha256_of(temporary)},
        "left_out": account.as_row(),
        "notes": list(account.notes),
        **({"selected": keep.described} if keep else {}),
        **made_with,
    }
    return _put_in_place(folder, temporary, description, made)


def _with_unnamed(account: Account, translated: TranslatedBase, language: str) -> Account:
    """Add the facts that have no name in the language to an account."""
    notes = (translated.note, *account.notes) if translated.note else account.notes
    if not translated.unnamed:
        return Account(account.left_out, notes)
    advice = (
        f"Mine names in it (asof mine DUMP --language en --language {language}), or keep names in other languages: "
        "--keep-unnamed"
    )
    told = Omission(translated.unnamed, translated.example.in_names if translated.example else "", advice)
    return Account({f"without a name in {language!r}": told, **account.left_out}, notes)


def save(folder: Path, made: BenchmarkTables, about: Mapping[str, Any]) -> Benchmark:
    """Write a benchmark that comes from no base, such as another one that people have corrected.

    Args:
        about: What its description says beside its items: name, paper, probe, base, language, settings.
    """
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f".{_ITEMS}.new"
    count, groups = _write_tables(temporary, made.tables)
    if not count:
        temporary.unlink(missing_ok=True)
        raise UserError(f"No items could be made for {folder}. {made.account}".strip())
    own = {
        "items": {"count": count, "groups": groups, "sha256": sha256_of(temporary)},
        "left_out": made.account.as_row(),
        "notes": list(made.account.notes),
    }
    return _put_in_place(folder, temporary, {**about, **own}, made)


def _put_in_place(folder: Path, items: Path, description: dict[str, Any], made: BenchmarkTables | None) -> Benchmark:
    """Put the files of a benchmark in place, the description last: without it there is no benchmark."""
    documents = folder / f".{_DOCUMENTS}.new"
    documents.unlink(missing_ok=True)  # of a build that was cut
    if made and made.documents is not None:
        pq.write_table(made.documents, documents, compression="zstd")
        description["documents"] = {"count": made.documents.num_rows, "sha256": sha256_of(documents)}
    (folder / _DESCRIPTION).unlink(missing_ok=True)
    items.replace(folder / _ITEMS)
    if documents.is_file():
        documents.replace(folder / _DOCUMENTS)
    else:
        (folder / _DOCUMENTS).unlink(missing_ok=True)  # of another benchmark that was here before
    _write_statistics(folder / _STATISTICS, made.statistics if made else None)
    write_text(folder / _DESCRIPTION, tomli_w.dumps(description))
    return read_benchmark(folder)


def read_benchmark(folder: Path) -> Benchmark:
    """Open a benchmark that was built, in a folder or at a place."""
    folder = local_folder(folder, (_DESCRIPTION, _ITEMS, _DOCUMENTS))
    path = folder / _DESCRIPTION
    if not path.is_file():
        raise UserError(
            f"{folder} is not a benchmark folder: it has no {_DESCRIPTION}. "
            f"Make one with: asof build NAME --to {folder}"
        )
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        benchmark = Benchmark(
            folder=folder,
            name=content["name"],
            probe=content.get("probe", "answer-likelihood"),  # folders of version 0.1 have no other
            settings=content["settings"],
            base=content["base"]["name"],
            items_sha256=content["items"]["sha256"],
            items_count=content["items"]["count"],
            groups_count=content["items"]["groups"],
            account=Account.read(content.get("left_out", {}), content.get("notes", ())),
            documents_sha256=content.get("documents", {}).get("sha256"),
            description=content,
        )
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise UserError(f"{path} is broken ({error}). Build the benchmark again.") from error
    if not (folder / _ITEMS).is_file() or sha256_of(folder / _ITEMS) != benchmark.items_sha256:
        raise UserError(f"{folder / _ITEMS} does not match its hash in {_DESCRIPTION}. Build the benchmark again.")
    return benchmark


def _write_statistics(path: Path, table: pa.Table | None) -> None:
    if table is None:
        path.unlink(missing_ok=True)  # of another benchmark that was here before
        return
    rows = [table.column_names, *zip(*(column.to_pylist() for column in table.columns), strict=True)]
    lines = ("\t".join("" if cell is None else str(cell) for cell in row) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def items_of(table: pa.Table) -> Iterator[Item]:
    """Walk over a table of items."""
    for batch in table.to_batches():
        yield from map(_item, batch.to_pylist())


def _item(row: dict[str, Any]) -> Item:
    own = {name: row.pop(name) for name in _OWN_COLUMNS}
    return Item(**own | {"answers": tuple(own["answers"])}, tags=row)


def tables_of(items: Iterable[Item]) -> Iterator[pa.Table]:
    """Give items as tables, a column for each tag."""
    iterator = iter(items)
    schema: pa.Schema | None = None
    while chunk := list(islice(iterator, _ROWS_PER_CHUNK)):
        rows: dict[str, list[Any]] = {
            "id": [item.id for item in chunk],
            "prompt": [item.prompt for item in chunk],
            "answers": [list(item.answers) for item in chunk],
            "group": [item.group for item in chunk],
        }
        rows |= {name: [item.tags[name] for item in chunk] for name in chunk[0].tags}
        table = pa.table(rows, schema=schema)
        schema = table.schema
        yield table


def _write_tables(path: Path, tables: Iterable[pa.Table]) -> tuple[int, int]:
    writer: pq.ParquetWriter | None = None
    count = 0
    groups: set[str] = set()
    try:
        for table in tables:
            writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table)
            count += table.num_rows
            groups.update(table["group"].unique().to_pylist())
    finally:
        if writer:
            writer.close()
    return count, len(groups)
