"""Decisions on proposals: on the disk when they are confirmed, whole or not at all, and never in the base."""

from __future__ import annotations

import csv
import os
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from asof.cli.serve import command
from asof.errors import UserError
from asof.facts import FactStore
from asof.web.decisions import Decisions, open_decisions, read_proposals
from asof.web.server import open_port
from tests.web.conftest import PROPOSALS, Site, start


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def decide(client: httpx.Client, id: object, decision: object, **headers: str) -> httpx.Response:
    return client.post("/proposals", json={"id": id, "decision": decision}, headers={"X-Asof": "review"} | headers)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "proposals.tsv"
    path.write_text(PROPOSALS, encoding="utf-8")
    return path


def test_kill_9_loses_no_decision_and_the_base_is_as_it_was(base_of: Any, table: Path, tmp_path: Path) -> None:
    base: FactStore = base_of([("A", "likes", "B", "2001", "2003")])
    before = {path.name: path.read_bytes() for path in base.folder.iterdir()}
    review = tmp_path / "decisions.tsv"
    process, address = start(base.folder, "--port", "0", "--proposals", table, "--review", review)
    with httpx.Client(base_url=address, timeout=120) as client:
        ids = [row["id"] for row in client.get("/proposals?format=json").json()["proposals"]]
        assert decide(client, ids[0], "accept").json()["counts"] == {"all": 4, "open": 3, "accept": 1, "reject": 0}
        assert decide(client, ids[3], "reject").status_code == 200
        assert decide(client, ids[1], "accept").status_code == 200
        assert decide(client, ids[1], None).json()["counts"]["open"] == 2
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert [(row["subject"], row["decision"]) for row in rows(review)] == [
        ("Angela Merkel", "accept"), ("<b>Bold</b>", "reject"),
    ]  # fmt: skip
    assert {path.name: path.read_bytes() for path in base.folder.iterdir()} == before
    with open_decisions(review) as again:  # the lock went with the process
        assert len(again.made) == 2


def test_only_the_page_itself_can_decide(site: Site) -> None:
    id = site.json("/proposals", show="all")["proposals"][1]["id"]
    plain = site.client.post("/proposals", json={"id": id, "decision": "accept"})
    assert plain.status_code == 403 and "X-Asof" in plain.json()["error"]
    assert decide(site.client, id, "accept", Host="evil.example").status_code == 403
    assert decide(site.client, id, "maybe").status_code == 400
    assert decide(site.client, "nothing", "accept").status_code == 404
    assert decide(site.client, 7, "accept").status_code == 400
    for body in (b"", b"{", b"[]", b'{"id": "\xff"}', b'{"id": "\\ud800", "decision": "accept"}'):
        assert site.client.post("/proposals", content=body, headers={"X-Asof": "review"}).status_code in (400, 404)
    assert site.json("/proposals", show="accept")["rows"] == 0


def test_what_does_not_fit_is_told(table: Path, tmp_path: Path) -> None:
    review = tmp_path / "decisions.tsv"
    with (
        open_decisions(review),
        pytest.raises(UserError, match="Another explorer is writing to"),
        open_decisions(review),
    ):
        pass
    with pytest.raises(UserError, match="Could not read"):
        read_proposals(tmp_path / "none.tsv")
    (tmp_path / "bad.tsv").write_text("subject\tobject\nA\tB\n", encoding="utf-8")
    with pytest.raises(UserError, match="has no column 'relation'"):
        read_proposals(tmp_path / "bad.tsv")
    (tmp_path / "cut.tsv").write_text(PROPOSALS[:-20], encoding="utf-8")
    with pytest.raises(UserError, match="line 5 has too few columns"):
        read_proposals(tmp_path / "cut.tsv")
    with pytest.raises(UserError, match="has no column 'decision'"):
        Decisions(table)
    wrong = PROPOSALS.replace("object_id\n", "object_id\tdecision\tdecided\n").replace(
        "Q49762\n", "Q49762\tperhaps\t\n"
    )
    review.write_text(wrong, encoding="utf-8")
    with pytest.raises(UserError, match="has the decision 'perhaps'"):
        Decisions(review)


def test_a_full_disk_loses_nothing(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, *_ = read_proposals(table)
    decisions = Decisions(tmp_path / "decisions.tsv")
    decisions.decide(first, "accept")

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match=r"No space left on device\. What was there before is unchanged\."):
        decisions.decide(second, "reject")
    assert [row["decision"] for row in rows(tmp_path / "decisions.tsv")] == ["accept"]
    assert list(decisions.made) == [first.id] and len(list(tmp_path.iterdir())) == 2


def test_the_command_says_what_it_cannot_do(tmp_path: Path, table: Path) -> None:
    def said(*arguments: object) -> str:
        return str(CliRunner().invoke(command, list(map(str, arguments))).exception)

    (tmp_path / "some").mkdir()
    assert "some is neither a base (asof mine" in said(tmp_path / "some")
    assert "are two bases" in said("almanac", "almanac")
    assert "--review needs --proposals" in said("--review", tmp_path / "x.tsv")
    assert "Could not read" in said("--proposals", tmp_path / "none.tsv")
    with open_port(0) as taken:
        port = taken.getsockname()[1]
        assert f"Port {port} cannot be used (Address already in use)" in said("--port", port)
        with open_port(None) as one, open_port(None) as other:
            assert one.getsockname()[1] != other.getsockname()[1]  # the next free one
    assert "cannot be written" in said("--proposals", table, "--review", tmp_path / "no" / "such" / "place.tsv")
