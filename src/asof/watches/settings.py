"""``watch.toml``: which releases of which models are asked what, when, and what must hold.

    [[model]]
    name = "assistant"
    location = "models/assistant-2.1"      # as asof run takes it
    release = "2.1"
    released = 2026-10-01

    [[benchmark]]
    name = "changes"
    build = "dynamic-templama"
    settings = {first = "2022", last = "last quarter"}

    [[bound]]
    benchmark = "changes"
    cutoff_not_older_than = "2025-Q1"

Places in it are seen from the folder of the file. What is not known is an error with a guess.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from asof import registry
from asof.errors import UserError, did_you_mean
from asof.probes import types_of_settings
from asof.timeline import Period

Setting = str | int | float | bool
SETTING_WORDS = {"from": "first", "until": "last", "limit": "facts"}  # as the command calls settings of benchmarks
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_BOUNDS = ("cutoff_not_older_than", "at_least", "at_most", "worse_by_at_most")


class WatchedModel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One release of a model; releases of one name are compared with each other.

    Attributes:
        location: As ``asof run`` takes it.
        released: The day of the release; without it the order of the file counts.
        settings: How the model is opened.
        moving: Whether another model may stand behind the location tomorrow, as behind many addresses: then each
            date of the schedule asks anew, and counts as a release of its own.
        retired: Whether it can no longer be asked: its results stay.
    """

    name: str
    location: str
    release: str = ""
    released: date | None = None
    settings: dict[str, Setting] = {}
    benchmarks: tuple[str, ...] = ()
    moving: bool = False
    retired: bool = False

    @property
    def title(self) -> str:
        """Name and release."""
        return title_of(self.name, self.release)


class ProbeSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A probe with settings of its own."""

    name: str
    settings: dict[str, Setting] = {}


class WatchedBenchmark(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What models are asked: a folder that was built, or a recipe, from which new facts make new items.

    Attributes:
        probes: By default the one that the benchmark declares.
        limit: Ask about so many facts at most, the most popular first.
    """

    name: str
    folder: str = ""
    build: str = ""
    base: str = "almanac"
    language: str = "en"
    settings: dict[str, Setting] = {}
    probes: tuple[str | ProbeSettings, ...] = ()
    limit: int | None = None

    def __post_init__(self) -> None:
        """Refuse what is neither a folder nor a recipe, or both."""
        if bool(self.folder) == bool(self.build):
            raise ValueError("give either folder, a benchmark that was built, or build, the name of one to make")
        if self.folder and self.settings:
            raise ValueError("settings are for build; a folder has its own")
        if self.limit is not None and self.limit < 1:
            raise ValueError(f"limit = {self.limit} leaves nothing to ask; give 1 or more")

    @property
    def asked_with(self) -> tuple[ProbeSettings, ...]:
        """The probes with their settings; one without a name is the benchmark's own."""
        named = [ProbeSettings(name=one) if isinstance(one, str) else one for one in self.probes]
        return tuple(named) or (ProbeSettings(name=""),)


