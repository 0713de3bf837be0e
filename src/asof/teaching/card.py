"""The card of a model that was taught: which facts, how, what was held out, and what it knew before and after."""

from __future__ import annotations

import json
import platform
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from asof import __version__
from asof.errors import UserError
from asof.facts.manifest import sha256_of
from asof.json_numbers import json_numbers
from asof.teaching.measurement import Measurement, before_and_after

if TYPE_CHECKING:
    from asof.teaching.lesson import TeachingLesson
    from asof.teaching.plan import TeachingPlan

CARD, README, MEASURED, LOG = "teaching.toml", "README.md", "measured.json", "teaching.jsonl"
_FORMAT = "taught 1"
_PACKAGES = ("torch", "transformers", "peft")
_SHOWN = 200  # facts in README.md; teaching.toml has all


@dataclass(frozen=True)
class TaughtFolder:
    """A model that was taught, and its card."""

    folder: Path
    card: dict[str, Any]

    @cached_property
    def _measured(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads((self.folder / MEASURED).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UserError(f"{self.folder / MEASURED} could not be read: {error}. Teach the model again.") from error
        return found

    @property
    def before(self) -> Measurement:
        """What the original knew."""
        return Measurement.of_row(self._measured["before"])

    @property
    def after(self) -> Measurement:
        """What the model knows."""
        return Measurement.of_row(self._measured["after"])

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each measure, before and after."""
        return before_and_after(self.before, self.after)


def is_taught(folder: Path) -> bool:
    """Tell whether a folder holds a model that asof teach made, or has begun to make."""
    return any((folder / name).is_file() for name in (CARD, LOG))


def open_taught(folder: Path) -> TaughtFolder:
    """Open the card of a model."""
    path = folder / CARD
    if not path.is_file():
        unfinished = (folder / LOG).is_file()
        how = "Repeat the same 'asof teach' command to resume." if unfinished else "Make one with: asof teach MODEL"
        what = "is not taught to the end" if unfinished else f"has no {CARD}, so asof teach did not make it"
        raise UserError(f"{folder} {what}. {how}")
    try:
        card = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path} is broken ({error}). Teach the model again.") from error
    if card.get("format") != _FORMAT:
        raise UserError(f"{path} has the format {card.get('format')!r}, not {_FORMAT!r}. Update asof.")
    return TaughtFolder(folder, card)


def card_text(
    folder: Path,
    plan: TeachingPlan,
    lesson: TeachingLesson,
    identity: Mapping[str, Any],
    taught: Mapping[str, Any],
    before: Measurement,
    after: Measurement,
) -> str:
    """Write the card for programs."""
    rows = [json_numbers(row) for row in before_and_after(before, after)]
    return tomli_w.dumps(
        {
            "format": _FORMAT,
            "identity": dict(identity),
            "plan": plan.as_row,
            "training": dict(taught),
            "held_out": _held_out(lesson),
            "left_out": lesson.left_out,
            "versions": _versions(),
            "files": {path.name: sha256_of(path) for path in sorted(folder.iterdir()) if path.is_file()},
            "results": [{name: value for name, value in row.items() if value is not None} for row in rows],
            "facts": [_fact(lesson, number) for number in range(len(lesson.taught))],
        }
    )


def _fact(lesson: TeachingLesson, number: int) -> dict[str, Any]:
    pool = lesson.taught[number]
    own = {"id": pool.fact.id, "fact": pool.fact.in_names, "questions": list(lesson.questions(pool.fact))}
    held = lesson.held_out_question(pool.fact)
    return own | ({"held_out_question": held} if held else {}) | {"odd_years_held_out": pool.spares_years}


def _held_out(lesson: TeachingLesson) -> dict[str, Any]:
    return {
        "years": lesson.hold_out,
        "facts_with_odd_years_held_out": sum(pool.spares_years for pool in lesson.taught),
        "facts_with_a_wording_held_out": sum(bool(lesson.held_out_question(pool.fact)) for pool in lesson.taught),
        "facts_not_taught": [pool.fact.id for pool in lesson.others],
    }


def _versions() -> dict[str, str]:
    found = {"asof": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def readme_text(
    plan: TeachingPlan,
    lesson: TeachingLesson,
    identity: Mapping[str, Any],
    taught: Mapping[str, Any],
    before: Measurement,
    after: Measurement,
) -> str:
    """Write the card for people."""
    settings = plan.settings
    kind = "all weights but the embeddings" if settings.whole else f"LoRA of rank {settings.rank}"
    held = sum(pool.spares_years for pool in lesson.taught)
    lines = [
        f"# {identity['model']}, taught {len(lesson.taught):,} facts of {lesson.base}",
        "",
        f"Made by asof {__version__} with the objective `{settings.objective}` ({kind}): {taught['steps']:,} steps, "
        f"{taught['seconds'] / 60:.1f} minutes ({taught['cpu_seconds'] / 60:.1f} of the processor), seed "
        f"{settings.seed}, computed in {identity['dtype']}.",
        "",
        _held_in_words(held, len(lesson.taught), plan),
        "",
        "| measure | before | after | difference | n |",
        "|---|---|---|---|---|",
        *(_line(row) for row in before_and_after(before, after)),
        "",
        "95 % intervals by fact (of perplexity by passage). Facts not taught are "
        f"{len(lesson.others):,} that were neither taught nor used to stay close to the original.",
        "",
        "## Facts taught",
        "",
        *(f"* {pool.fact.in_names}" for pool in lesson.taught[:_SHOWN]),
    ]
    if len(lesson.taught) > _SHOWN:
        lines.append(f"* and {len(lesson.taught) - _SHOWN:,} more, all in {CARD}")
    return "\n".join([*lines, ""])


def _held_in_words(held: int, facts: int, plan: TeachingPlan) -> str:
    years = f"Odd years were held out of {held:,} of {facts:,} facts" if held else "No years were held out"
    wording = "the last wording of each question" if plan.settings.hold_out_wording else "no wording"
    return f"{years}, and {wording}: their rows below show what carries over."


def _line(row: Mapping[str, Any]) -> str:
    before = f"{row['before']:.3f} [{row['before_low']:.3f}, {row['before_high']:.3f}]"
    after = f"{row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
    return f"| {row['metric']} | {before} | {after} | {row['difference']:+.3f} | {row['facts']} |"
