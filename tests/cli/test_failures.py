"""Commands that fail or are stopped: what they say, as JSON too, and their exit codes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from asof import cli

ROOT_COMMAND = cli.asof


def with_json(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from with_json(inner, (*words, name))
    elif any("--json" in param.opts for param in command.params):
        yield words


COMMANDS = list(with_json(ROOT_COMMAND, ()))


def failed(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["asof", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(str(ended.value.code)), capfd.readouterr().err


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_fails_in_json(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    code, told = failed(monkeypatch, capfd, *words, "--json", "--no-such-option")
    error = json.loads(told.splitlines()[-1])["error"]
    assert code == 2 and error["place"] == "--no-such-option"
    assert error.keys() == {"message", "place", "next"}


def test_there_are_commands_to_try() -> None:
    assert len(COMMANDS) > 25 and ("completion", "rank") in COMMANDS and ("rank",) in COMMANDS


def test_what_a_user_can_mend_has_its_next_command(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    code, told = failed(monkeypatch, capfd, "build", "timestres", "--json")
    error = json.loads(told)["error"]
    assert code == 1 and "Did you mean 'timestress'" in error["message"] and error["next"] == "asof list benchmarks"
    code, told = failed(monkeypatch, capfd, "build", "timestres")
    assert code == 1 and told.startswith("No benchmark is called")


def asof(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "asof", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.mark.slow
def test_build_overwrites_nothing_else_unasked(tmp_path: Path) -> None:
    small = ("build", "timeqa", "--set", "relations=P6", "--to", "quiz", "--limit")
    assert asof(*small, "2", cwd=tmp_path).returncode == 0
    before = (tmp_path / "quiz" / "items.parquet").read_bytes()
    again = asof(*small, "2", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    refused = asof(*small, "3", cwd=tmp_path)
    assert refused.returncode == 1 and "quiz holds another benchmark: timeqa" in refused.stderr
    assert "--overwrite" in refused.stderr and (tmp_path / "quiz" / "items.parquet").read_bytes() == before
    assert asof(*small, "3", "--overwrite", cwd=tmp_path).returncode == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear", encoding="utf-8")
    other = asof("build", "timeqa", "--to", "mine", cwd=tmp_path)
    assert other.returncode == 1 and "mine holds letter.txt" in other.stderr


@pytest.mark.slow
def test_a_stopped_run_says_what_is_kept_and_how_to_resume(tmp_path: Path) -> None:
    assert asof("build", "timeqa", "--set", "relations=P6", "--to", "quiz", cwd=tmp_path).returncode == 0
    command = [sys.executable, "-m", "asof", "run", "quiz", "facts:almanac", "--to", "answers"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    written = tmp_path / "answers" / "predictions.jsonl"
    for _ in range(600):
        if process.poll() is not None or (written.is_file() and written.stat().st_size):
            break
        time.sleep(0.05)
    assert process.poll() is None, "it was done before it could be stopped"
    os.kill(process.pid, signal.SIGINT)
    told = process.communicate(timeout=60)[1]
    assert process.returncode == 130, told
    kept = len(written.read_text(encoding="utf-8").splitlines())
    assert kept
    says = f"Kept in answers: {kept} prediction{'s' * (kept != 1)}. To resume: asof run quiz facts:almanac --to answers"
    assert says in told
    resumed = asof("run", "quiz", "facts:almanac", "--to", "answers", cwd=tmp_path)
    assert resumed.returncode == 0 and len(written.read_text(encoding="utf-8").splitlines()) > kept


@pytest.mark.slow
def test_show_tells_what_a_folder_holds(tmp_path: Path) -> None:
    asof("build", "timeqa", "--set", "relations=P6", "--limit", "2", "--to", "quiz", cwd=tmp_path)
    asof("run", "quiz", "facts:almanac", "--to", "answers", cwd=tmp_path)
    kinds = {}
    for place in ("quiz", "answers", "almanac"):
        about = json.loads(asof("show", place, "--json", cwd=tmp_path).stdout)
        assert about["rows"] and about["counts"] and about["next"][0].startswith("asof ")
        kinds[place] = about["kind"]
    assert kinds == {"quiz": "benchmark", "answers": "run", "almanac": "base"}
    none = asof("show", ".", cwd=tmp_path)
    assert none.returncode == 1 and "it holds answers, quiz" in none.stderr
