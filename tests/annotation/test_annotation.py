"""What people decide is never lost, is compared fairly, and makes a new benchmark."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.annotation.agreement import agreement, krippendorff_alpha
from asof.annotation.merge import majority, merge, read_paraphrases, reword
from asof.annotation.server import AnnotationServer, Session
from asof.annotation.share import Share
from asof.annotation.work import Decision, Span, open_work, path_of, people, read_spans, read_work
from asof.benchmarks import Benchmark, Item, documents, read_benchmark
from asof.errors import UserError


def spans_of(item: Item) -> tuple[Span, ...]:
    return read_spans(str(item.tags["spans"]))


def decide(bench: Benchmark, name: str, decisions: dict[str, tuple[Span, ...]]) -> None:
    with open_work(bench, name) as work:
        for id, spans in decisions.items():
            work.decide(Decision(id, spans))


def test_decisions_are_kept_and_the_last_one_counts(bench: Benchmark) -> None:
    one, other, *_ = bench.items()
    decide(bench, "anna", {one.id: ((0, 3, 7),)})
    decide(bench, "anna", {one.id: (), other.id: ((0, 0, 2),)})
    found = read_work(bench, "anna")
    assert not found[one.id].answerable and found[other.id].spans == ((0, 0, 2),)
    assert len(path_of(bench, "anna").read_text(encoding="utf-8").splitlines()) == 3
    assert people(bench) == ["anna"]


def test_a_line_cut_by_a_crash_is_dropped_and_no_other(bench: Benchmark) -> None:
    one, other, *_ = bench.items()
    decide(bench, "anna", {one.id: ((0, 3, 7),)})
    with path_of(bench, "anna").open("ab") as file:
        file.write(b'{"item": "x", "spa')
    assert list(read_work(bench, "anna")) == [one.id]
    decide(bench, "anna", {other.id: ()})
    assert list(read_work(bench, "anna")) == [one.id, other.id]


def test_what_does_not_fit_is_told(bench: Benchmark) -> None:
    one, *_ = bench.items()
    with pytest.raises(UserError, match="cannot be the name of a file"), open_work(bench, "../anna"):
        pass
    with open_work(bench, "anna"), pytest.raises(UserError, match="anna is annotating"), open_work(bench, "anna"):
        pass
    decide(bench, "anna", {one.id: ()})
    path = path_of(bench, "anna")
    good = path.read_text(encoding="utf-8")
    path.write_text(good + "nonsense\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 2 is broken"):
        read_work(bench, "anna")
    path.write_text(good.replace(bench.items_sha256, "0" * 64), encoding="utf-8")
    with pytest.raises(UserError, match="the benchmark was built again"):
        read_work(bench, "anna")


def test_kill_9_loses_nothing_confirmed(bench: Benchmark) -> None:
    command = [
        sys.executable,
        "-m",
        "asof",
        "annotate",
        str(bench.folder),
        "--as",
        "anna",
        "--port",
        "0",
        "--no-browser",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    told = process.stderr.readline()
    match = re.search(r"127\.0\.0\.1:(\d+)", told)
    assert match, told
    port = int(match[1])
    confirmed = []
    for item in list(bench.items())[:4]:
        code, answer = post(port, {"id": item.id, "spans": spans_of(item)})
        assert code == 200 and len(answer["done"]) == len(confirmed) + 1
        confirmed.append(item.id)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert list(read_work(bench, "anna")) == confirmed
    with open_work(bench, "anna") as work:  # the lock went with the process
        assert len(work.decisions) == 4


def post(port: int, content: object, **headers: str) -> tuple[int, dict[str, list[int]]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    given = {"X-Asof": "annotate", "Content-Type": "application/json"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    body = content if isinstance(content, bytes) else json.dumps(content)
    connection.request("POST", "/decide", body=body, headers=given)
    reply = connection.getresponse()
    return reply.status, json.loads(reply.read())


def test_the_server_is_for_this_machine_and_this_page_alone(bench: Benchmark) -> None:
    items = list(bench.items())
    with open_work(bench, "anna") as work:
        server = AnnotationServer(Session("anna", items, documents(bench), work), 0)
        Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_port
        good = {"id": items[0].id, "spans": []}
        assert server.server_address[0] == "127.0.0.1"
        assert post(port, good, X_Asof="")[0] == 403
        assert post(port, good, Host="evil.example")[0] == 403
        assert post(port, b"{")[0] == 400
        assert post(port, {"id": "nothing", "spans": []})[0] == 400
        assert post(port, {"id": items[0].id, "spans": [[0, 5, 9999]]})[0] == 400
        assert post(port, {"id": items[0].id, "spans": [[0, 5, 5]]})[0] == 400
        assert post(port, [])[0] == 400
        for path, code in (("/item?place=99", 400), ("/item?place=-1", 400), ("/../secret", 404), ("/", 200)):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request("GET", path)
            reply = connection.getresponse()
            assert reply.status == code
            assert "default-src 'none'" in (reply.getheader("Content-Security-Policy") or "")
        with pytest.raises(UserError, match="cannot be used"):
            AnnotationServer(server.session, port)
        assert work.decisions == {}
        server.shutdown()
        server.server_close()


@given(st.integers(1, 6), st.integers(0, 50), st.integers(1, 80))
def test_shares_cover_everything_and_overlap_as_asked(parts: int, percent: int, groups: int) -> None:
    items = [Item(id=f"{g}-{n}", prompt="", answers=(), group=f"g{g}") for g in range(groups) for n in range(2)]
    shares = [Share(part, parts, percent / 100).of(items) for part in range(1, parts + 1)]
    seen: defaultdict[str, int] = defaultdict(int)
    for share in shares:
        for item in share:
            seen[item.group] += 1
    assert set(seen) == {item.group for item in items}
    if parts > 1:
        everybody = sum(count == 2 * parts for count in seen.values())
        assert everybody == round(groups * percent / 100)
    assert max(map(len, shares)) - min(map(len, shares)) <= 2


def test_shares_are_read() -> None:
    for text in ("4/3", "0/2", "two", "1/0"):
        with pytest.raises(UserError, match="is not a valid share"):
            Share.parse(text, 0.1)


def test_alpha_by_hand() -> None:
    """Computed from the definition, pair by pair, with missing judgements."""
    randomness = random.Random(3)
    units = [[randomness.random() < 0.7 for _ in range(randomness.randint(2, 4))] for _ in range(40)]
    values = [value for unit in units for value in unit]
    pairs = [(one, other) for at, one in enumerate(values) for place, other in enumerate(values) if at != place]
    expected = sum(one != other for one, other in pairs) / len(pairs)
    observed = sum(
        sum(one != other for at, one in enumerate(unit) for place, other in enumerate(unit) if at != place)
        / (len(unit) - 1)
        for unit in units
    ) / len(values)
    assert krippendorff_alpha(units) == pytest.approx(1 - observed / expected)


def test_agreement_of_two_people(bench: Benchmark) -> None:
    items = list(bench.items())
    decide(bench, "anna", {item.id: spans_of(item) for item in items})
    others = {item.id: spans_of(item) for item in items}
    heat = next(item for item in items if item.answers == ("Miami Heat",))
    paragraph, start, end = spans_of(heat)[0]
    others[heat.id] = ((paragraph, start, end - len(" Heat")),)  # one word less
    others[items[1].id] = ()
    decide(bench, "bo", others)
    told = agreement(bench, {name: read_work(bench, name) for name in people(bench)})
    assert (told.who, told.items, told.exact.n) == (("anna", "bo"), len(items), len(items))
    assert told.exact.value == pytest.approx(1 - 2 / len(items))
    assert told.token_f1.value == pytest.approx((len(items) - 2 + 2 / 3) / len(items))
    assert told.alpha.value < 1 and told.exact.low <= told.exact.value <= told.exact.high
    alone = agreement(bench, {"anna": read_work(bench, "anna")})
    assert alone.items == 0 and alone.exact.n == 0


def test_merging_makes_a_verified_benchmark(bench: Benchmark, tmp_path: Path) -> None:
    items = list(bench.items())
    decide(bench, "anna", {item.id: spans_of(item) for item in items[:-1]})  # the last one is not seen
    paragraph, start, end = spans_of(items[1])[0]
    corrected = ((paragraph, start - 5, end),)
    decide(bench, "bo", {items[1].id: corrected, items[2].id: ()})
    decide(bench, "cy", {items[1].id: corrected})
    work = {name: read_work(bench, name) for name in people(bench)}
    merged = merge(bench, work, tmp_path / "new", paraphrases={items[0].id: "Where was he from 2003 on?"})
    made = read_benchmark(tmp_path / "new")
    found = {item.id: item for item in made.items()}
    assert merged.disputed == (items[2].id,) and merged.unseen == 1 and merged.changed == 1
    assert len(found) == len(items) - 2
    assert found[items[1].id].answers == (f"then {items[1].answers[0]}",)
    assert found[items[1].id].tags["verified_by"] == 3
    assert found[items[0].id].prompt == "Where was he from 2003 on?"
    assert found[items[0].id].tags["template_question"] == items[0].prompt
    assert set(documents(made)) <= set(documents(bench))
    assert "item is not there: nobody has annotated it" in made.account.notes[0]
    with pytest.raises(UserError, match="is the benchmark itself"):
        merge(bench, work, bench.folder)


@given(
    st.lists(st.sets(st.tuples(st.integers(0, 1), st.integers(0, 2), st.just(5)), max_size=3), min_size=1, max_size=5)
)
def test_a_majority_is_more_than_half(choices: list[set[Span]]) -> None:
    agreed = majority([Decision("x", tuple(spans)) for spans in choices])
    for span in agreed or ():
        assert 2 * sum(span in spans for spans in choices) > len(choices)
    if agreed == ():
        assert 2 * sum(not spans for spans in choices) > len(choices)


def test_paraphrases(bench: Benchmark, tmp_path: Path) -> None:
    first, *_ = bench.items()
    path = tmp_path / "words.csv"
    path.write_text(f'id,question\n"{first.id}","Which team, from 2003 on?"\n', encoding="utf-8")
    made = reword(bench, read_paraphrases(path, bench), tmp_path / "reworded")
    assert next(iter(made.items())).prompt == "Which team, from 2003 on?"
    assert made.items_count == bench.items_count
    for text, why in (
        ("a,b\n1,2\n", "needs the columns id and question"),
        ("id,question\nnobody,x\n", "has no item 'nobody'"),
        (f'id,question\n"{first.id}",\n', "has no question"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match=why):
            read_paraphrases(path, bench)
