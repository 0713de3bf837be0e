"""Files behind http://, from a server that sends parts or not, breaks off, is busy, or changes the file meanwhile."""

import io
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.generated_dump import Plan, write_dump
from click.testing import CliRunner

import asof
from asof.cli import asof as command
from asof.errors import UserError
from asof.facts import FactStore
from asof.places import is_there, open_bytes, place_at, size_of, web
from asof.places.copies import local_file
from tests.places.web_server import FileServer, file_server
from tests.sources.dumps import mined

TABLE = "subject,relation,object,start,end\nReds,manager,Ann,2010-05,2014-06\nReds,manager,Bo,2014-07,2019\n"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    monkeypatch.setattr(web, "USUAL", web.WebManners(first_wait=0.0))
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "cache"))
    served = tmp_path / "served"
    served.mkdir()
    (served / "teams.csv").write_text(TABLE, encoding="utf-8")
    (served / "bytes").write_bytes(random.Random(3).randbytes(3_000_000))
    with file_server(served) as running:
        yield running


@pytest.mark.parametrize("parts", [True, False])
@pytest.mark.parametrize(
    "faults", [[], [503, 429], ["drop"], ["cut"], ["cut", "cut", 500, "cut"], ["cut", "changed"], ["cut", "drop", 502]]
)
def test_a_file_comes_whole_whatever_goes_wrong_on_the_way(
    server: FileServer, parts: bool, faults: list[str | int], tmp_path: Path
) -> None:
    server.parts, server.faults = parts, list(faults)
    place_at(f"{server.address}/bytes").fetch(tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == (server.folder / "bytes").read_bytes()
    assert not server.faults


def test_what_broke_off_goes_on_where_it_stopped(server: FileServer, tmp_path: Path) -> None:
    server.faults = ["cut"]
    place_at(f"{server.address}/bytes").fetch(tmp_path / "copy")
    assert server.asked == ["/bytes", "/bytes bytes=1500000-"]
    server.faults, server.tags, server.asked = ["cut"], False, []  # nothing says that the rest is of the same file
    place_at(f"{server.address}/bytes").fetch(tmp_path / "copy")
    assert server.asked == ["/bytes", "/bytes"]


def test_a_file_is_read_in_parts_as_one_on_this_disk(server: FileServer) -> None:
    content, draw = (server.folder / "bytes").read_bytes(), random.Random(5)
    with open_bytes(f"{server.address}/bytes") as remote:
        here = io.BytesIO(content)
        for _ in range(40):
            at, length = draw.randrange(len(content) + 10), draw.choice([0, 1, 700, 300_000, -1])
            assert remote.seek(at) == here.seek(at)
            assert remote.read(length) == here.read(length)
            assert remote.tell() == here.tell()
        assert remote.seek(-5, 2) == here.seek(-5, 2) and remote.read() == here.read()
    assert size_of(f"{server.address}/bytes") == len(content)


def test_parts_are_asked_for_again_and_a_file_that_changes_is_not_believed(server: FileServer) -> None:
    with open_bytes(f"{server.address}/bytes") as remote:
        server.faults = [503, "cut", "drop"]
        assert remote.read() == (server.folder / "bytes").read_bytes()
    with open_bytes(f"{server.address}/bytes") as remote:
        server.faults = ["changed"]
        with pytest.raises(UserError, match="has changed while it was read"):
            remote.read()


def test_what_cannot_be_mended_is_said(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    place = place_at(f"{server.address}/bytes?signature=secret")
    server.faults = [503] * 9
    with pytest.raises(UserError, match=r"bytes could not be read: status 503 \(5 tries\). Run the same") as refused:
        place.read()
    assert "secret" not in str(refused.value)
    server.faults, server.retry_after = [429], "3600"
    with pytest.raises(UserError, match="asks to wait 3,600 seconds"):
        place.read()
    server.faults = [400]
    with pytest.raises(UserError, match="answered with status 400"):
        place.read()
    with pytest.raises(UserError, match=r"nothing.csv does not exist: its server answered with status 404"):
        place_at(f"{server.address}/nothing.csv").read()
    assert not is_there(f"{server.address}/nothing.csv")
    server.parts = False
    with pytest.raises(UserError, match="sends whole files only"):
        place.open()
    for refuse in (place.files, place.delete):
        with pytest.raises(UserError, match=r"A web server does not list|can only be read"):
            refuse()
    with pytest.raises(UserError, match="is not the address of a place"):
        place_at("no/place")


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"http://127.0.0.1:9/x.csv does not respond .*Is there a network"):
        place_at("http://127.0.0.1:9/x.csv").state()


def test_a_server_that_says_nothing_has_timed_out(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setattr(web, "USUAL", web.WebManners(first_wait=0.0, timeout=0.05))
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(UserError, match=r"timed out after 0\.05 s"):
        place_at(f"http://127.0.0.1:{silent.getsockname()[1]}/x.csv").read()


def test_name_and_password_are_used_and_not_shown(server: FileServer) -> None:
    server.password = "Basic YW5uOnMlY3JldA=="  # noqa: S105  # ann:s%cret
    place = place_at(f"{server.address.replace('//', '//ann:s%25cret@')}/teams.csv")
    assert place.read() == TABLE.encode()
    assert "cret" not in str(place)
    with pytest.raises(UserError, match="wants a name and a password"):
        place_at(f"{server.address}/teams.csv").read()


def test_a_password_is_sent_on_within_its_server_alone(server: FileServer) -> None:
    with file_server(server.folder) as other:
        server.moved = {"/near": f"{server.address}/teams.csv", "/far": f"{other.address}/teams.csv"}
        for path in ("near", "far"):
            place = place_at(f"{server.address.replace('//', '//ann:secret@')}/{path}")
            assert place.read() == TABLE.encode()
        assert all(server.logins) and len(server.logins) == 3
        assert other.logins == [None]


def test_a_copy_is_fetched_again_only_when_the_file_has_changed(server: FileServer) -> None:
    address = f"{server.address}/teams.csv"
    assert local_file(address).read_text(encoding="utf-8") == TABLE
    server.asked = []
    assert local_file(address).name == "teams.csv"
    assert server.asked == ["/teams.csv bytes=0-0"]  # only looked at
    (server.folder / "teams.csv").write_text(TABLE.replace("Ann", "Zoe"), encoding="utf-8")
    server.version += 1
    assert "Zoe" in local_file(address).read_text(encoding="utf-8")


def test_a_table_behind_an_address_is_opened_and_mined(server: FileServer, tmp_path: Path) -> None:
    server.faults = ["", 503, "cut"]
    base = asof.open(f"{server.address}/teams.csv")
    assert base.facts(subject="Reds", on="2016")["object"] == ["Bo"]
    ran = CliRunner().invoke(command, ["mine", f"{server.address}/teams.csv", "--to", str(tmp_path / "base")])
    assert ran.exit_code == 0, ran.output
    assert FactStore(tmp_path / "base").count(subject="Reds") == 2
    with pytest.raises(UserError, match=r"nobase has no manifest.json, so it is not a base"):
        asof.open(f"{server.address}/nobase")


def test_a_table_whose_address_does_not_say_so(server: FileServer, tmp_path: Path) -> None:
    (server.folder / "export").write_text(TABLE, encoding="utf-8")
    address = f"{server.address}/export?format=csv"
    refused = CliRunner().invoke(command, ["mine", address, "--to", str(tmp_path / "base")])
    assert "If the address is that of a table, add --source table" in str(refused.exception)
    ran = CliRunner().invoke(command, ["mine", address, "--to", str(tmp_path / "base"), "--source", "table"])
    assert ran.exit_code == 0 and FactStore(tmp_path / "base").count() == 2


def test_a_base_behind_an_address_is_opened(server: FileServer, tmp_path: Path) -> None:
    CliRunner().invoke(command, ["mine", str(server.folder / "teams.csv"), "--to", str(server.folder / "base")])
    assert asof.open(f"{server.address}/base").facts("Reds", on="2012")["object"] == ["Ann"]
    ran = CliRunner().invoke(command, ["mine", str(server.folder / "teams.csv"), "--to", f"{server.address}/base"])
    assert "can only be read" in str(ran.exception)


@pytest.mark.parametrize("ending", [".json.gz", ".json.bz2", ".json.zst", ".json"])
def test_a_dump_is_mined_where_it_lies_and_gives_the_same_base(server: FileServer, ending: str) -> None:
    path = server.folder / f"dump{ending}"
    write_dump(path, Plan(entities=120, seed=5, line_bytes=900, temporal=0.5, batch=30))
    expected, _, _ = mined(path)
    server.faults = ["", 503, "", "cut"]
    assert (
        command_mines(f"{server.address}/{path.name}", server.folder / "remote").manifest.hash == expected.manifest.hash
    )


def test_a_dump_whose_server_sends_no_parts_is_fetched(server: FileServer) -> None:
    path = server.folder / "dump.json.gz"
    write_dump(path, Plan(entities=60, seed=6, line_bytes=900, temporal=0.5, batch=30))
    expected, _, _ = mined(path)
    server.parts = False
    assert (
        command_mines(f"{server.address}/{path.name}", server.folder / "remote").manifest.hash == expected.manifest.hash
    )


def command_mines(location: str, folder: Path) -> FactStore:
    ran = CliRunner().invoke(command, ["mine", location, "--to", str(folder), "--processes", "1"])
    assert ran.exit_code == 0, (ran.output, ran.exception)
    return FactStore(folder)
