"""The command as a user meets it: what it prints, where, and with which exit code."""

import datetime
import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from asof.facts import FactStore
from tests.conftest import TINY


def asof(*args: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "asof", *args], capture_output=True, text=True, cwd=cwd)


def table(text: str) -> list[dict[str, str]]:
    header, *rows = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(header, row, strict=True)) for row in rows]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("cli") / "tiny"
    ran = asof("mine", str(TINY), "--to", str(folder))
    assert ran.returncode == 0, ran.stderr
    assert "tiny holds 59 facts" in ran.stderr
    assert re.search(r"Could not read 1 row, kept in .*rejects-.*jsonl:", ran.stderr)
    assert "tiny.tsv, line 60: Apple Inc. P169 Tim Cook ends (1997) before it starts (2011-08-24)" in ran.stderr
    return str(folder)


def test_italy_as_of_three_times() -> None:
    question = ("facts", "--relation", "head of government", "--subject", "Italy")
    march = asof(*question, "--on", "2021-03")
    assert [row["object"] for row in table(march.stdout)] == ["Mario Draghi"]
    assert march.stderr == ""
    february = asof(*question, "--on", "2021-02")
    assert [(row["object"], row["holds"], row["why"]) for row in table(february.stdout)] == [
        ("Giuseppe Conte", "transitional", "ends 2021-02-13"),
        ("Mario Draghi", "transitional", "starts 2021-02-13"),
    ]
    assert "February 2021 is transitional" in february.stderr
    quarter = asof(*question, "--on", "2021-Q1")
    assert [row["object"] for row in table(quarter.stdout)] == ["Giuseppe Conte", "Mario Draghi"]


def test_facts_are_kept_with_dates_beside_day_numbers(base: str, tmp_path: Path) -> None:
    wanted = ("facts", "--base", base, "--subject", "Betty Ford", "--to", str(tmp_path / "ford.parquet"))
    first = asof(*wanted)
    assert first.returncode == 0 and first.stdout == "" and "ford.parquet holds" in first.stderr
    row = pq.read_table(tmp_path / "ford.parquet").to_pylist()[0]
    assert (row["start"], row["start_date"]) == ("1948-10-15", datetime.date(1948, 10, 15))
    assert row["earliest_start"] == (datetime.date(1948, 10, 15) - datetime.date(1970, 1, 1)).days
    again = asof(*wanted)
    assert again.returncode == 1 and "exists already. Give a new file with --to." in again.stderr


def test_json_is_one_object_a_line(base: str) -> None:
    ran = asof("facts", "--base", base, "--subject", "Betty Ford", "--json")
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert rows[0]["object"] == "Gerald Ford"
    assert (rows[0]["start"], rows[0]["end"]) == ("1948-10-15", "2006-12-26")


def test_a_terminal_gets_a_table(base: str) -> None:
    main, side = pty.openpty()
    command = [sys.executable, "-m", "asof", "timeline", "Italy", "head of government", "--base", base]
    env = dict(os.environ, COLUMNS="110", TERM="xterm-256color")
    subprocess.run(command, stdout=side, stderr=subprocess.DEVNULL, env=env, check=True)
    os.close(side)
    shown = os.read(main, 100_000).decode()
    assert "Mario Draghi" in shown and "█" in shown and "→" in shown


def test_what_changed_between_two_quarters(base: str) -> None:
    ran = asof("diff", "2021-Q2", "2021-Q4", "--base", base, "--relation", "member of sports team")
    assert [(row["status"], row["subject"], row["before"], row["after"]) for row in table(ran.stdout)] == [
        ("updated", "Cristiano Ronaldo", "Juventus F.C.", "Manchester United F.C.")
    ]
    assert "1 updated, 0 new, 0 deleted, 1 unchanged." in ran.stderr


def test_what_changed_between_two_versions(base: str, tmp_path: Path) -> None:
    text = TINY.read_text(encoding="utf-8").replace("2022-10-22\tongoing", "2022-10-22\t2026-01-01")
    newer = tmp_path / "newer.tsv"
    newer.write_text(text, encoding="utf-8")
    assert asof("mine", str(newer), "--to", str(tmp_path / "newer")).returncode == 0
    ran = asof("diff", base, str(tmp_path / "newer"))
    assert [(row["change"], row["object"], row["before"], row["after"]) for row in table(ran.stdout)] == [
        ("ended", "Giorgia Meloni", "2022-10-22..ongoing", "2022-10-22..2026-01-01")
    ]
    assert "0 new, 1 ended, 0 changed, 0 gone." in ran.stderr


def test_check_exits_with_3_when_it_finds_something(base: str, tmp_path: Path) -> None:
    assert asof("check", "--base", base, "--problem", "inverted").returncode == 0
    kept = tmp_path / "kept"
    asof("mine", str(TINY), "--to", str(kept), "--inverted", "keep")
    ran = asof("check", "--base", str(kept))
    assert ran.returncode == 3
    assert [(row["problem"], row["object"]) for row in table(ran.stdout)] == [("inverted", "Tim Cook")]


