"""What a watch keeps: run folders, each with ``check.json``, which says which release was asked what, when.

A run folder is as any other: ``asof score``, ``compare``, ``cutoff`` and ``report`` read it. A history may be moved.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import tomli_w

from asof.errors import UserError
from asof.runs.folder import Run, read_run
from asof.watches.settings import WatchSettings, title_of
from asof.whole_file import write_text

_CHECK, _SETTINGS, _FAILURES = "check.json", "settings.toml", "failures.json"


@dataclass(frozen=True, kw_only=True)
class CheckRecord:
    """One release, asked one version of one benchmark with one probe.

    Args:
        number: Counts the checks of a history in the order in which they began.
        items_sha256: The version of the benchmark.
        identity: Which model stood behind the location.
        limit: About so many facts it was asked, None for all.
        asked: How many items were put to the model in all sessions, and how many answers were taken over from before.
        begun: The day on which it began.
        done: The last day on which all was done that was due; None before.
    """

    number: int
    model: str
    release: str
    released: str | None
    benchmark: str
    base: str
    items_sha256: str
    probe: str
    probe_settings: dict[str, Any]
    identity: dict[str, Any]
    limit: int | None
    asked: int = 0
    reused: int = 0
    begun: str = ""
    done: str | None = None

    @property
    def title(self) -> str:
        """Name and release of the model."""
        return title_of(self.model, self.release)


@dataclass(frozen=True)
class KeptCheck:
    """A record with the folder that it is kept in."""

    folder: Path
    record: CheckRecord
    history: Path

    @property
    def benchmark_folder(self) -> Path:
        """The version of the benchmark that was asked."""
        return self.history / "benchmarks" / self.record.benchmark / self.record.items_sha256[:12]

    @cached_property
    def run(self) -> Run:
        """The run, with its benchmark where it is now."""
        found = read_run(self.folder)
        return Run(found.folder, {**found.settings, "benchmark": str(self.benchmark_folder.resolve())})

    def bring_home(self) -> None:
        """Write down where the benchmark is now, if the history was moved since: a run goes on only where it was."""
        path = self.folder / _SETTINGS
        if path.is_file() and read_run(self.folder).settings != self.run.settings:
            write_text(path, tomli_w.dumps(self.run.settings))

    def write(self) -> None:
        """Write the record."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(check_path(self.folder), json.dumps(asdict(self.record), indent=1, ensure_ascii=False) + "\n")


@dataclass(frozen=True)
class Failure:
    """What could not be done the last time, and why."""

    model: str
    release: str
    benchmark: str
    probe: str
    why: str
    day: str


@dataclass(frozen=True)
class WatchHistory:
    """All checks of a watch."""

    folder: Path
    checks: tuple[KeptCheck, ...] = ()
    failures: tuple[Failure, ...] = field(default=())

    def of(
        self, *, model: str | None = None, release: str | None = None, benchmark: str | None = None,
        probe: str | None = None, items_sha256: str | None = None,
    ) -> list[KeptCheck]:  # fmt: skip
        """Return checks that fit, in the order in which they began."""
        wanted = {
            "model": model, "release": release, "benchmark": benchmark, "probe": probe, "items_sha256": items_sha256,
        }  # fmt: skip
        return [
            one
            for one in self.checks
            if all(value is None or getattr(one.record, name) == value for name, value in wanted.items())
        ]


def check_path(folder: Path) -> Path:
    """Return the file of the record of a run folder.

    It lies beside the folder, so that the run can begin in a folder that is empty.
    """
    return folder.parent / f"{folder.name}.{_CHECK}"


def read_history(watch: WatchSettings) -> WatchHistory:
    """Read all that is kept; nothing is written."""
    folder = watch.history_folder
    checks = []
    for path in sorted((folder / "runs").glob(f"*/*.{_CHECK}")):
        try:
            record = CheckRecord(**json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError) as error:
            raise UserError(
                f"{path} is broken ({error}). Delete it and its folder, and run the watch again."
            ) from error
        checks.append(KeptCheck(path.parent / path.name.removesuffix(f".{_CHECK}"), record, folder))
    checks.sort(key=lambda one: one.record.number)
    return WatchHistory(folder, tuple(checks), tuple(_read_failures(folder)))


def write_failures(folder: Path, failures: Iterable[Failure]) -> None:
    """Keep what could not be done, for the status and the page."""
    write_text(folder / _FAILURES, json.dumps([asdict(one) for one in failures], indent=1, ensure_ascii=False) + "\n")


def _read_failures(folder: Path) -> list[Failure]:
    path = folder / _FAILURES
    return [Failure(**row) for row in json.loads(path.read_text(encoding="utf-8"))] if path.is_file() else []
