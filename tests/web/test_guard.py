"""Who may ask, how much, and what hostile names and queries come to: text, or a short refusal."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpx
import pytest

from asof.facts import FactStore
from asof.web.desks import Desks
from asof.web.explorer import Explorer
from tests.web.conftest import Site, served

HOSTILE = [
    "</script><script>document.title='broken'</script>",
    '"><img src=x onerror=alert(1)>',
    "'; DROP TABLE facts; --",
    "' OR '1'='1",
    "../../../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "{{ 7 * 7 }} {% include 'base.html' %}",
    "\u202eevil\u202c \u2066right to left\u2069 שלום",
    "\x00nul\x01\x1b[31m",
    "a\u0301\u0302\u0303" * 30,
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 👩‍👩‍👧 \ufeff\u200b",
    "$name $1 ? :x %s %(x)s",
    "%00%ff%fe",
    "javascript:alert(1)",
    "x" * 1500,
]


def raw(address: str, request: bytes) -> bytes:
    """Send bytes as they are, which no client would."""
    url = urlsplit(address)
    with socket.create_connection((url.hostname, url.port), timeout=120) as connection:
        connection.sendall(request.replace(b"HOST", f"{url.hostname}:{url.port}".encode()))
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
    return received


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_queries_are_text(site: Site, text: str) -> None:
    given = quote(text, safe="")
    addresses = {
        f"/?q={given}": (200,), f"/entity/{given}": (404, 422), f"/relation/{given}": (404, 422),
        f"/ask?q={given}": (200, 400), f"/verify?text={given}": (200, 400, 422),
        f"/verify?text=x&on={given}": (200, 400, 422),
        f"/relation/P6?subject={given}&object={given}": (200, 422), f"/entity/Q567?on={given}": (200, 422),
        f"/changes?from={given}&to=2020": (400, 422), f"/changes?relation={given}": (404, 422),
        f"/check?problem={given}": (422,), f"/runs/{given}": (404, 422), f"/compare?a={given}&b={given}": (404, 422),
        f"/suggest?q={given}": (200,), f"/static/{given}": (404,), f"/proposals?proposed={given}": (200, 422),
        f"/{given}": (404,),
    }  # fmt: skip
    for address, allowed in addresses.items():
        reply = site.client.get(address)
        assert reply.status_code in allowed, (address[:80], reply.status_code)
        assert "root:" not in reply.text and "Traceback" not in reply.text and "49" not in reply.text.split()
        if reply.headers["content-type"].startswith("text/html"):
            assert "<script>" not in reply.text and "<img" not in reply.text
        if address.startswith("/?q=") and "\x00" not in text:
            shown = text if len(text) <= 160 else f"{text[:160]}…"
            assert shown in unescape(reply.text)
    assert site.json("/entity/Q567")["label"] == "Angela Merkel"  # nothing was dropped


def test_too_much_is_refused(site: Site) -> None:
    assert site.client.get("/ask", params={"q": "x" * 1999}).status_code == 400
    assert site.client.get("/?q=" + "x" * 5_000).status_code == 414
    assert site.client.get("/entity/" + "x" * 3_000).status_code == 422
    large = b"GET /?q=" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"
    assert raw(site.address, large)[9:12] in (b"400", b"414")
    posted = site.client.post("/proposals", content=b"x" * 100_000, headers={"X-Asof": "review"})
    assert posted.status_code == 413
    chunked = b"%x\r\n%s\r\n" % (30_000, b"y" * 30_000) + b"0\r\n\r\n"
    head = b"POST /proposals HTTP/1.1\r\nHost: HOST\r\nX-Asof: review\r\nConnection: close\r\n"
    head += b"Transfer-Encoding: chunked\r\n\r\n"
    assert raw(site.address, head + chunked)[9:12] == b"413"  # no length was said
    assert site.client.put("/proposals", content=b"x").status_code == 405
    assert site.client.get("/suggest?q=a&limit=100000").status_code == 422


def test_only_this_machine_by_its_own_name(site: Site) -> None:
    port = urlsplit(site.address).port
    wrong = ("evil.example", f"evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", f"127.0.0.1:{port}.evil.example")
    for host in wrong:
        reply = site.client.get("/entity/Q567", headers={"Host": host})
        assert reply.status_code == 403 and "Merkel" not in reply.text
    assert site.client.get("/runs", headers={"Host": f"localhost:{port}"}).status_code == 200
    double = raw(site.address, b"GET / HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    assert double[9:12] in (b"400", b"403")
    assert raw(site.address, b"GET / HTTP/1.0\r\n\r\n")[9:12] == b"403"


@pytest.mark.parametrize(
    "path",
    ["/static/../server.py", "/static/..%2f..%2fserver.py", "/static/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/..",
     "/runs/..%2f..%2fetc", "/runs/../runs/knows-much/settings.toml", "/static/explorer.css%00.py", "/%2e%2e/"],
)  # fmt: skip
def test_there_is_no_way_out_of_the_pages(site: Site, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(site.address).port, timeout=120)
    connection.request("GET", path)  # sent as it stands; httpx would tidy it up
    reply = connection.getresponse()
    content = reply.read()
    assert reply.status == 404 and b"root:" not in content and b"import " not in content


def test_every_reply_carries_its_policy(site: Site) -> None:
    for path in ("/", "/nothing", "/static/explorer.css", "/suggest?q=a", "/entity/Q567?format=json"):
        headers = site.client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


def test_errors_say_what_is_wrong(site: Site) -> None:
    said = {
        "/entity/Q0": (404, "almanac has no entity 'Q0'."),
        "/entity/Q567?on=2022-06-31": (400, "2022-06-31 is not a valid date: June 2022 has 30 days."),
        "/changes?from=2021": (400, "Give two periods"),
        "/ask?q=": (400, "The question is empty"),
        "/verify?text=": (400, "There is no text to verify"),
        "/verify?text=x&on=2022-06-31": (400, "2022-06-31 is not a valid date"),
        f"/verify?text={'x' * 3000}": (400, "Send a longer one with POST"),
        "/check?page=77": (404, "There is no page 77"),
        "/runs/none": (404, "There are: knows-little, knows-much, by-period"),
        "/nowhere": (404, "There is nothing here."),
        "/relation/P6?page=x": (422, "page: Input should be a valid integer"),
    }
    for address, (status, text) in said.items():
        reply = site.client.get(address, headers={"Accept": "application/json"})
        assert reply.status_code == status and text in reply.json()["error"]
    assert site.client.get("/entity/Q567?on=5000000").status_code == 200  # there is no year after it
    shown = site.client.get("/entity/Q567?on=2022-06-31")  # people still get the page
    assert shown.status_code == 200 and "June 2022 has 30 days" in shown.text and "Joachim Sauer" in shown.text


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A base whose names are hostile, one of them of 100,000 letters."""
    from asof.facts import write_base
    from asof.sources import open_source

    names = [name for name in HOSTILE if "\x00" not in name] + ["long " + "very " * 20_000]
    rows = ["subject\trelation\tobject\tstart\tend"]
    rows += [f"{name}\tP6\t{names[place - 1]}\t{1900 + place}\tongoing" for place, name in enumerate(names)]
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "rows.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    write_base(folder / "base", [open_source(str(folder / "rows.tsv"))])
    with served(Explorer(folder / "base", desks=Desks(folder / "base", count=2))) as client:
        yield client


