"""The work folder of a dump that is being mined: what is finished stays there until the base is complete."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.places import name_of, open_bytes, remote_address, size_of
from asof.sources.wikidata_dump.mining import MARK, PLAN, MinedRange, Task, reports_of
from asof.sources.wikidata_dump.stretch import ByteRange
from asof.sources.wikidata_dump.wanted import MiningSettings
from asof.whole_file import whole_file

_FORMAT = 3  # of the parts; raise it when they change
_SMALLEST, _LARGEST = 8 << 20, 32 << 20  # compressed bytes in a stretch
_STRETCHES = 64  # for the progress bar and for many processes
_SAMPLE = 1 << 16


@dataclass(frozen=True, kw_only=True)
class WorkSizes:
    """How a dump is cut: small enough to lose little by a stop, large enough that starting costs nothing."""

    stretch: int = 0  # bytes of the file; 0: a 64th of it, between 8 and 32 MB
    part: int = 512 << 20  # raw bytes


def tasks_of(location: str, wanted: MiningSettings, folder: Path, sizes: WorkSizes) -> list[Task]:
    """Cut a dump into stretches, or find out that its work folder belongs to another dump or other settings."""
    path = remote_address(location) or str(Path(location).absolute())
    folder, size = folder.absolute(), size_of(path)
    step = sizes.stretch or min(_LARGEST, max(_SMALLEST, size // _STRETCHES))
    dump = {"bytes": size, "sha256": _sampled_hash(path, size)}
    plan = {"format": _FORMAT, "dump": dump, "settings": asdict(wanted), "stretch": step, "part": sizes.part}
    _agree(folder, json.loads(json.dumps(plan)), path)
    return [
        Task(
            ByteRange(path, first, min(first + step, size)),
            wanted,
            str(folder / f"{number:06d}"),
            sizes.part,
            size,
        )
        for number, first in enumerate(range(0, max(size, 1), step))
    ]


def whole_reports(tasks: list[Task], mined: list[MinedRange]) -> list[dict[str, Any]]:
    """Read the reports of all stretches, or find out that one did not report or left something else on this disk.

    Args:
        mined: What the processes say that they have mined, in any order.
    """
    said = {one.folder: one for one in mined}
    found = {task.folder: reports_of(Path(task.folder)) for task in tasks}
    missing = [
        task.folder
        for task, reports in zip(tasks, found.values(), strict=True)
        if not reports or not reports[-1]["last"] or said.get(task.folder) != MinedRange.of(task.folder)
    ]
    if missing:
        raise UserError(
            f"Of {len(tasks):,} stretches of {name_of(tasks[0].stretch.path)}, {len(missing):,} were not mined to "
            f"their end, or what they gave is not here. The first: {missing[0]}. No base was replaced. If several "
            "machines work together, choose a folder with --to on a disk that all of them share; else run the same "
            "command again."
        )
    return [report for reports in found.values() for report in reports]


class Progress:
    """How many bytes of a dump are done, as far as the processes have told."""

    def __init__(self, tasks: list[Task]) -> None:
        self._waiting = tasks
        self._done = 0

    def bytes(self) -> int:
        """Look at the stretches that were not done when somebody looked last."""
        waiting, begun = [], 0
        for task in self._waiting:
            first, stop = task.stretch.first, task.stretch.stop
            folder = Path(task.folder)
            if folder.is_dir() and any(report["last"] for report in reports_of(folder)):
                self._done += stop - first
            else:
                waiting.append(task)
                begun += max(0, _mark(folder) - first)
        self._waiting = waiting
        return self._done + begun


def _mark(folder: Path) -> int:
    try:
        return int((folder / MARK).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 0


def _agree(folder: Path, plan: dict[str, Any], path: str) -> None:
    """See that unfinished work in a folder is of the same dump and settings, and leave the plan there."""
    plan_path = folder / PLAN
    if plan_path.is_file():
        there = json.loads(plan_path.read_text(encoding="utf-8"))
        again = f"Finish it with its own command, or start again: rm -r {folder.parent}"
        if there["dump"] != plan["dump"]:
            raise UserError(
                f"{folder.parent} holds unfinished work on another dump, or {name_of(path)} has changed: it had "
                f"{there['dump']['bytes']:,} bytes, now it has {plan['dump']['bytes']:,}. {again}"
            )
        other = [name for name in plan["settings"] if there["settings"].get(name) != plan["settings"][name]]
        other += [name for name in ("format", "stretch", "part") if there[name] != plan[name]]
        if other:
            raise UserError(f"{folder.parent} holds unfinished work with other settings ({', '.join(other)}). {again}")
        return
    folder.mkdir(parents=True, exist_ok=True)
    with whole_file(plan_path) as temporary:
        temporary.write_text(json.dumps(plan), encoding="utf-8")


def _sampled_hash(path: str, size: int) -> str:
    """Hash the beginning, the middle and the end of a file: enough to tell dumps apart, whatever their size."""
    digest = hashlib.sha256()
    with open_bytes(path) as file:
        for offset in (0, size // 2, max(0, size - _SAMPLE)):
            file.seek(offset)
            digest.update(file.read(_SAMPLE))
    return digest.hexdigest()
