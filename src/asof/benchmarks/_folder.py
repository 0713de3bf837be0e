"""A benchmark as a folder: ``items.parquet`` and ``benchmark.toml``, a function of base, settings and seed.

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
import pyarrow.parquet as pq
import tomli_w

from asof.benchmarks._item import Account, Item
from asof.errors import UserError
from asof.facts import Fact, FactStore
from asof.facts.manifest import sha256_of
from asof.wording import Wording

if TYPE_CHECKING:
    from asof.benchmarks import BenchmarkKind

_ITEMS, _DESCRIPTION = "items.parquet", "benchmark.toml"
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

    def table(self) -> pa.Table:
        """Read all items with their tags as columns."""
        return pq.read_table(self.folder / _ITEMS)

    def items(self, *, limit: int | None = None) -> Iterator[Item]:
        """Walk over the items; a limit counts whole groups, so that no fact is cut in two."""
        file = pq.ParquetFile(self.folder / _ITEMS)
        seen: set[str] = set()
        for batch in file.iter_batches(_ROWS_PER_CHUNK):
            for row in batch.to_pylist():
                seen.add(row["group"])
                if limit is not None and len(seen) > limit:
                    return
                own = {name: row.pop(name) for name in _OWN_COLUMNS}
                yield Item(**own | {"answers": tuple(own["answers"])}, tags=row)


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
    folder: Path, kind: BenchmarkKind, store: FactStore, say: Wording, *, made_with: Mapping[str, Any] | None = None
) -> Benchmark:
    """Make the items of a benchmark from a base and write them to a folder.

    Args:
        made_with: What else to put on record, such as the model that wrote the questions.
    """
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f".{_ITEMS}.new"
    items = kind.items(store, say)
    count, groups = _write_items(temporary, items)
    account = kind.account(store, say) if isinstance(kind, GivesAccount) else Account()
    if not count:
        temporary.unlink(missing_ok=True)
        raise UserError(
            f"{store.manifest.name} has no fact that fits {kind.name} with these settings.\n{account}".strip()
        )
    description = {
        "name": kind.name,
        "paper": kind.paper,
        "probe": kind.probe,
        "base": {"name": store.manifest.name, "hash": store.manifest.hash},
        "language": say.language,
        "settings": {name: value for name, value in dataclasses.asdict(kind).items() if value is not None},  # type: ignore[call-overload]
        "items": {"count": count, "groups": groups, "sha256": sha256_of(temporary)},
        "left_out": account.left_out,
        "notes": list(account.notes),
        **(made_with or {}),
    }
    (folder / _DESCRIPTION).unlink(missing_ok=True)
    temporary.replace(folder / _ITEMS)
    (folder / _DESCRIPTION).write_text(tomli_w.dumps(description), encoding="utf-8")
    return read_benchmark(folder)


def read_benchmark(folder: Path) -> Benchmark:
    """Open a benchmark that was built."""
    path = folder / _DESCRIPTION
    if not path.is_file():
        raise UserError(
            f"{folder} is no benchmark: it has no {_DESCRIPTION}. Make one with: asof build NAME --to {folder}"
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
            account=Account(content.get("left_out", {}), tuple(content.get("notes", ()))),
        )
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise UserError(f"{path} is broken ({error}). Build the benchmark again.") from error
    if not (folder / _ITEMS).is_file() or sha256_of(folder / _ITEMS) != benchmark.items_sha256:
        raise UserError(f"{folder / _ITEMS} is not the file that {_DESCRIPTION} speaks of. Build the benchmark again.")
    return benchmark


def _write_items(path: Path, items: Iterable[Item]) -> tuple[int, int]:
    iterator = iter(items)
    writer: pq.ParquetWriter | None = None
    count = 0
    groups: set[str] = set()
    try:
        while chunk := list(islice(iterator, _ROWS_PER_CHUNK)):
            rows: dict[str, list[Any]] = {
                "id": [item.id for item in chunk],
                "prompt": [item.prompt for item in chunk],
                "answers": [list(item.answers) for item in chunk],
                "group": [item.group for item in chunk],
            }
            rows |= {name: [item.tags[name] for item in chunk] for name in chunk[0].tags}
            table = pa.table(rows) if writer is None else pa.table(rows, schema=writer.schema)
            writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table)
            count += len(chunk)
            groups.update(rows["group"])
    finally:
        if writer:
            writer.close()
    return count, len(groups)
