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

from datetime import date
from pathlib import Path

import msgspec

from asof.timeline import Period

Setting = str | int | float | bool
SETTING_WORDS = {"from": "first", "until": "last", "limit": "facts"}  # as the command calls settings of benchmarks
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
