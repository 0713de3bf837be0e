"""Benchmarks and runs at s3://: built, run, stopped, gone on with on another machine, read and scored there."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from asof.benchmarks import read_benchmark
from asof.cli import asof as command
from asof.errors import UserError
from asof.places import folders
from asof.places.folders import kept_at, local_folder
from asof.probes import open_probe
from asof.runs.folder import read_run
from asof.runs.runner import run
from tests.places.s3_server import S3, forget_connections

BENCHMARK, RUN = "s3://bucket/timeqa", "s3://bucket/runs/facts"


class SaysAnn:
    """A model that says the same to everything."""

    name, can = "says-ann", frozenset({"write"})

    def describe(self) -> dict[str, str]:
        return {"kind": "says-ann"}

    def write(self, prompts: Sequence[str], *, most_tokens: int, stop: Sequence[str] = ()) -> list[str]:
        return ["Ann" for _ in prompts]


def ran(*words: str | Path) -> Result:
    done = CliRunner().invoke(command, [str(word) for word in words])
    assert done.exit_code == 0, (done.output, done.exception)
    return done


@pytest.mark.slow
def test_a_benchmark_and_a_run_live_there(s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran("build", "timestress", "--to", BENCHMARK, "--limit", "3")
    ran("build", "timestress", "--to", tmp_path / "here", "--limit", "3")
    assert s3.names("timeqa/") == [
        f"timeqa/{name}" for name in sorted(one.name for one in (tmp_path / "here").iterdir())
    ]
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "machine 2"))
    forget_connections()
    assert read_benchmark(Path(BENCHMARK)).items_sha256 == read_benchmark(tmp_path / "here").items_sha256
    assert "timestress" in ran("show", BENCHMARK).output
    with kept_at(Path(RUN)) as folder:
        done = run(read_benchmark(Path(BENCHMARK)), SaysAnn(), folder, probe=open_probe("write-answer"), limit=5)
    assert done.settings["benchmark"] == BENCHMARK  # for every machine
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "machine 3"))
    forget_connections()
    found = read_run(Path(RUN))
    assert found.predictions() == done.predictions() != {}
    assert found.benchmark().items_sha256 == read_benchmark(tmp_path / "here").items_sha256
    assert ran("score", RUN, "--json").output


def test_work_that_is_stopped_is_brought_back_and_gone_on_with(
    s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Path(RUN)
    with pytest.raises(KeyboardInterrupt), kept_at(place) as folder:
        (folder / "settings.toml").write_text('probe = "write-answer"\n', encoding="utf-8")
        (folder / "predictions.jsonl").write_text('{"id": "1", "text": "x"}\n', encoding="utf-8")
        raise KeyboardInterrupt
    assert s3.names("runs/") == ["runs/facts/predictions.jsonl", "runs/facts/settings.toml"]
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "machine 2"))
    forget_connections()
    assert read_run(place).rows() == {"1": {"text": "x"}}
    with kept_at(place) as folder:
        with (folder / "predictions.jsonl").open("a", encoding="utf-8") as file:
            file.write('{"id": "2", "text": "y"}\n')
        (folder / "settings.toml").unlink()
        with (
            pytest.raises(UserError, match="Another asof process on this machine works with s3://bucket/runs/facts"),
            kept_at(place),
        ):
            pass
    assert s3.names("runs/") == ["runs/facts/predictions.jsonl"]
    assert [json.loads(line)["id"] for line in s3.content("runs/facts/predictions.jsonl").splitlines()] == ["1", "2"]


def test_work_that_was_cut_off_is_gone_on_with_unless_somebody_else_has_written(
    s3: S3, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place, told = Path(RUN), list[str]()
    s3.put("runs/facts/settings.toml", b"a = 1")
    monkeypatch.setattr("asof.places.news._listeners", [told.append])

    def no_power(*_: object) -> None:
        raise SystemExit

    def cut_off(text: str) -> None:
        with monkeypatch.context() as patch, pytest.raises(SystemExit):
            patch.setattr(folders, "_take_back", no_power)
            with kept_at(place) as folder:
                (folder / "predictions.jsonl").write_text(text, encoding="utf-8")

    cut_off("one")
    with kept_at(place) as folder:
        assert (folder / "predictions.jsonl").read_text(encoding="utf-8") == "one"
    assert s3.content("runs/facts/predictions.jsonl") == b"one"
    cut_off("two")
    s3.put("runs/facts/predictions.jsonl", b"of somebody else")
    with kept_at(place) as folder:
        assert (folder / "predictions.jsonl").read_bytes() == b"of somebody else"
    assert "Work that did not get to s3://bucket/runs/facts is kept in" in told[-2]
    assert (folder.with_name("facts-unsent-1") / "predictions.jsonl").read_text(encoding="utf-8") == "two"
    with (
        pytest.raises(
            UserError, match=r"Somebody else has written to s3://bucket/runs/facts in the meantime.*unsent-2"
        ),
        kept_at(place) as folder,
    ):
        (folder / "predictions.jsonl").write_text("three", encoding="utf-8")
        s3.put("runs/facts/settings.toml", b"a = 2")
    assert s3.content("runs/facts/predictions.jsonl") == b"of somebody else"
    assert (folder.with_name("facts-unsent-2") / "predictions.jsonl").read_text(encoding="utf-8") == "three"


def test_a_folder_that_is_not_there(s3: S3) -> None:
    with pytest.raises(UserError, match=r"s3://bucket/nothing does not exist, or is empty"):
        local_folder("s3://bucket/nothing")
    s3.put("bad/../../evil", b"x")
    with pytest.raises(UserError, match=r"has a file called '\.\./\.\./evil', which would lie outside its folder"):
        local_folder("s3://bucket/bad")
    with pytest.raises(UserError, match="there is no bucket 'bukket'"):
        local_folder("s3://bukket/nothing")
    with pytest.raises(UserError, match="can only be read"), kept_at(Path("https://host/run")):
        pass
    assert local_folder("here") == Path("here")


@pytest.mark.parametrize("verb", ["cutoff", "audit", "score", "compare", "report"])
def test_verbs_that_read_runs_take_places(s3: S3, verb: str, tmp_path: Path) -> None:
    """Each looks there: what it says is about the place, not about a path on this disk."""
    words = {"audit": ["--after", "2020"], "compare": ["s3://bucket/other"], "report": ["--to", str(tmp_path / "page")]}
    done = CliRunner().invoke(command, [verb, "s3://bucket/nothing", *words.get(verb, [])])
    assert done.exit_code
    assert "s3://bucket/nothing does not exist, or is empty" in f"{done.exception} {done.output}"


def test_the_library_is_silent_and_the_command_tells(
    s3: S3, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    listeners: list[Callable[[str], None]] = [told.append]
    monkeypatch.setattr("asof.places.news._listeners", listeners)
    s3.put("runs/one", b"x" * 2_000)
    local_folder("s3://bucket/runs")
    assert told == ["Fetching 1 of 1 files (2 kB) of s3://bucket/runs."]
    assert capsys.readouterr() == ("", "")
