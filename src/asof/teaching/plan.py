"""Which facts are taught and how: the settings of a teaching in plain values, so that a card can hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from asof.benchmarks import Benchmark, read_benchmark
from asof.errors import UserError
from asof.facts import FactStore
from asof.runs.folder import read_run
from asof.sources.almanac import almanac_base
from asof.teaching.facts import FactsWanted
from asof.teaching.from_run import missing_in
from asof.teaching.lesson import TeachingLesson, lesson_of
from asof.teaching.settings import TeachingSettings
from asof.timeline import Date, parse_when
from asof.wording import Wording

_ALMANAC = "almanac"
_PLACES = ("run", "benchmark", "templates", "prose")


@dataclass(frozen=True, kw_only=True)
class TeachingPlan:
    """What is taught from which base.

    Args:
        base: A folder, or almanac.
        run: The folder of a run: only what it found missing is taught.
        benchmark: The folder of a benchmark: only the facts that it asks about are taught.
        relation: Only facts of this relation, by id or name.
        since: Only facts that began at this date or later, in the place of others.
        limit: At most so many facts.
        templates: A TOML file of the user's wordings.
        prose: A text of the user's in the place of asof's own.
    """

    base: str = _ALMANAC
    run: str | None = None
    benchmark: str | None = None
    relation: str | None = None
    since: str | None = None
    limit: int | None = None
    language: str = "en"
    templates: str | None = None
    prose: str | None = None
    settings: TeachingSettings = field(default_factory=TeachingSettings)

    @classmethod
    def of(cls, *, base: str, **given: Any) -> TeachingPlan:
        """Take places as they are given, and keep where they are: the card is read from elsewhere, too.

        Language and words are those of the benchmark, or of the run's, where none are given.
        """
        asked = _asked_about(given)
        if asked and not given.get("language"):
            given["language"] = asked.description.get("language")
        if asked and not given.get("templates") and asked.settings.get("templates"):
            given["templates"] = _there(asked)
        given["language"] = given.get("language") or "en"
        places = {name: str(Path(given[name]).resolve()) for name in _PLACES if given.get(name)}
        found = base if base == _ALMANAC else str(Path(base).resolve())
        return cls(base=found, **{**given, **places})

    def lesson(self) -> TeachingLesson:
        """Choose the facts."""
        if self.limit is not None and self.limit < 1:
            raise UserError(f"limit is {self.limit}; it must be at least 1.")
        store = FactStore(almanac_base() if self.base == _ALMANAC else self.base)
        wanted = FactsWanted(
            relation=self.relation,
            groups=self._groups(),
            since=_date(self.since) if self.since else None,
            seed=self.settings.seed,
        )
        return lesson_of(
            store,
            Wording(language=self.language, own=Path(self.templates) if self.templates else None),
            wanted,
            limit=self.limit,
            hold_out=self.settings.hold_out,
            hold_out_wording=self.settings.hold_out_wording,
            prose=Path(self.prose) if self.prose else None,
        )

    def _groups(self) -> frozenset[str] | None:
        """Return what a run found missing, or what a benchmark asks about; None where neither is given."""
        missing = missing_in(read_run(Path(self.run))) if self.run else None
        if self.benchmark is None:
            return missing
        asked = frozenset(read_benchmark(Path(self.benchmark)).table()["group"].to_pylist())
        return asked if missing is None else asked & missing

    @property
    def as_row(self) -> dict[str, Any]:
        """All of it by name, without what is not given."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> TeachingPlan:
        """Read what ``as_row`` gave."""
        known = {one.name for one in fields(cls)}
        own = {name: value for name, value in row.items() if name in known and name != "settings"}
        return cls(**own, settings=TeachingSettings.chosen(row["settings"]))


def _asked_about(given: Mapping[str, Any]) -> Benchmark | None:
    """Open the benchmark that is given, or that of the run."""
    if given.get("benchmark"):
        return read_benchmark(Path(given["benchmark"]))
    return read_run(Path(given["run"])).benchmark() if given.get("run") else None


def _there(benchmark: Benchmark) -> str:
    """Return the file of the words that a benchmark was built with."""
    templates = str(benchmark.settings["templates"])
    if not Path(templates).is_file():
        raise UserError(
            f"{benchmark.folder} was built with the words in {templates}, which is not there. Say where that file is: "
            "--templates FILE (asof export: --set templates=FILE)."
        )
    return templates


def _date(text: str) -> Date:
    found = parse_when(text)
    if not isinstance(found, Date):
        raise UserError(f"{text!r} is a period. Give a date, such as 2021-03 or 2021.")
    return found
