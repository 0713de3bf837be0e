"""The state of a watch: a row for each check, and the summaries that a build server shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any
from xml.etree import ElementTree

from asof.watches.bounds import BoundVerdict, verdicts
from asof.watches.history import Failure, WatchHistory, read_history
from asof.watches.outcomes import Outcome, Track, tracks_of
from asof.watches.planning import Plan, PlannedCheck
from asof.watches.settings import WatchSettings

SHOWN = ("model", "benchmark", "probe", "state", "done", "facts", "cutoff", "score")
_SCORES_SHOWN = 1


@dataclass(frozen=True)
class WatchStatus:
    """What is kept, what it came to, what is due, and whether the bounds hold."""

    watch: WatchSettings
    history: WatchHistory
    plan: Plan

    @cached_property
    def tracks(self) -> list[Track]:
        """The results by model, benchmark and probe."""
        return tracks_of(self.watch, self.history)

    @cached_property
    def verdicts(self) -> list[BoundVerdict]:
        """Every bound for every model."""
        return verdicts(self.watch, self.tracks)

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What could not be done in the last session."""
        return self.history.failures

    @property
    def broken(self) -> list[BoundVerdict]:
        """The bounds that do not hold."""
        return [one for one in self.verdicts if one.state == "broken"]

    @property
    def unknown(self) -> list[BoundVerdict]:
        """The bounds that cannot be judged."""
        return [one for one in self.verdicts if one.state == "unknown"]

    @property
    def exit_code(self) -> int:
        """0: all was done and all bounds hold; 1: something could not be done; 3: a bound is broken."""
        return 3 if self.broken else 1 if self.failures or self.unknown else 0

    def outcome(self, planned: PlannedCheck) -> Outcome | None:
        """Return the result of a check, None where there is none yet."""
        if planned.newest is None:
            return None
        found = [
            one
            for track in self.tracks
            if (track.model, track.benchmark, track.probe)
            == (planned.model.name, planned.benchmark.name, planned.probe.name)
            for one in track.outcomes
        ]
        return next((one for one in found if one.kept.record.release == planned.newest.record.release), None)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each check."""
        return [self._row(planned) for planned in self.plan.checks]

    def _row(self, planned: PlannedCheck) -> dict[str, Any]:
        outcome, kept = self.outcome(planned), planned.newest
        failure = next((one.why for one in self.failures if _is_of(one, planned)), None)
        state = planned.broken or (f"due: {planned.due}" if planned.due else "retired" if planned.model.retired else "")
        results = list(outcome.results.items()) if outcome else []
        scores = [f"{name} {result}" for name, result in results[:_SCORES_SHOWN]]
        return {
            "model": planned.title,
            "benchmark": planned.benchmark.name,
            "probe": planned.probe.name,
            "state": state or "up to date",
            "done": kept.record.done if kept else None,
            "facts": max((result.facts for _, result in results), default=None),
            "cutoff": _cutoff(outcome),
            "score": ", ".join(scores) or None,
            "asked": kept.record.asked if kept else None,
            "reused": kept.record.reused if kept else None,
            "due": planned.due or None,
            "failure": failure or planned.broken or None,
            "run": str(kept.folder) if kept else None,
        }

    def markdown(self) -> str:
        """Return a summary for the page of a build."""
        lines = [f"## {self.watch.title}", "", self.headline, ""]
        if self.verdicts:
            lines += _table([one.as_row() for one in self.verdicts], ("state", "model", "benchmark", "bound", "told"))
        lines += _table(self.rows(), ("model", "benchmark", "probe", "cutoff", "score", "done", "state"))
        lines += [f"* {one.model} {one.release} on {one.benchmark}: {_in_line(one.why)}" for one in self.failures]
        return "\n".join(lines) + "\n"

    @property
    def headline(self) -> str:
        """Say in a sentence how things stand."""
        bounds = len(self.verdicts)
        parts = []
        if self.broken:
            parts.append(f"{len(self.broken)} of {_counted(bounds, 'bound')} {_are(len(self.broken))} broken")
        elif self.unknown:
            parts.append(f"{len(self.unknown)} of {_counted(bounds, 'bound')} cannot be judged")
        elif bounds:
            parts.append("all bounds hold" if bounds > 1 else "the bound holds")
        if self.failures:
            parts.append(f"{_counted(len(self.failures), 'check')} could not be done")
        due = [one for one in self.plan.checks if one.due]
        parts.append(f"{_counted(len(due), 'check')} {_are(len(due))} due" if due else "nothing is due")
        told = ", ".join(parts)
        return f"{told[0].upper()}{told[1:]}."

    def junit(self) -> str:
        """Return a test case for each bound and for each check, as build servers read them."""
        suite = ElementTree.Element("testsuite", name=self.watch.title)
        failed = errors = 0
        for one in self.verdicts:
            case = ElementTree.SubElement(
                suite, "testcase", classname=f"bounds.{one.bound.benchmark}", name=f"{one.title}: {one.bound}"
            )
            if one.state == "broken":
                failed += 1
                ElementTree.SubElement(case, "failure", message=one.told)
            elif one.state == "unknown":
                errors += 1
                ElementTree.SubElement(case, "error", message=one.told)
            else:
                ElementTree.SubElement(case, "system-out").text = one.told
        for planned in self.plan.checks:
            named = f"{planned.title} on {planned.benchmark.name} with {planned.probe.name}"
            case = ElementTree.SubElement(suite, "testcase", classname="checks", name=named)
            why = next((failure.why for failure in self.failures if _is_of(failure, planned)), planned.broken)
            if why:
                errors += 1
                ElementTree.SubElement(case, "error", message=why)
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(failed))
        suite.set("errors", str(errors))
        ElementTree.indent(suite)
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def watch_status(watch: WatchSettings, *, today: date | None = None, limit: int | None = None) -> WatchStatus:
    """Read how a watch stands; no model is opened, and nothing is written."""
    history = read_history(watch)
    return WatchStatus(watch, history, Plan(watch, history, today=today or date.today(), limit=limit))


def _is_of(failure: Failure, planned: PlannedCheck) -> bool:
    asked = planned.model.name, planned.release, planned.benchmark.name, planned.probe.name
    return (failure.model, failure.release, failure.benchmark, failure.probe) == asked


def _cutoff(outcome: Outcome | None) -> str | None:
    cutoff = outcome.cutoff if outcome else None
    if outcome is None or cutoff is None:
        return None
    told = outcome.told_cutoff
    return f"{told.text} [{told.span}]" if cutoff.best else told.text


def _table(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> list[str]:
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [f"| {' | '.join(_in_line(row[name]) for name in columns)} |" for row in rows]
    return [*lines, ""]


def _in_line(value: object) -> str:
    text = "" if value is None else str(value)
    return text.replace("\n", " ").replace("|", "\\|").replace("<", "&lt;")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
