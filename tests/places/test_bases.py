"""Bases at s3://: the same as on this disk, whole or not there, whoever writes beside, whatever is missing."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from bench.generated_dump import Plan, write_dump
from click.testing import CliRunner, Result

import asof
from asof.cli import asof as command
from asof.errors import UserError
from asof.facts import FactStore, write_base
from asof.facts.mirror import is_base, writable_copy
from asof.places import place_at
from asof.places.objects import ObjectPlace
from asof.sources import open_source
from tests.places.s3_server import S3, forget_connections
from tests.sources.dumps import content, mined

BASE = "s3://bucket/bases/teams"
TABLE = "subject,relation,object,start,end\nReds,manager,Ann,2010-05,2014-06\nReds,manager,Bo,2014-07,2019\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "teams.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def ran(*words: str | Path) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words])


def said(result: Result) -> str:
    """Return what a command told, or why it refused."""
    return str(result.exception) if isinstance(result.exception, UserError) else result.output


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """A function that goes to another machine: one with a cache of its own."""

    def go(name: str) -> None:
        monkeypatch.setenv("ASOF_CACHE", str(tmp_path / name))
        forget_connections()

    return go


def test_a_base_there_is_the_base_here(s3: S3, table: Path, tmp_path: Path, elsewhere: Callable[[str], None]) -> None:
    first = ran("mine", table, "--to", BASE, "--known-by", "2020-01-01")
    assert first.exit_code == 0 and "s3://bucket/bases/teams holds 2 facts" in first.output
    ran("mine", table, "--to", tmp_path / "here", "--known-by", "2020-01-01")
    here = {name: data for name, data in content(tmp_path / "here").items() if name != "manifest.json"}
    assert {name.removeprefix("bases/teams/") for name in s3.names()} == {*here, "manifest.json"}
    assert all(s3.content(f"bases/teams/{name}") == data for name, data in here.items())
    elsewhere("machine 2")
    shown = ran("facts", "--base", BASE, "--on", "2012", "--json")
    assert shown.output.startswith(f"Fetching {len(here)} of {len(here)} files (")
    assert json.loads(shown.output.splitlines()[-1])["object"] == "Ann"
    again = ran("facts", "--base", BASE, "--on", "2012", "--json")
    assert "Fetching" not in again.output and again.output == shown.output.partition("\n")[2]
    assert asof.open(BASE).facts("Reds", on="2016")["object"] == ["Bo"]
    assert FactStore(Path(BASE)).manifest.hash == FactStore(tmp_path / "here").manifest.hash
    assert is_base(BASE) and not is_base("s3://bucket/bases")
    s3.put("bases/teams/lexicon.en.toml", b"# words of this base\n")  # as people write beside a base
    assert "words" in (FactStore(BASE).folder / "lexicon.en.toml").read_text(encoding="utf-8")
    s3.delete("bases/teams/lexicon.en.toml")
    assert not (FactStore(BASE).folder / "lexicon.en.toml").exists()


@pytest.mark.slow
def test_only_what_has_changed_is_sent_and_fetched(s3: S3, table: Path, elsewhere: Callable[[str], None]) -> None:
    ran("mine", table, "--to", BASE)
    before = s3.names()
    elsewhere("reader")
    ran("facts", "--base", BASE)
    elsewhere("writer")
    changed = ran("relations", BASE, "--set", "manager:one_at_a_time=yes")
    assert changed.exit_code == 0 and "Wrote 1 of 4 files" in changed.output
    after = s3.names()
    assert len(after) == len(before) and len(set(after) - set(before)) == 1  # the older relations are gone
    elsewhere("reader")
    assert "Fetching 1 of 4 files" in ran("facts", "--base", BASE).output
    assert asof.open(BASE).relation("manager").one_at_a_time
    assert asof.open(BASE).set_relation("manager", kind="office").kind == "office"
    elsewhere("another")
    assert asof.open(BASE).relation("manager").kind == "office"
    assert ran("mine", table, "--to", BASE).exit_code == 0
    assert asof.open(BASE).relation("manager").kind == "office"  # what a person said holds when it is mined again


def test_data_go_first_and_the_manifest_last(s3: S3, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran("mine", table, "--to", BASE)
    before = {name: s3.content(name) for name in s3.names()}
    table.write_text(TABLE.replace("Bo", "Cy"), encoding="utf-8")
    put, count = ObjectPlace.put, 0

    def put_and_lose_the_network(place: ObjectPlace, file: Path) -> None:
        nonlocal count
        count += 1
        if count > 1:
            raise UserError("the cable was pulled")
        put(place, file)

    with monkeypatch.context() as patch:
        patch.setattr(ObjectPlace, "put", put_and_lose_the_network)
        patch.setattr("asof.facts.mirror.AT_A_TIME", 1)
        refused = said(ran("mine", table, "--to", BASE))
    assert "The new base is not at s3://bucket/bases/teams: the cable was pulled" in refused
    assert {name: s3.content(name) for name in before} == before
    assert asof.open(BASE).facts("Reds", on="2016")["object"] == ["Bo"]
    kept = writable_copy(BASE)
    assert str(kept) in refused and FactStore(kept).facts(subject="Reds", on="2016").table["object"].to_pylist() == [
        "Cy"
    ]
    again = ran("mine", table, "--to", BASE)
    assert again.exit_code == 0 and "is kept in" in again.output
    assert asof.open(BASE).facts("Reds", on="2016")["object"] == ["Cy"]
    assert FactStore(kept.with_name("teams-unsent-1")).count() == 2


def test_who_may_write_and_not_delete_writes(s3: S3, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran("mine", table, "--to", BASE)
    before = s3.names()
    table.write_text(TABLE.replace("Bo", "Cy"), encoding="utf-8")

    def refuse(place: ObjectPlace) -> None:
        raise UserError(f"{place} may not be deleted")

    monkeypatch.setattr(ObjectPlace, "delete", refuse)
    done = ran("mine", table, "--to", BASE)
    assert done.exit_code == 0 and "could not be removed, which does no harm" in done.output
    assert set(before) < set(s3.names()) and asof.open(BASE).facts("Reds", on="2016")["object"] == ["Cy"]


@pytest.mark.slow
@pytest.mark.parametrize("changed", [False, True])
def test_of_two_writers_the_second_to_finish_is_refused(
    s3: S3, table: Path, tmp_path: Path, elsewhere: Callable[[str], None], changed: bool
) -> None:
    ran("mine", table, "--to", BASE)
    other = tmp_path / "other.csv"
    other.write_text(TABLE.replace("Ann", "Zoe"), encoding="utf-8")
    if changed:  # else the slow one would write what it began with
        table.write_text(TABLE.replace("Bo", "Cy"), encoding="utf-8")
    elsewhere("slow")

    def meanwhile(rows: int) -> None:
        elsewhere("quick")
        assert ran("mine", other, "--to", BASE).exit_code == 0
        elsewhere("slow")

    with pytest.raises(UserError, match=r"another writer has replaced the base in the meantime.*The new one is whole"):
        write_base(Path(BASE), [open_source(str(table))], on_progress=meanwhile)
    assert asof.open(BASE).facts("Reds", on="2012")["object"] == ["Zoe"]


def test_a_first_version_is_not_overwritten_by_another_first_version(s3: S3, table: Path) -> None:
    def meanwhile(rows: int) -> None:
        s3.put("bases/teams/manifest.json", b"{}")

    with pytest.raises(UserError, match="another writer has replaced the base in the meantime"):
        write_base(Path(BASE), [open_source(str(table))], on_progress=meanwhile)
    assert s3.content("bases/teams/manifest.json") == b"{}"


def test_what_is_broken_or_missing_is_said(s3: S3, table: Path, elsewhere: Callable[[str], None]) -> None:
    ran("mine", table, "--to", BASE)
    facts = next(name for name in s3.names() if "/facts-" in name)
    whole = s3.content(facts)
    s3.put(facts, whole[:-1] + b"!")
    elsewhere("damaged")
    assert "is damaged: the hash of facts-" in said(ran("facts", "--base", BASE))
    s3.delete(facts)
    assert f"{BASE} is only half a base" in said(ran("facts", "--base", BASE))
    s3.put(facts, whole)
    s3.put("bases/teams/manifest.json", b'{"format": 99}')
    assert f"{BASE} cannot be read: its manifest has format 99, which is newer" in said(ran("facts", "--base", BASE))
    s3.put("bases/teams/manifest.json", b'{"format":')
    assert f"{BASE} cannot be read: its manifest is broken" in said(ran("facts", "--base", BASE))
    s3.delete("bases/teams/manifest.json")
    assert f"{BASE} has no manifest.json, so it is not a base" in said(ran("facts", "--base", BASE))
    assert "there is no bucket 'bukket'" in said(ran("facts", "--base", "s3://bukket/base"))
    assert "there is no bucket 'bukket'" in said(ran("mine", table, "--to", "s3://bukket/base"))
    assert "s3://bucket/no.csv does not exist" in said(ran("mine", "s3://bucket/no.csv", "--to", "base"))
    assert "give its folder" in said(ran("facts", "--base", f"{BASE}/manifest.json"))


def test_a_version_that_comes_while_another_is_fetched(
    s3: S3, table: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: Callable[[str], None]
) -> None:
    ran("mine", table, "--to", BASE)
    table.write_text(TABLE.replace("Bo", "Cy"), encoding="utf-8")
    elsewhere("reader")
    fetch, written = ObjectPlace.fetch, []

    def fetch_when_another_has_written(place: ObjectPlace, to: Path) -> None:
        if not written:
            written.append(1)
            elsewhere("writer")
            assert ran("mine", table, "--to", BASE).exit_code == 0
            elsewhere("reader")
        fetch(place, to)

    monkeypatch.setattr("asof.facts.mirror.AT_A_TIME", 1)
    monkeypatch.setattr(ObjectPlace, "fetch", fetch_when_another_has_written)
    assert asof.open(BASE).facts("Reds", on="2016")["object"] == ["Cy"]


def test_who_may_not_or_cannot_is_told_why(s3: S3, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(UserError, match=r"its server does not respond.*Is there a network"):
        place_at("s3://bucket/x").state()
    forget_connections()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(UserError, match=r"no credentials were found.*FSSPEC_S3_ANON=true"):
        place_at("s3://bucket/x").state()
    with pytest.raises(UserError, match=r"gs:// needs a package that is not here.*'asof\[gs\]'"):
        place_at("gs://bucket/x").state()
    with pytest.raises(UserError, match=r"nowhere://x cannot be opened: Protocol not known"):
        place_at("nowhere://x").state()
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(UserError, match=r"s3:// needs a package that is not here.*'asof\[s3\]'"):
        place_at("s3://bucket/x").state()


def test_another_store_goes_the_same_way(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store without conditional writes: fsspec's own, in memory."""
    pytest.importorskip("fsspec")
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "cache"))
    base = "memory://bases/teams"
    assert ran("mine", table, "--to", base).exit_code == 0
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "machine 2"))
    assert asof.open(base).facts("Reds", on="2016")["object"] == ["Bo"]

    def meanwhile(rows: int) -> None:
        place_at(f"{base}/manifest.json").delete()

    with pytest.raises(UserError, match="another writer has replaced the base in the meantime"):
        write_base(Path(base), [open_source(str(table))], on_progress=meanwhile)
    with pytest.raises(UserError, match=r"memory://bases/teams has no manifest\.json"):
        asof.open(base)


