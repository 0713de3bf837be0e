"""Mine one stretch of a dump: a plain function, so that processes of this machine or of a cluster can do it alike.

What is found goes to parts: folders with facts, items and a report, each put in place by one rename. Killed, the
function goes on behind the last part that is there. A part ends where a fixed number of raw bytes is read, so that
it is the same however often it was begun. The function refuses a machine that does not see the dump and the plan, and
says what it wrote, so that whoever asked can compare that with what lies on the disk.
"""

import gc
import json
import os
import shutil
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from asof.errors import UserError
from asof.places import is_there, size_of
from asof.sources.wikidata_dump.lines import CutLine, Lines, lines_of
from asof.sources.wikidata_dump.scan import Scanner
from asof.sources.wikidata_dump.stretch import ByteRange, UnreadableBytes
from asof.sources.wikidata_dump.wanted import MiningSettings
from asof.whole_file import sync_file, sync_folder

FACTS, ITEMS, REPORT, REJECTS = "facts.arrow", "items.arrow", "report.json", "rejects.jsonl"
PLAN = "plan.json"  # beside the folders of the stretches: what is mined there, and how
MARK = "at"  # a file with the byte that a process has come to, for the progress bar
_ROWS_IN_MEMORY = 20_000
_SECONDS_BETWEEN_MARKS = 0.5
_QUICKLY = pa.ipc.IpcWriteOptions(compression="lz4")  # parts are read once; Parquet would take three times as long

FACT_ROWS = pa.schema(
    {"line": pa.int64()}
    | dict.fromkeys(("subject", "relation", "object", "start", "end", "rank", "statement"), pa.string())
    | {"best": pa.bool_(), "qualifiers": pa.string()}
)
ITEM_ROWS = pa.schema(
    dict.fromkeys(("id", "line", "revision"), pa.int64())
    | dict.fromkeys(("labels", "description", "aliases"), pa.binary())
    | {"sitelinks": pa.int32(), "title": pa.binary()}
)
_SCHEMAS = {FACTS: FACT_ROWS, ITEMS: ITEM_ROWS}


@dataclass(frozen=True)
class Task:
    """A stretch to mine; its paths are absolute, because a machine of a cluster has its own working directory."""

    stretch: ByteRange
    wanted: MiningSettings
    folder: str  # for its parts
    part_bytes: int  # raw bytes in a part
    dump_bytes: int  # of the whole file


@dataclass(frozen=True)
class MinedRange:
    """What there is of a stretch: as the process that mined it says, or as it lies on the disk."""

    folder: str
    parts: int
    facts: int
    items: int

    @classmethod
    def of(cls, folder: str) -> "MinedRange":
        """Look at the disk."""
        reports = reports_of(Path(folder))
        facts, items = (sum(report["rows"][table] for report in reports) for table in (FACTS, ITEMS))
        return cls(folder, len(reports), facts, items)


def mine_stretch(task: Task) -> MinedRange:
    """Mine a stretch, or what is left of it, and say what it gave."""
    _see_the_same_disk(task)
    collects = gc.isenabled()
    gc.disable()  # nothing that is made here refers to itself, and looking for such things takes a tenth of the time
    try:
        _mine(task)
    finally:
        if collects:
            gc.enable()
    return MinedRange.of(task.folder)


def _see_the_same_disk(task: Task) -> None:
    """Refuse to work where the results would be lost, or would be those of another file."""
    plan, dump = Path(task.folder).parent / PLAN, task.stretch.path
    where = f"The machine {socket.gethostname()}"
    if not plan.is_file():
        raise UserError(
            f"{where} does not see {plan}, which the one that started it has written. Choose a folder with --to on "
            "a disk that all machines share."
        )
    if not is_there(dump):
        raise UserError(
            f"{where} does not see {dump}. Put the dump on a disk that all machines share, or at a place such as s3://."
        )
    if (size := size_of(dump)) != task.dump_bytes:
        raise UserError(
            f"{where} has another {dump}, of {size:,} bytes instead of {task.dump_bytes:,}. Put the dump on a disk "
            "that all machines share."
        )


