"""``watch.toml`` read: what is wrong with it is told with its place, and what may have been meant."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec

from asof import registry
from asof.errors import UserError, did_you_mean
from asof.probes import types_of_settings
from asof.watches.settings import (
    SETTING_WORDS,
    Bound,
    ProbeSettings,
    Schedule,
    WatchedBenchmark,
    WatchedModel,
    WatchSettings,
)  # fmt: skip

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def read_watch(path: Path) -> WatchSettings:
    """Read a file, or say what is wrong with it and where."""
    if not path.is_file():
        raise UserError(f"{path} does not exist. Write an example with: asof watch init {path}")
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error
    try:
        read = msgspec.structs.replace(msgspec.convert(_with_rows(given), WatchSettings, strict=True), path=path)
    except (msgspec.ValidationError, UserError) as error:
        raise UserError(f"{path}, {_mistake(str(error), given)}") from error
    _check(read)
    return read


def _with_rows(given: Any) -> Any:
    """Write a list among settings as --set has it: relations = ["mayor", "owner"] is "mayor,owner"."""
    if isinstance(given, list):
        return [_with_rows(one) for one in given]
    if not isinstance(given, dict):
        return given
    return {name: _in_rows(value) if name == "settings" else _with_rows(value) for name, value in given.items()}


def _in_rows(settings: Any) -> Any:
    if not isinstance(settings, dict):
        return settings
    return {
        name: ",".join(map(str, value))
        if isinstance(value, list) and all(isinstance(one, str | int) for one in value)
        else value
        for name, value in settings.items()
    }


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
