"""The example of a workflow: it is YAML, and each of its commands is one of asof with options that exist."""

import re
import shlex
from pathlib import Path

import click
import yaml

from asof.cli import asof
from asof.watches.file import read_watch

DOCS = Path(__file__).parents[2] / "docs"


def test_the_workflow_calls_commands_that_exist() -> None:
    given = yaml.safe_load((DOCS / "watch_workflow.yml").read_text(encoding="utf-8"))
    steps = given["jobs"]["watch"]["steps"]
    commands = [shlex.split(step["run"]) for step in steps if step.get("run", "").startswith("asof")]
    assert [words[2] for words in commands] == ["run", "page"]
    for words in commands:
        assert words[:2] == ["asof", "watch"]
        group = asof.get_command(click.Context(asof), "watch")
        assert isinstance(group, click.Group)
        parsed = group.commands[words[2]].make_context(words[2], words[3:])  # raises at an option that is none
        assert parsed.params["file"] == Path("watch.toml")


def test_the_job_does_not_hide_a_broken_bound() -> None:
    text = (DOCS / "watch_workflow.yml").read_text(encoding="utf-8")
    assert "continue-on-error" not in text and "||" not in text


def test_the_file_in_the_docs_is_a_watch(tmp_path: Path) -> None:
    [shown] = re.findall(r"```toml\n(.*?)```", (DOCS / "watch.md").read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "watch.toml"
    path.write_text(shown, encoding="utf-8")
    watch = read_watch(path)
    assert len(watch.models) == 2 and len(watch.bounds) == 3 and watch.when.every_days == 30


def test_the_docs_name_every_key(tmp_path: Path) -> None:
    from asof.watches.settings import Bound, Schedule, WatchedBenchmark, WatchedModel

    text = (DOCS / "watch.md").read_text(encoding="utf-8")
    for kind in (WatchedModel, WatchedBenchmark, Bound, Schedule):
        for key in kind.__struct_fields__:
            assert re.search(rf"\b{key}\b", text), key