def test_check_sees_a_damaged_file(base: str, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    asof("mine", str(TINY), "--to", str(folder))
    names = next(folder.glob("names-*.parquet"))
    content = bytearray(names.read_bytes())
    content[10] ^= 0xFF
    names.write_bytes(content)
    ran = asof("check", "--base", str(folder))
    assert ran.returncode == 3
    assert "is damaged: its hash is not the one in the manifest" in ran.stderr


def test_before_after_first_and_last(base: str) -> None:
    def names(*options: str) -> list[str]:
        ran = asof("timeline", "Italy", "head of government", "--base", base, *options)
        return [row["object"] for row in table(ran.stdout)]

    assert names("--before", "Mario Draghi") == ["Giuseppe Conte"]
    assert names("--after", "Mario Draghi") == ["Giorgia Meloni"]
    assert names("--first") == ["Matteo Renzi"]
    assert names("--last") == ["Giorgia Meloni"]


def test_lists(base: str) -> None:
    assert [row["source"] for row in table(asof("list", "sources").stdout)] == [
        "almanac",
        "changes",
        "table",
        "tkbc",
        "wikidata-dump",
        "wikidata-sparql",
    ]
    relations = table(asof("list", "relations", "--base", base).stdout)
    assert relations[0]["id"] == "P6"
    assert relations[0]["one_at_a_time"] == "yes"


def test_dry_run_writes_nothing(tmp_path: Path) -> None:
    ran = asof("mine", str(TINY), "--to", str(tmp_path / "base"), "--dry-run", "--json")
    assert json.loads(ran.stdout)["facts"] == 59
    assert not (tmp_path / "base").exists()


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("facts", "--on", "2022-06-31"), 2, "2022-06-31 is not a valid date: June 2022 has 30 days."),
        (("facts", "--on", "2011", "--during", "2011"), 1, "Give --on or --during, not both"),
        (("facts", "--subject", "Barak Obama"), 1, "Did you mean"),
        (("facts", "--relation", "hed of state"), 1, "Did you mean 'head of state'? See: asof relations"),
        (("factz",), 2, "asof has no verb 'factz'. Did you mean 'facts'?"),
        (("facts", "--base", "nowhere"), 1, "nowhere does not exist. Make one with: asof mine SOURCE --to nowhere"),
        (("mine", "x.docx", "--to", "y"), 1, "'x.docx' is not a source that asof can read"),
        (("mine", "x.csv", "--to", "y", "--columns", "object"), 1, "'object' is not a pair. Write OURS=THEIRS"),
        (("diff", "2021-Q2", "2021-Q1"), 1, "2021-Q2 comes after 2021-Q1"),
        (("diff", "2021-Q2", "soon"), 1, "'soon' is not a valid date"),
        (("timeline",), 1, "Whose timeline?"),
    ],
)
def test_mistakes_are_explained_without_a_traceback(
    args: tuple[str, ...], code: int, message: str, tmp_path: Path
) -> None:
    ran = asof(*args, cwd=tmp_path)
    assert ran.returncode == code
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""


def test_a_closed_pipe_is_no_error() -> None:
    shell = f"set -o pipefail; {sys.executable} -m asof facts --relation 'position held' | head -2"
    ran = subprocess.run(["bash", "-c", shell], capture_output=True, text=True)
    assert "Traceback" not in ran.stderr
    assert len(ran.stdout.splitlines()) == 2


def test_a_model_takes_settings(tmp_path: Path) -> None:
    server = "openai-completions:http://127.0.0.1:9/v1#none"
    asof("build", "timestress", "--limit", "1", "--to", "one", cwd=tmp_path)
    wrong = asof("run", "one", server, "--set", "in_fligt=2", cwd=tmp_path)
    assert wrong.returncode == 1
    assert "has no setting 'in_fligt'. Did you mean 'in_flight'?" in wrong.stderr
    wrong = asof("run", "one", server, "--set", "tries=many", cwd=tmp_path)
    assert "--set tries=many: 'many' is not a whole number." in wrong.stderr
    gone = asof("run", "one", server, "--set", "tries=1", "--set", "first_wait=0.01", cwd=tmp_path)
    assert "does not respond: no connection" in gone.stderr


def on_a_terminal(*arguments: str) -> tuple[str, str]:
    """Run the command with a terminal as its standard output; return what it shows there and what it says."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "asof", *arguments]
    env = dict(os.environ, COLUMNS="160")
    with subprocess.Popen(command, stdout=slave, stderr=subprocess.PIPE, text=True, env=env) as process:
        os.close(slave)
        shown = b""
        with suppress(OSError):  # the end of a terminal
            while read := os.read(master, 65_536):
                shown += read
        said = process.stderr.read() if process.stderr else ""
    os.close(master)
    return shown.decode(), said


def test_all_facts_are_shortened_on_a_terminal_only(almanac: FactStore) -> None:
    total = almanac.manifest.rows("facts")
    shown, said = on_a_terminal("facts")
    assert len(shown.splitlines()) < 600 and f"The first 100 of {total:,} facts." in said
    assert "Narrow the selection with --subject" in said and f"--limit {total}" in said
    shown, said = on_a_terminal("facts", "--subject", "Italy", "--relation", "P6", "--on", "2021")
    assert "Mario Draghi" in shown and "The first" not in said
    assert "The first" not in on_a_terminal("facts", "--limit", "3")[1]
    piped = asof("facts", "--relation", "P6")
    assert len(piped.stdout.splitlines()) == 1 + almanac.count(relation="P6") > 1000


def test_counts_are_those_of_the_facts(almanac: FactStore) -> None:
    queries: list[dict[str, Any]] = [
        {}, {"relation": "P6"}, {"subject": "Q38", "on": "2021"}, {"relation": "P6", "during": "2021", "surely": True},
        {"relation": "P35", "on": "last year", "surely": True}, {"object": "Q567", "on": "2010"},
    ]  # fmt: skip
    for query in queries:
        assert almanac.count(**query) == len(almanac.facts(**query))