def _mine(task: Task) -> None:
    folder = Path(task.folder)
    folder.mkdir(parents=True, exist_ok=True)
    done = reports_of(folder)
    if done and done[-1]["last"]:
        return
    begin: int = done[-1]["end"] if done else 0
    for leftover in folder.glob(".making-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    part = _Part(folder, len(done), Scanner(task.wanted))
    limit = (begin // task.part_bytes + 1) * task.part_bytes
    marked = 0.0
    for piece in lines_of(task.stretch, resume=begin):
        if isinstance(piece, Lines):
            part.scanner.scan(piece.raw)
            part.end = piece.end
            if time.monotonic() - marked > _SECONDS_BETWEEN_MARKS:
                (folder / MARK).write_text(str(piece.at), encoding="utf-8")
                marked = time.monotonic()
            if piece.end >= limit:
                part.finish(last=False)
                part = _Part(folder, part.number + 1, Scanner(task.wanted))
                limit = (piece.end // task.part_bytes + 1) * task.part_bytes
            else:
                part.keep_few_in_memory()
        elif isinstance(piece, CutLine):
            part.scanner.add_cut_line(piece.raw)
        else:
            part.losses.append(piece)
    part.finish(last=True)


def reports_of(folder: Path) -> list[dict[str, Any]]:
    """Read the reports of the finished parts of a stretch, in order."""
    parts = sorted(folder.glob("part-*"))
    return [json.loads((part / REPORT).read_text(encoding="utf-8")) | {"folder": str(part)} for part in parts]


def rows_of(report: dict[str, Any], table: str, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    """Read the facts or the items of a finished part, and see that they are as many as were written.

    Args:
        columns: Read only these; of a compressed file, the others cost nothing.
    """
    path = Path(report["folder"]) / table
    rows = 0
    with pa.memory_map(str(path)) as file:
        wanted = [_SCHEMAS[table].get_field_index(name) for name in columns or ()]
        reader = pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(included_fields=wanted or None))
        for number in range(reader.num_record_batches):
            batch = reader.get_batch(number)
            rows += batch.num_rows
            yield batch
    if rows != report["rows"][table]:
        raise UserError(
            f"{path} has {rows:,} rows, and {report['rows'][table]:,} were written. Start again: rm -r "
            f"{path.parents[3]}"
        )


class _Part:
    """Writes what a scanner finds into a folder beside its place, and moves it there when it is complete."""

    def __init__(self, folder: Path, number: int, scanner: Scanner) -> None:
        self.number = number
        self.scanner = scanner
        self.end = 0
        self.losses: list[UnreadableBytes] = []
        self._rows = {FACTS: 0, ITEMS: 0}
        self._path = folder / f"part-{number:05d}"
        self._making = folder / f".making-{number:05d}-{os.getpid()}"
        shutil.rmtree(self._making, ignore_errors=True)
        self._making.mkdir()
        self._facts = pa.ipc.new_file(str(self._making / FACTS), FACT_ROWS, options=_QUICKLY)
        self._items = pa.ipc.new_file(str(self._making / ITEMS), ITEM_ROWS, options=_QUICKLY)

    def keep_few_in_memory(self) -> None:
        """Write rows when there are many."""
        if len(self.scanner.facts.line) >= _ROWS_IN_MEMORY or len(self.scanner.items.id) >= _ROWS_IN_MEMORY:
            self._write_rows()

    def finish(self, *, last: bool) -> None:
        """Complete the part and put it in place."""
        self._write_rows()
        self._facts.close()
        self._items.close()
        scanner = self.scanner
        report = {
            "last": last,
            "end": self.end,
            "rows": self._rows,
            "counts": scanner.counts,
            "newest": scanner.newest.decode(),
            "brackets": sorted(scanner.brackets),
            "relations": scanner.relations,
            "losses": [vars(loss) for loss in self.losses],
        }
        rejects = "".join(json.dumps(reject, ensure_ascii=False) + "\n" for reject in scanner.rejects)
        (self._making / REJECTS).write_text(rejects, encoding="utf-8")
        (self._making / REPORT).write_text(json.dumps(report, ensure_ascii=False), encoding="utf-8")
        for path in self._making.iterdir():
            sync_file(path)
        try:
            self._making.rename(self._path)
        except OSError:
            if not (self._path / REPORT).is_file():  # else a process that was thought to be dead made it, too
                raise
            shutil.rmtree(self._making)
        sync_folder(self._path.parent)

    def _write_rows(self) -> None:
        facts, items = vars(self.scanner.facts), vars(self.scanner.items)
        written = ((FACTS, self._facts, FACT_ROWS, facts), (ITEMS, self._items, ITEM_ROWS, items))
        for table, writer, schema, rows in written:
            if any(rows.values()):
                columns = [pa.array(rows[name], schema.field(name).type) for name in schema.names]
                writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
                self._rows[table] += len(columns[0])
        for column in (*vars(self.scanner.facts).values(), *vars(self.scanner.items).values()):
            column.clear()