def test_a_broken_base_is_whole_again_when_it_is_written_again(
    s3: S3, table: Path, elsewhere: Callable[[str], None]
) -> None:
    ran("mine", table, "--to", BASE)
    facts = next(name for name in s3.names() if "/facts-" in name)

    def lost() -> None:
        s3.delete(facts)

    def torn() -> None:
        s3.put("bases/teams/manifest.json", b'{"format":')

    for number, break_it in enumerate((lost, torn)):
        break_it()
        elsewhere(f"machine {number}")
        again = ran("mine", table, "--to", BASE)
        assert again.exit_code == 0 and "It will be replaced." in again.output, said(again)
        elsewhere(f"reader {number}")
        assert asof.open(BASE).facts("Reds", on="2016")["object"] == ["Bo"]


def test_a_table_there_is_mined_and_opened(s3: S3, table: Path, tmp_path: Path) -> None:
    s3.put("tables/teams.csv", table)
    assert ran("mine", "s3://bucket/tables/teams.csv", "--to", tmp_path / "base").exit_code == 0
    assert FactStore(tmp_path / "base").count() == 2
    assert asof.open("s3://bucket/tables/teams.csv").facts("Reds", on="2012")["object"] == ["Ann"]
    for name, rows in {"train": "Q1\tP1\tQ2\t2001\t2002", "valid": "", "test": ""}.items():
        s3.put(f"quads/{name}.txt", rows.encode())
    assert ran("mine", "s3://bucket/quads", "--to", tmp_path / "quads").exit_code == 0
    assert FactStore(tmp_path / "quads").count() == 1


