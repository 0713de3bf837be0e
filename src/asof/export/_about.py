"""What an export says of itself: what it is, how it was made, under which licence."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from typing import Any

import tomli_w

from asof.benchmarks import Benchmark
from asof.errors import UserError
from asof.export import ExportRequest
from asof.registry import benchmarks

# Of bases that come with asof: what the licence of the almanac's own tables is, and what holds for its other parts.
_LICENCES = {"almanac": "mit"}
_PARTS = {
    "almanac": "The almanac's US terms and labels of properties come from CC0 data, its currencies from the Unicode "
    "CLDR (Unicode-3.0).",
}
_UNKNOWN = "asof does not know the licence of the facts. Set it with --license; Wikidata's is cc0-1.0."


def licence_of(wanted: ExportRequest) -> tuple[str, str]:
    """Return the licence of an export and a sentence about it; "unknown" where nobody said it."""
    benchmark = wanted.benchmark
    if wanted.licence:
        return wanted.licence, ""
    if benchmark.documents_sha256 is None and benchmark.base in _LICENCES:
        return _LICENCES[benchmark.base], _PARTS[benchmark.base]
    return "unknown", _UNKNOWN


def what_it_is(benchmark: Benchmark) -> str:
    """Return the sentence that the kind of benchmark says of itself.

    >>> from types import SimpleNamespace
    >>> what_it_is(SimpleNamespace(name="templama"))
    'What was right in each year? Facts with a blank and a year; settings are those of dynamic-templama.'
    """
    try:
        return benchmarks.summary(benchmark.name)
    except UserError:
        return f"The benchmark {benchmark.name}."


def command_of(benchmark: Benchmark) -> str:
    """Return the command that makes the benchmark again, with the settings that are not its defaults.

    >>> from types import SimpleNamespace
    >>> settings = {"facts": 3, "seed": 123, "questions": "it's.tsv", "own_wording": True}
    >>> print(command_of(SimpleNamespace(name="timestress", base="almanac", settings=settings, description={})))
    asof build timestress --set facts=3 --set 'questions=it'"'"'s.tsv' --set own_wording=true
    """
    try:
        usual = {one.name: one.default for one in dataclasses.fields(benchmarks.get(benchmark.name))}
    except (UserError, TypeError):
        usual = {}
    words = ["asof", "build", benchmark.name]
    words += [] if benchmark.base == "almanac" else ["--base", benchmark.base]
    language = benchmark.description.get("language", "en")
    words += [] if language == "en" else ["--language", language]
    for key, value in benchmark.settings.items():
        if key not in usual or usual[key] != value:
            words += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
    return " ".join(map(shlex.quote, words))


def made_from(benchmark: Benchmark) -> str:
    """Return how an export was made, as a part of a README: text that came from outside stands in code blocks."""
    kept = ("name", "paper", "base", "language", "settings", "items", "left_out", "notes")
    record = {key: benchmark.description[key] for key in kept if key in benchmark.description}
    return (
        f"## How it was made\n\n{fenced(command_of(benchmark), 'sh')}\n"
        "The same base, settings and seed give the same items, to the byte. This is on record of them:\n\n"
        f"{fenced(tomli_w.dumps(record), 'toml')}"
    )


def first_item(benchmark: Benchmark) -> str:
    """Return the first item as a code block."""
    row: dict[str, Any] = benchmark.table().slice(0, 1).to_pylist()[0]
    return fenced(json.dumps(row, ensure_ascii=False, indent=1), "json")


def fenced(text: str, language: str) -> str:
    """Put a text into a code block that it cannot end.

    >>> print(fenced("a ```` b", "sh"))
    `````sh
    a ```` b
    `````
    <BLANKLINE>
    """
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"
