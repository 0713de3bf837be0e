"""A Wikibase on the loopback address: entity documents in the real schema, names, and every kind of misbehaviour."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

GREGORIAN = "http://www.wikidata.org/entity/Q1985727"
NAMES = {
    "Q11": ("Nora Vale", "politician"), "Q12": ("Kesteria", "country"), "Q13": ("prime minister of Kesteria", "office"),
    "Q14": ("mayor of Port Anne", "office"), "Q15": ("Harbour Party", "party"), "Q16": ("Nora Vale", "sailing ship"),
    "Q17": ("Rell", "village"), "Q90": ("Old Nora", ""),
    "P39": ("position held", ""), "P102": ("member of political party", ""),
}  # fmt: skip


def time_snak(property: str, time: str, precision: int) -> dict[str, Any]:
    """Return the snak of a qualifier, with the keys in the order in which Wikibase writes them."""
    value = {"time": time, "timezone": 0, "before": 0, "after": 0, "precision": precision, "calendarmodel": GREGORIAN}
    return {
        "snaktype": "value", "property": property, "hash": "0" * 40,
        "datavalue": {"value": value, "type": "time"}, "datatype": "time",
    }  # fmt: skip


def unknown(property: str, kind: str = "somevalue") -> dict[str, Any]:
    """Return a snak that says that there is a value which nobody knows, or that there is none."""
    return {"snaktype": kind, "property": property, "hash": "1" * 40, "datatype": "time"}


def statement(property: str, object: str, *qualifiers: dict[str, Any], id: str, rank: str = "normal") -> dict[str, Any]:
    """Return a statement about an item."""
    by_property: dict[str, list[Any]] = {}
    for one in qualifiers:
        by_property.setdefault(one["property"], []).append(one)
    value = {"entity-type": "item", "numeric-id": int(object[1:]), "id": object}
    snak = {
        "snaktype": "value", "property": property, "datavalue": {"value": value, "type": "wikibase-entityid"},
        "datatype": "wikibase-item",
    }  # fmt: skip
    return {
        "mainsnak": snak, "type": "statement", "qualifiers": by_property or [],
        "qualifiers-order": list(by_property), "id": id, "rank": rank, "references": [],
    }  # fmt: skip


def document(id: str, claims: dict[str, list[Any]] | list[Any], revision: int = 100) -> dict[str, Any]:
    """Return an entity as Special:EntityData gives it."""
    label, description = NAMES.get(id, (id, ""))
    return {
        "pageid": 1, "ns": 0, "title": id, "lastrevid": revision, "modified": "2026-10-01T10:11:12Z", "type": "item",
        "id": id, "labels": {"en": {"language": "en", "value": label}},
        "descriptions": {"en": {"language": "en", "value": description}} if description else [],
        "aliases": [], "claims": claims, "sitelinks": {},
    }  # fmt: skip


def nora(*, revision: int = 100, ended: bool = False) -> dict[str, Any]:
    """Return a politician with two offices, one of them twice, and a party; in a later revision the last has ended."""
    now = [time_snak("P580", "+2019-03-14T00:00:00Z", 11)]
    now += [time_snak("P582", "+2026-09-00T00:00:00Z", 10)] if ended else []
    claims = {
        "P39": [
            statement("P39", "Q14", time_snak("P580", "+2001-00-00T00:00:00Z", 9),
                      time_snak("P582", "+2005-06-00T00:00:00Z", 10), id="Q11$mayor"),
            statement("P39", "Q13", *now, id="Q11$minister", rank="preferred"),
            statement("P39", "Q17", time_snak("P580", "+1999-00-00T00:00:00Z", 9), id="Q11$wrong", rank="deprecated"),
        ],
        "P102": [statement("P102", "Q15", unknown("P580"), unknown("P582", "novalue"), id="Q11$party"),
                 statement("P102", "Q17", id="Q11$undated")],
    }  # fmt: skip
    return document("Q11", claims, revision)


@dataclass
class Wiki:
    """The server as tests see it.

    Attributes:
        faults: What goes wrong with the next requests: a status, "late", "drip", "cut", "page", "odd", or "" for
            nothing.
    """

    address: str = ""
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    faults: list[str | int] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)
    late: float = 1.0


@contextmanager
def wikibase() -> Iterator[Wiki]:
    """Run the server for as long as the context lasts."""
    wiki = Wiki(documents={"Q11": nora(), "Q17": document("Q17", []), "Q12": document("Q12", {})})
    wiki.redirects["Q90"] = "Q11"
    handler = type("Handler", (_Handler,), {"wiki": wiki})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    wiki.address = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield wiki
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    wiki: Wiki
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        wiki, url = self.wiki, urlsplit(self.path)
        given = {name: values[0] for name, values in parse_qs(url.query).items()}
        wiki.agents.add(self.headers.get("User-Agent", ""))
        wiki.asked.append(given.get("action") or url.path.rpartition("/")[2])
        fault = wiki.faults.pop(0) if wiki.faults else ""
        if fault == "late":
            time.sleep(wiki.late)
        if isinstance(fault, int):
            self._send(b"", fault)
        elif fault == "page":
            self._send(b"<!DOCTYPE html><title>Sign in</title>", 200)
        elif fault == "odd":
            self._send(b'{"entities": {"Q11": {"id": 11}}}', 200)
        elif fault == "drip":
            self._drip()
        elif url.path == "/w/api.php":
            self._send(json.dumps(self._names(given)).encode(), 200, cut=fault == "cut")
        else:
            self._entity(url.path, cut=fault == "cut")

    def _entity(self, path: str, *, cut: bool) -> None:
        id = path.removeprefix("/wiki/Special:EntityData/").removesuffix(".json")
        id = self.wiki.redirects.get(id, id)
        if id not in self.wiki.documents:
            self._send(b"<html>No entity with this id</html>", 404)
            return
        self._send(json.dumps({"entities": {id: self.wiki.documents[id]}}).encode(), 200, cut=cut)

    def _drip(self) -> None:
        """Promise much, and send a little again and again."""
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b" ")
                time.sleep(self.wiki.late)
        except OSError:
            self.close_connection = True

    def _names(self, given: dict[str, str]) -> dict[str, Any]:
        if given["action"] == "wbgetentities":
            known = {id: NAMES[id] for id in given["ids"].split("|") if id in NAMES}
            return {
                "entities": {
                    id: {"id": id, "labels": {"en": {"language": "en", "value": label}}, "descriptions": []}
                    for id, (label, _) in known.items()
                }
            }
        wanted = given["search"].casefold()
        found = [
            {"id": id, "label": label, "description": description}
            for id, (label, description) in NAMES.items()
            if label.casefold().startswith(wanted) and id.startswith("Q")
        ]
        return {"search": found, "success": 1}

    def _send(self, body: bytes, status: int, *, cut: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Retry-After", "0")
        self.end_headers()
        try:
            self.wfile.write(body[: len(body) // 2] if cut else body)
        except OSError:
            return
        self.close_connection = cut

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