class Bound(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must hold for the newest release of each model.

    Attributes:
        worse_by_at_most: How much worse than the release before, paired by fact.
        strict: Whether the estimate itself counts; otherwise a bound is broken when the whole 95 % interval is beyond.
    """

    benchmark: str
    models: tuple[str, ...] = ()
    probe: str = ""
    metric: str = ""
    cutoff_not_older_than: str | None = None
    at_least: float | None = None
    at_most: float | None = None
    worse_by_at_most: float | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        """Refuse a bound that says nothing, or two things."""
        given = [name for name in _BOUNDS if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"a bound says one thing: give one of {', '.join(_BOUNDS)}")
        if self.cutoff_not_older_than is not None:
            Period.parse(self.cutoff_not_older_than)
        if bool(self.metric) == (self.cutoff_not_older_than is not None):
            raise ValueError("name the metric" if not self.metric else "a cutoff has no metric; leave it out")
        if self.worse_by_at_most is not None and self.worse_by_at_most < 0:
            raise ValueError(f"worse_by_at_most = {self.worse_by_at_most} is below zero")

    def __str__(self) -> str:
        if self.cutoff_not_older_than is not None:
            return f"knowledge cutoff not older than {self.cutoff_not_older_than}"
        if self.worse_by_at_most is not None:
            return f"{self.metric} worse than the release before by at most {self.worse_by_at_most:g}"
        return (
            f"{self.metric} at least {self.at_least:g}"
            if self.at_most is None
            else f"{self.metric} at most {self.at_most:g}"
        )


class Schedule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When models are asked beside their release.

    Attributes:
        new_facts: When the base of a recipe has changed, or its settings mean another time ("last quarter").
        every_days: When the last time was so many days ago.
        on: On these days, or the first time after them.
    """

    new_facts: bool = True
    every_days: int | None = None
    on: tuple[date, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a schedule without an end."""
        if self.every_days is not None and self.every_days < 1:
            raise ValueError(f"every_days = {self.every_days}: give 1 or more")


class WatchSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of ``watch.toml``; ``path`` is where it was read from."""

    models: tuple[WatchedModel, ...] = msgspec.field(name="model")
    benchmarks: tuple[WatchedBenchmark, ...] = msgspec.field(name="benchmark")
    bounds: tuple[Bound, ...] = msgspec.field(name="bound", default=())
    when: Schedule = Schedule()
    title: str = "Are our models out of date?"
    history: str = "watch-history"
    path: Path = Path()

    @property
    def history_folder(self) -> Path:
        """The folder of everything that is kept."""
        return self.path.parent / self.history

    def place(self, text: str) -> str:
        """Return a place as it is seen from the folder of the file, where there is something; any other as it is.

        ``gguf:models/a.gguf`` is a place after its kind.
        """
        kind, colon, rest = text.partition(":")
        for before, inside in (("", text), (f"{kind}:", rest)):
            if inside and (before == "" or colon) and (self.path.parent / inside).exists():
                return before + str((self.path.parent / inside).resolve())
        return text

    def benchmarks_of(self, model: WatchedModel) -> list[WatchedBenchmark]:
        """Return what a model is asked."""
        return [one for one in self.benchmarks if not model.benchmarks or one.name in model.benchmarks]


def title_of(name: str, release: str) -> str:
    """Return what a release is called.

    >>> title_of("assistant", "2.1"), title_of("assistant", "")
    ('assistant 2.1', 'assistant')
    """
    return f"{name} {release}" if release else name


def read_watch(path: Path) -> WatchSettings:
    """Read a file, or say what is wrong with it and where."""
    if not path.is_file():
        raise UserError(f"{path} does not exist. Write an example with: asof watch init {path}")
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error
    try:
        read = msgspec.structs.replace(msgspec.convert(given, WatchSettings, strict=True), path=path)
    except (msgspec.ValidationError, UserError) as error:
        raise UserError(f"{path}, {_mistake(str(error), given)}") from error
    _check(read)
    return read


_KINDS: dict[str, type[msgspec.Struct]] = {
    "model": WatchedModel, "benchmark": WatchedBenchmark, "bound": Bound, "when": Schedule, "": WatchSettings,
    "probes": ProbeSettings,
}  # fmt: skip


def _mistake(message: str, given: Mapping[str, Any]) -> str:
    """Say in words where a mistake is, and what may have been meant: msgspec writes $.model[2].relase."""
    told, _, where = message.partition(" - at `$")
    steps = re.match(r"\.(\w+)(?:\[(\d+)\])?(?:\.(\w+)(?:\[\.*\d*\])?)?", where)
    table = steps[1] if steps else ""
    unknown = re.match(r"Object contains unknown field `([^`]*)`", told)
    if unknown:
        kind = _KINDS["probes" if steps and steps[3] == "probes" else table]
        known = [one for one in kind.__struct_encode_fields__ if one != "path"]
        told = f"{unknown[1]!r} is not known.{did_you_mean(unknown[1], known)} Known: {', '.join(known)}"
    missing = re.match(r"Object missing required field `([^`]*)`", told)
    if missing:
        example = f" Write at least one [[{missing[1]}]]" if table == "" else ""
        told = f"{missing[1]!r} is missing.{example}"
    if not steps:
        return f"at the top: {told.rstrip('.')}."
    entries = given.get(table)
    entry = entries[int(steps[2])] if steps[2] and isinstance(entries, list) else {}
    named = f" ({entry['name']!r})" if isinstance(entry, dict) and "name" in entry else ""
    number = f" {int(steps[2]) + 1}{named}" if steps[2] else ""
    inside = f", {steps[3]}" if steps[3] else ""
    return f"{table}{number}{inside}: {told.rstrip('.')}."


def _check(read: WatchSettings) -> None:
    """See that names are names, none stands twice, and what is named exists."""
    if not read.models or not read.benchmarks:
        raise UserError(f"{read.path} names no {'benchmark' if read.models else 'model'}. Write at least one.")
    releases = [one.release for one in read.models if one.release]
    for text in [*(one.name for one in read.models), *releases, *(one.name for one in read.benchmarks)]:
        if not _NAME.fullmatch(text):
            raise UserError(
                f"{read.path}: {text!r} cannot be the name of a folder. Use letters, digits, '.', '_' and '-'."
            )
    _refuse_twice(read.path, "model", [one.title for one in read.models])
    _refuse_twice(read.path, "benchmark", [one.name for one in read.benchmarks])
    benchmarks, models = [one.name for one in read.benchmarks], [one.name for one in read.models]
    for model in read.models:
        _known(read.path, f"model {model.title!r}", "benchmark", model.benchmarks, benchmarks)
    for number, bound in enumerate(read.bounds, start=1):
        _known(read.path, f"bound {number}", "benchmark", [bound.benchmark], benchmarks)
        _known(read.path, f"bound {number}", "model", bound.models, models)
        named = next(one for one in read.benchmarks if one.name == bound.benchmark)
        if bound.probe and named.probes:
            _known(read.path, f"bound {number}", "probe", [bound.probe], [one.name for one in named.asked_with])
    for benchmark in read.benchmarks:
        _check_benchmark(read.path, benchmark)


def _check_benchmark(path: Path, benchmark: WatchedBenchmark) -> None:
    checked = [
        (probe.name, probe.settings, list(types_of_settings(probe.name)))
        for probe in benchmark.asked_with
        if probe.name
    ]
    if benchmark.build:
        own = [one.name for one in fields(registry.benchmarks.get(benchmark.build))]
        more = [word for word, name in SETTING_WORDS.items() if name in own]
        checked.append((benchmark.build, benchmark.settings, [*own, *more]))
    for what, settings, known in checked:
        for name in settings:
            if name not in known:
                raise UserError(
                    f"{path}, benchmark {benchmark.name!r}: {what} has no setting {name!r}."
                    f"{did_you_mean(name, known)} It has: {', '.join(known)}."
                )


def _known(path: Path, where: str, what: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise UserError(
                f"{path}, {where}: no {what} is called {name!r}.{did_you_mean(name, known)} "
                f"Known: {', '.join(dict.fromkeys(known))}."
            )


def _refuse_twice(path: Path, what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"{path}: two entries are called {what} {name!r}. Give each release a name of its own.")
