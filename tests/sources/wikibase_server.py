"""A Wikibase that serves its recent changes page by page and its entities one by one, and misbehaves on request."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.sources.changing_wiki import Revision, Wiki, day_of, entity_data


class WikibaseServer:
    """What a server says, and how it fails.

    Args:
        wiki: Its entities and their history.
        page: Changes on a page of the feed.
    """

    def __init__(self, wiki: Wiki, *, page: int = 3) -> None:
        self.wiki, self.page = wiki, page
        self.faults: list[str] = []  # of the next answers, whatever is asked: 429, 500, 503, timeout, cut, closed, html
        self.always: dict[str, str] = {}  # of entities, by id
        self.order: Any = None  # reorders the changes of the feed
        self.twice = False
        self.restored: list[str] = []
        self.asked: Counter[str] = Counter()
        self.users: set[str] = set()
        self.address = ""

    def changes(self, begin: str) -> list[dict[str, Any]]:
        rows = [self._change(one) for one in self.wiki.history if f"{day_of(one.day)}T10:00:00Z" >= begin]
        rows = [*rows, *rows[::2]] if self.twice else rows
        return self.order(rows) if self.order else rows

    def _change(self, one: Revision) -> dict[str, Any]:
        row: dict[str, Any] = {"type": "edit", "ns": 0, "title": one.id, "rcid": one.rcid, "revid": one.number}
        row |= {"old_revid": 0, "timestamp": f"{day_of(one.day)}T10:00:00Z"}
        if one.claims is None:
            row |= {"type": "log", "revid": 0, "logtype": "delete", "logaction": "delete"}
        return row

    def api(self, query: dict[str, str]) -> dict[str, Any]:
        rows = self.changes(query["rcstart"])
        first = int(query.get("rccontinue", "0|0").partition("|")[2])
        found: dict[str, Any] = {"batchcomplete": True, "query": {"recentchanges": rows[first : first + self.page]}}
        if first + self.page < len(rows):
            found["continue"] = {"rccontinue": f"20240501|{first + self.page}", "continue": "-||"}
        return found

    def entity(self, id: str) -> dict[str, Any] | None:
        one = self.wiki.now.get(id)
        if one is None or one.claims is None:
            return None
        return entity_data(self.wiki.now[one.target] if one.target else one)


@contextmanager
def serving(wikibase: WikibaseServer) -> Iterator[WikibaseServer]:
    """Serve it on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(address.query).items()}
            id = address.path.rpartition("/")[2].removesuffix(".json")
            wikibase.asked["feed" if "api.php" in address.path else id] += 1
            wikibase.users.add(self.headers.get("User-Agent", ""))
            fault = wikibase.always.get(id) or (wikibase.faults.pop(0) if wikibase.faults else "")
            found = wikibase.api(query) if "api.php" in address.path else wikibase.entity(id)
            self._answer(fault, json.dumps(found).encode() if found else None)

        def _answer(self, fault: str, body: bytes | None) -> None:
            if fault == "timeout":
                time.sleep(0.6)
            elif fault == "closed":
                self.close_connection = True
                return
            status = int(fault) if fault.isdecimal() else 404 if body is None else 200
            body = b"{}" if fault.isdecimal() else body or b"no such entity"
            body = {"cut": body[: len(body) // 2], "html": b"<html>sorry</html>", "old": body}.get(fault, body)
            self.send_response(status)
            if fault == "429":
                self.send_header("Retry-After", "0.05")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    wikibase.address = f"http://127.0.0.1:{server.server_address[1]}/w/api.php"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield wikibase
    finally:
        server.shutdown()
        server.server_close()