def test_hostile_names_are_text(hostile: httpx.Client) -> None:
    relation = hostile.get("/relation/P6", headers={"Accept": "application/json"}).json()
    assert relation["rows"] == len(HOSTILE)
    for row in relation["facts"]:
        if len(row["subject_id"]) > 1000:
            continue  # an address cannot name it; it is found by its name, and shown on the pages of others
        page = hostile.get(f"/entity/{quote(row['subject_id'], safe='')}")
        assert page.status_code == 200, row["subject_id"][:50]
        assert "<script>" not in page.text and "<img" not in page.text and "<h1>" in page.text
        assert row["subject"][:160] in unescape(page.text)
        assert len(page.content) < 40_000
    home = hostile.get("/")
    assert home.status_code == 200 and "<img" not in home.text


def test_a_query_that_takes_too_long_is_stopped_and_the_desk_is_free_again(almanac: FactStore) -> None:
    slow = "SELECT count(*) FROM facts a, facts b, facts c WHERE a.subject < b.object AND c.object > a.relation"
    explorer = Explorer(almanac.folder, desks=Desks(almanac.folder, count=1, seconds=0.3, patience=0.2, line=2))
    store = explorer.desks.first.store
    original = store.rows

    def rows(table: str, *keys: str, **more: object) -> object:
        if "slow" in keys:
            return store.sql(slow)
        return original(table, *keys, **more)  # type: ignore[arg-type]

    store.rows = rows  # type: ignore[method-assign, assignment]
    with served(explorer) as client:
        begun = time.perf_counter()
        reply = client.get("/entity/slow")
        assert reply.status_code == 503 and "took too long" in reply.text
        assert time.perf_counter() - begun < 10
        assert client.get("/entity/Q567").status_code == 200
        with ThreadPoolExecutor(8) as people:
            replies = list(people.map(lambda _: client.get("/entity/slow"), range(8)))
        said = {reply.status_code for reply in replies}
        assert said == {503} and any("Too many requests" in reply.text for reply in replies)
        assert any(reply.headers.get("retry-after") for reply in replies)
        assert client.get("/entity/Q567").status_code == 200


def test_many_threads_may_read_one_store(almanac: FactStore) -> None:
    """Two threads that read one Parquet file used to crash the process."""
    ids = [row["subject"] for row in almanac.sql("SELECT DISTINCT subject FROM facts ORDER BY 1 LIMIT 60").to_pylist()]
    store = FactStore(almanac.folder)
    wanted = {id: almanac.facts(subject=id).table for id in ids}

    def same(seed: int) -> bool:
        return all(store.facts(subject=id).table == wanted[id] for id in ids[seed * 10 :] + ids[: seed * 10])

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(same, range(4)))


def test_names_look_the_same_to_every_page(base_of: Callable[..., FactStore], tmp_path: Path) -> None:
    """A base without popularity, kinds or templates is shown all the same."""
    rows = [("A/B?#%", "likes", "C D", "2001", "2003"), ("A/B?#%", "likes", "C D", "2000", "1999")]
    store = base_of(rows, inverted="keep")
    with served(Explorer(store.folder, desks=Desks(store.folder, count=1))) as client:
        home = client.get("/", headers={"Accept": "application/json"}).json()
        assert {one["label"] for one in home["base"]["examples"]} == {"A/B?#%", "C D"}
        page = client.get(f"/entity/{quote('A/B?#%', safe='')}?on=2002")
        assert page.status_code == 200 and "ends before it starts" in page.text
        assert client.get("/check", headers={"Accept": "application/json"}).json()["counts"]["inverted"] == 1
