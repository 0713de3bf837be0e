"""``--limit`` counts what its help says."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from asof.benchmarks import read_benchmark
from asof.cli import asof

UNITS = {
    "ask": "answers", "build": "facts", "check": "rows", "complete": "proposals", "completion complete": "proposals",
    "diff": "rows", "facts": "rows",
    "list": "rows", "query": "answers", "relations": "rows",
    "readers consistency": "questions", "readers train": "questions", "run": "facts", "teach": "facts",
    "watch run": "facts",
}  # fmt: skip


def limits(group: click.Group, name: str = "") -> Iterator[tuple[str, str]]:
    """Find every command with a limit, and what its help says."""
    context = click.Context(group)
    for verb in group.list_commands(context):
        command = group.get_command(context, verb)
        if isinstance(command, click.Group):
            yield from limits(command, f"{name}{verb} ")
        for option in command.params if command else []:
            if isinstance(option, click.Option) and "--limit" in option.opts:
                yield name + verb, option.help or ""


def test_every_limit_says_what_it_counts() -> None:
    found = dict(limits(asof))
    assert found.keys() == UNITS.keys()
    for name, help in found.items():
        assert re.search(rf"at most this many (easy )?{UNITS[name]}\b", help, re.IGNORECASE), (name, help)


@pytest.mark.parametrize("benchmark", ["timestress", "dynamic-templama", "templama", "timeqa", "lama-tk"])
def test_build_counts_facts_or_pairs_of_subject_and_relation(benchmark: str, tmp_path: Path) -> None:
    folder = tmp_path / benchmark
    ran = CliRunner().invoke(asof, ["build", benchmark, "--limit", "2", "--to", str(folder)])
    assert ran.exit_code == 0, ran.output
    groups = {item.group for item in read_benchmark(folder).items()}
    pairs = benchmark in dict(limits(asof))["build"]
    assert len(groups) == 2
    assert all(("|" in group) == (pairs and benchmark != "lama-tk") for group in groups)
    asked = list(read_benchmark(folder).items(limit=1))
    assert len({item.group for item in asked}) == 1 and len(asked) > 1


def test_rows_are_rows() -> None:
    shown = CliRunner().invoke(asof, ["facts", "--subject", "Italy", "--limit", "3", "--json"])
    assert shown.exit_code == 0 and len(shown.stdout.splitlines()) == 3
