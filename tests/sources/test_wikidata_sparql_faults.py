"""An endpoint that fails, cuts, caps, hangs and lies: nothing lost, nothing twice, or a message that says what to do.

The engine is real; a proxy before it does the damage.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from asof import __version__
from asof.errors import UserError
from asof.facts import FactStore, Intake, write_base
from asof.sources import open_source
from tests.sources.endpoints import Fault, Proxy, oxigraph, rows_changed, virtuoso
from tests.sources.statement_model import GENID, ntriples

GREGORIAN = "http://www.wikidata.org/entity/Q1985727"
SUBJECTS = [f"Q{number}" for number in (*range(1, 11), 100, 2000)]
QUIET: dict[str, Any] = {"relation": ["P39"], "tries": 3, "first_wait": 0.01, "timeout": 20.0}


def statement(subject: str, number: int, **qualifiers: str) -> dict[str, Any]:
    """An office held, with dates of day precision, or "somevalue", "novalue"."""
    times = {
        {"start": "P580", "end": "P582", "point": "P585"}[role]: [snak(role, time)] for role, time in qualifiers.items()
    }
    value = {"type": "wikibase-entityid", "value": {"id": f"Q{900 + number}"}}
    # Half of the real ids have small letters, which sort behind the capital ones.
    name = f"{subject}${number:08d}-{'abc' if number % 2 else 'ABC'}"
    main = {"snaktype": "value", "property": "P39", "datavalue": value}
    return {"id": name, "rank": "normal", "mainsnak": main, "qualifiers": times}


def snak(role: str, time: str) -> dict[str, Any]:
    id = {"start": "P580", "end": "P582", "point": "P585"}[role]
    if time in ("somevalue", "novalue"):
        return {"snaktype": time, "property": id}
    value = {"time": f"+{time}T00:00:00Z", "precision": 11, "calendarmodel": GREGORIAN}
    return {"snaktype": "value", "property": id, "datavalue": {"type": "time", "value": value}}


def entities() -> list[dict[str, Any]]:
    made = []
    for place, subject in enumerate(SUBJECTS):
        statements = [
            statement(subject, 1, start=f"19{place + 10}-01-02", end=f"19{place + 12}-03-04"),
            statement(subject, 2, start=f"19{place + 12}-03-04", end="somevalue" if place % 2 else "novalue"),
            statement(subject, 3, point="2001-02-03"),
        ]
        label = {"en": {"language": "en", "value": f"Thing {subject}, “ü”"}}
        links = {f"w{number}": {} for number in range(place % 4)}
        made.append({"id": subject, "labels": label, "claims": {"P39": statements}, "sitelinks": links})
    return made


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with oxigraph(ntriples(entities()), tmp_path_factory.mktemp("oxigraph")) as address:
        yield address


@pytest.fixture
def proxy(engine: str) -> Iterator[Proxy]:
    with Proxy(engine).serving() as serving:
        yield serving


def taken(place: str, *, work: Path | None = None, **settings: Any) -> list[tuple[Any, ...]]:
    """Ask for the facts and what is known of their entities; no base is written."""
    source = open_source(place, **(QUIET | settings))
    intake = Intake(work=work)
    facts = [row for batch in source.facts(intake) for row in batch.to_pylist()]
    assert intake.rejects.count == 0
    described = [row for batch in source.entities() for row in batch.to_pylist()]
    return sorted(
        (row["statement"], row["object"], row["start_first"], row["end_precision"]) for row in facts
    ) + sorted((row["id"], row["label"], row["popularity"]) for row in described)


@pytest.fixture(scope="module")
def truth(engine: str) -> list[tuple[Any, ...]]:
    """What an endpoint without faults gives: all statements, all entities that it knows."""
    whole = taken(engine)
    assert len(whole) == 3 * len(SUBJECTS) + len(SUBJECTS)
    return whole


CUT = Fault(change=lambda body: body[: len(body) * 2 // 3])
FAULTS = {
    "429 with Retry-After": Fault(429, {"Retry-After": "0"}),
    "429 with a date": Fault(429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
    "500": Fault(500, body=b"Internal Server Error"),
    "502": Fault(502),
    "503": Fault(503, body=b"<html>busy</html>"),
    "cut JSON": CUT,
    "cut JSON and a stack trace": Fault(change=lambda body: body[:-40] + b"\njava.util.concurrent.TimeoutException"),
    "broken connection": Fault(break_off=True),
    "an empty answer": Fault(change=lambda body: b""),
    "HTML": Fault(body=b"<html>Please wait</html>"),
    "JSON that is no result": Fault(body=b'{"boolean": true}'),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_what_fails_is_asked_again(proxy: Proxy, truth: list[Any], fault: Fault) -> None:
    proxy.faults(fault, None, fault, None, None, fault, fault)
    assert taken(proxy.address) == truth


@pytest.mark.parametrize(
    "fault",
    [
        Fault(504),
        Fault(500, body=b"java.util.concurrent.TimeoutException"),
        Fault(429, body=b'{"exception": "Operation timed out."}'),
        Fault(wait=1.0),
        Fault(headers={"X-SQL-State": "S1TAT", "X-SQL-Message": "returning incomplete results"}, body=b"{}"),
        CUT,
    ],
    ids=["gateway", "WDQS", "QLever", "silence", "Virtuoso", "always cut"],
)
def test_what_is_too_slow_is_asked_for_in_parts(proxy: Proxy, truth: list[Any], fault: Fault) -> None:
    """The endpoint answers nothing about more than four things or, without subjects, about all of them at once."""
    proxy.rule = lambda query: fault if too_much(query) else None
    settings = {"timeout": 0.5} if fault.wait else {}
    assert taken(proxy.address, subject=SUBJECTS, **settings) == truth
    if fault.status == 504:
        assert taken(proxy.address, **settings) == truth


def too_much(query: str) -> bool:
    if "VALUES" in query:
        return query[query.index("VALUES") : query.index("}", query.index("VALUES"))].count("Q") > 4
    return "SELECT DISTINCT" in query and "FILTER(?id" not in query


@pytest.mark.parametrize("most", [2, 20])
def test_rows_that_are_capped_without_a_word_come_with_the_next_page(proxy: Proxy, truth: list[Any], most: int) -> None:
    proxy.rule = lambda query: Fault(change=rows_changed(lambda rows: rows[:most]))
    assert taken(proxy.address) == truth


def test_the_cap_of_virtuoso(truth: list[Any], tmp_path: Path) -> None:
    with virtuoso(ntriples(entities()), tmp_path, most_rows=10) as address:
        assert taken(address) == truth


@pytest.mark.parametrize("page", [2, 7, 36, 37])
def test_pages_of_any_size(engine: str, truth: list[Any], page: int) -> None:
    assert taken(engine, page=page) == truth


def test_marks_that_are_cut_inside_a_row_are_asked_for_again(proxy: Proxy, truth: list[Any]) -> None:
    def shortened(rows: list[Any]) -> list[Any]:
        for row in rows[1::2]:
            if "marks" in row and len(rows) > 2:
                row["marks"]["value"] = row["marks"]["value"].rpartition("\n")[0]
        return rows

    proxy.rule = lambda query: Fault(change=rows_changed(shortened))
    assert taken(proxy.address) == truth


def test_a_server_that_does_not_sort_is_not_believed(proxy: Proxy) -> None:
    proxy.rule = lambda query: Fault(change=rows_changed(lambda rows: rows[::-1]))
    with pytest.raises(UserError, match=r"on two pages: it does not sort .* Use another endpoint, or a dump"):
        taken(proxy.address, page=10)


def test_a_server_whose_order_skips_statements_is_not_believed(proxy: Proxy) -> None:
    """The last row of a page is the greatest, as if all before it had been given; some had not."""

    def unsorted(rows: list[Any]) -> list[Any]:
        return [*rows[:-1][::-2], rows[-1]] if len(rows) > 3 and "subject" in rows[0] else rows

    proxy.rule = lambda query: Fault(change=rows_changed(unsorted))
    with pytest.raises(UserError, match=r"says that it has 36 statements \(P39 of all subjects\) but gave \d+"):
        taken(proxy.address, page=10)


def test_another_order_of_letters_will_do_if_the_count_is_right(proxy: Proxy, truth: list[Any]) -> None:
    """As an engine that sorts by the rules of a language: not by code points, but nothing is missing."""

    def swapped(rows: list[Any]) -> list[Any]:
        return [rows[1], rows[0], *rows[2:]] if len(rows) > 3 and "subject" in rows[0] else rows

    proxy.rule = lambda query: Fault(change=rows_changed(swapped))
    assert taken(proxy.address, page=10) == truth
    assert any("COUNT(DISTINCT ?id)" in query for query in proxy.queries)


REFUSALS: list[tuple[Fault, str]] = [
    (Fault(400, body=b"Parse error: line 3"), r"status 400 \(Parse error: line 3\).*SPARQL 1.1"),
    (Fault(403), r"status 403\..*ASOF_CONTACT"),
    (Fault(404), r"status 404\. Is this the address of a SPARQL endpoint"),
    (Fault(301, {"Location": "https://other.example/sparql"}), r"moved to https://other.example/sparql; give that"),
    (
        Fault(429, {"Retry-After": "86400"}),
        r"asks to wait 86,400 seconds .*kept for a day; run the same command again then",
    ),
    (
        Fault(500, body=b"NullPointerException"),
        r"failed 3 times, .*status 500 \(NullPointerException\).*kept for a day",
    ),
    (Fault(504), r"the 12th question in a row without an answer, however small|is too much for the endpoint"),
]


@pytest.mark.parametrize(("fault", "message"), REFUSALS, ids=[str(fault.status) for fault, _ in REFUSALS])
def test_what_cannot_be_mended_here_is_said(proxy: Proxy, fault: Fault, message: str) -> None:
    proxy.rule = lambda query: fault if "?mark" not in query and "?day" not in query else None
    with pytest.raises(UserError, match=message):
        taken(proxy.address)


def test_an_address_where_nobody_is() -> None:
    with pytest.raises(UserError, match=r"http://127.0.0.1:9/sparql does not respond.*is the address right"):
        taken("http://127.0.0.1:9/sparql")


def test_name_and_password_are_used_and_not_shown(proxy: Proxy) -> None:
    place = proxy.address.replace("http://", "http://ann:secret@")
    source = open_source(place, **QUIET)
    assert "secret" not in source.name
    assert next(source.facts(Intake())).num_rows
    proxy.rule = lambda query: Fault(404)
    with pytest.raises(UserError) as error:
        taken(place)
    assert "secret" not in str(error.value)


def test_the_endpoint_hears_who_asks(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASOF_CONTACT", "ann@university.example")
    taken(proxy.address)
    assert set(proxy.agents) == {agent for agent in proxy.agents if agent.startswith(f"asof/{__version__} (")}
    assert "ann@university.example" in proxy.agents[0]


def test_stopped_by_an_error_it_goes_on_and_the_old_base_stays(
    engine: str, proxy: Proxy, tmp_path: Path, truth: list[Any]
) -> None:
    settings = QUIET | {"page": 9}
    write_base(tmp_path / "base", [open_source(engine, **settings, subject=["Q1"])])
    old = FactStore(tmp_path / "base").manifest.hash
    asked: set[str] = set()
    for allowed in (2, 3, 4):
        proxy.queries.clear()
        proxy.rule = lambda query, allowed=allowed: Fault(503) if len(proxy.queries) > allowed else None  # type: ignore[misc]
        with pytest.raises(UserError, match="kept for a day"):
            write_base(tmp_path / "base", [open_source(proxy.address, **settings)])
        assert FactStore(tmp_path / "base").manifest.hash == old
        answered = set(proxy.queries[:allowed])
        assert not answered & asked
        asked |= answered
    proxy.rule = lambda query: None
    proxy.queries.clear()
    manifest, _ = write_base(tmp_path / "base", [open_source(proxy.address, **settings)], name="base")
    assert not set(proxy.queries) & asked
    fresh, _ = write_base(tmp_path / "fresh", [open_source(proxy.address, **settings)], name="base")
    assert manifest.hash == fresh.hash
    assert manifest.rows("facts") == 3 * len(SUBJECTS)
    assert not (tmp_path / "base" / ".mining").exists()


def test_killed_it_goes_on(proxy: Proxy, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "asof", "mine", proxy.address, "--relation", "P39", "--to", str(tmp_path / "base")]
    process = None

    def kill_at_the_third(query: str) -> None:
        if process and len(proxy.queries) == 3:
            os.kill(process.pid, signal.SIGKILL)

    proxy.rule = kill_at_the_third
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    assert process.wait() == -signal.SIGKILL
    before = set(proxy.queries[:2])
    proxy.queries.clear()
    process = None
    subprocess.run(command, check=True, capture_output=True)
    assert not before & set(proxy.queries)
    assert FactStore(tmp_path / "base").manifest.rows("facts") == 3 * len(SUBJECTS)


def test_an_answer_that_was_kept_badly_is_asked_for_again(engine: str, tmp_path: Path, truth: list[Any]) -> None:
    assert taken(engine, work=tmp_path) == truth
    kept = sorted((tmp_path / "answers").iterdir())
    assert kept
    kept[0].write_text('[{"id": ', encoding="utf-8")
    os.utime(kept[1], (0, 0))
    assert taken(engine, work=tmp_path) == truth


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace(f"<{GENID}", "_:b"), id="blank nodes"),
        pytest.param(lambda text: "".join(drop(text, "ontology#sitelinks>")), id="no number of sitelinks"),
    ],
)
def test_other_ways_to_say_the_same(change: Callable[[str], str], truth: list[Any], tmp_path: Path) -> None:
    triples = change(ntriples(entities()))
    if "_:b" in triples:
        triples = "".join(line.replace("> .\n", " .\n") if "_:b" in line else line for line in triples.splitlines(True))
    with oxigraph(triples, tmp_path) as address:
        assert taken(address) == truth


def drop(text: str, word: str) -> list[str]:
    return [line for line in text.splitlines(keepends=True) if word not in line]


def test_a_time_without_precision_is_rejected_not_forgotten(tmp_path: Path) -> None:
    triples = "".join(drop(ntriples(entities()), "qualifier/value/P580>"))
    with oxigraph(triples, tmp_path) as address:
        source, intake = open_source(address, **QUIET), Intake()
        facts = sum(batch.num_rows for batch in source.facts(intake))
    assert facts == len(SUBJECTS)  # those with a point in time
    assert intake.rejects.count == 2 * len(SUBJECTS)
    assert "start: the endpoint has a time without its precision and calendar" in intake.rejects.shown[0]