@pytest.mark.parametrize("ending", [".json.gz", ".json.bz2"])
def test_a_dump_there_becomes_a_base_there(s3: S3, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"dump{ending}"
    write_dump(path, Plan(entities=120, seed=5, line_bytes=900, temporal=0.5, batch=30))
    expected, _, _ = mined(path)
    s3.put(path.name, path)
    done = ran("mine", f"s3://bucket/{path.name}", "--to", "s3://bucket/wikidata", "--processes", "1")
    assert done.exit_code == 0, (done.output, done.exception)
    assert FactStore("s3://bucket/wikidata").manifest.hash == expected.manifest.hash


@pytest.mark.slow
def test_a_selection_of_a_base_there_goes_there(s3: S3, almanac: FactStore) -> None:
    for path in almanac.folder.iterdir():
        if path.suffix in (".json", ".parquet"):
            s3.put(f"almanac/{path.name}", path)
    done = ran("select", "timeqa", "--base", "s3://bucket/almanac", "--to", "s3://bucket/histories")
    assert done.exit_code == 0, (done.output, done.exception)
    assert 0 < FactStore("s3://bucket/histories").count() < almanac.count()
    versions = ran("diff", "s3://bucket/almanac", "s3://bucket/histories", "--limit", "1", "--json")
    assert '"change": "gone"' in versions.output


def test_a_base_with_an_odd_name_is_updated_there_and_remembers(
    s3: S3, table: Path, elsewhere: Callable[[str], None]
) -> None:
    place = "s3://bucket/de pots/Größe 北京 +&%20"
    ran("mine", table, "--to", place, "--known-by", "2020-01-01")
    elsewhere("machine 2")
    table.write_text(TABLE.replace("Bo", "Cy"), encoding="utf-8")
    done = ran("update", place, table, "--known-by", "2020-02-01")
    assert f"{place} as of 2020-02-01: 1 fact added, 1 closed, 1 unchanged" in done.output, said(done)
    elsewhere("machine 3")
    rows = [
        ran("facts", "--base", place, "--on", "2016", "--json", *then) for then in ((), ("--as-known-on", "2020-01-05"))
    ]
    assert [json.loads(one.stdout)["object"] for one in rows] == ["Cy", "Bo"]
    assert [
        json.loads(line)["change"]
        for line in ran("diff", place, "--known-from", "2020-01-05", "--json").stdout.splitlines()
    ] == ["new", "gone"]
