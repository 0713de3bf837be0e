"""The page for one person, served to this machine alone: a passage, a question, and what was proposed for it.

Only the loopback address listens, nothing is loaded from elsewhere, and a request that another site could send is
refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from asof.annotation.work import Decision, Work, read_spans, words_at
from asof.benchmarks import BenchmarkDocument, Item
from asof.errors import UserError
from asof.timeline.date import MONTHS

_LOOPBACK = "127.0.0.1"
_MOST_BYTES = 1_000_000  # of a request
_FILES = {
    "/": ("page.html", "text/html"),
    "/page.js": ("page.js", "text/javascript"),
    "/page.css": ("page.css", "text/css"),
}
_MONTH = "|".join([*MONTHS, *(f"{name[:3]}\\.?" for name in MONTHS), "Sept\\.?"])
_DATE = re.compile(
    rf"(?<!\w)(?:(?:[0-9]{{1,2}} )?(?:{_MONTH})(?: [0-9]{{1,2}})?,? )?(?:1[0-9]{{3}}|20[0-9]{{2}})s?(?!\w)"
    rf"|(?<!\w)[0-9]{{1,4}} B\.?C\.?(?:E\.?)?(?!\w)"
)
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Session:
    """One person's items and work, as the page asks for them."""

    def __init__(self, name: str, items: Sequence[Item], texts: dict[str, BenchmarkDocument], work: Work) -> None:
        self.name = name
        self._items = items
        self._positions = {item.id: index for index, item in enumerate(items)}
        self._texts = texts
        self._work = work
        self._lock = Lock()

    def overview(self) -> dict[str, Any]:
        """Tell how many items there are and which are done."""
        done = [index for index, item in enumerate(self._items) if item.id in self._work.decisions]
        return {"name": self.name, "count": len(self._items), "done": done}

    def item(self, position: int) -> dict[str, Any]:
        """Return one item with its passage, the proposed spans, and the dates to be marked."""
        if not 0 <= position < len(self._items):
            raise UserError(f"There is no item {position + 1}; the benchmark has {len(self._items)}.")
        item = self._items[position]
        text = self._texts[str(item.tags["document"])]
        decided = self._work.decisions.get(item.id)
        proposed = read_spans(_tag(item, "spans"))
        return {
            "place": position,
            "id": item.id,
            "question": item.prompt,
            "time": item.tags.get("time"),
            "title": text.title,
            "document": text.id,
            "paragraphs": text.paragraphs,
            "headings": text.headings,
            "proposed": proposed,
            "dates": dates_in(text.paragraphs),
            "spans": decided.spans if decided else proposed,
            "note": decided.note if decided else "",
            "done": decided is not None,
        }

    def decide(self, content: Any) -> dict[str, Any]:
        """Take a decision; it is on the disk when this returns."""
        try:
            position = self._positions[content["id"]]
            spans = tuple((int(one[0]), int(one[1]), int(one[2])) for one in content["spans"])
            note = str(content.get("note", ""))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise UserError(f"This is not a decision on an item: {type(error).__name__} {error}.") from error
        text = self._texts[str(self._items[position].tags["document"])]
        for span in spans:
            words_at(text, span)  # says which one does not exist
        with self._lock:
            self._work.decide(Decision(content["id"], tuple(sorted(set(spans))), note[:2000]))
            return self.overview()


def dates_in(paragraphs: Sequence[str]) -> list[tuple[int, int, int]]:
    """Find the dates of a passage, to be marked.

    >>> dates_in(["He left in May 2005.", "12 June 1928, and the 1990s"])
    [(0, 11, 19), (1, 0, 12), (1, 22, 27)]
    """
    return [
        (number, match.start(), match.end())
        for number, paragraph in enumerate(paragraphs)
        for match in _DATE.finditer(paragraph)
    ]


def _tag(item: Item, name: str) -> str | None:
    value = item.tags.get(name)
    return None if value is None else str(value)


class AnnotationServer(ThreadingHTTPServer):
    """Serves one session."""

    daemon_threads = True

    def __init__(self, session: Session, port: int) -> None:
        self.session = session
        try:
            super().__init__((_LOOPBACK, port), _Handler)
        except OSError as error:
            raise UserError(
                f"Port {port} cannot be used ({error.strerror}). Choose another: --port 0 takes any."
            ) from error

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{_LOOPBACK}:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: AnnotationServer
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        """Give the page, its files, or an item."""
        url = urlsplit(self.path)
        if not self._is_ours():
            self._fail(403, "This page can be opened only on this machine.")
        elif url.path in _FILES:
            name, kind = _FILES[url.path]
            self._send(200, (files(__package__) / name).read_bytes(), kind)
        elif url.path == "/overview":
            self._json(self.server.session.overview())
        elif url.path == "/item":
            index = parse_qs(url.query).get("place", ["0"])[0]
            self._answer(lambda: self.server.session.item(int(index) if index.isdigit() else -1))
        else:
            self._fail(404, "There is nothing here.")

    def do_POST(self) -> None:
        """Take a decision."""
        size = self.headers.get("Content-Length", "")
        # Another site cannot send this header without asking first, and is never allowed to.
        if not self._is_ours() or self.headers.get("X-Asof") != "annotate":
            self.close_connection = True
            self._fail(403, "This page can be opened only on this machine.")
        elif self.path != "/decide" or not size.isdigit() or int(size) > _MOST_BYTES:
            self.close_connection = True
            self._fail(400, "This is not a decision.")
        else:
            body = self.rfile.read(int(size))
            self._answer(lambda: self.server.session.decide(_read_json(body)))

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent: the terminal is for people."""

    def _is_ours(self) -> bool:
        """Tell whether the browser means this address, and not a name that somebody led here."""
        port = self.server.server_port
        return self.headers.get("Host") in (f"{_LOOPBACK}:{port}", f"localhost:{port}")

    def _answer(self, work: Any) -> None:
        try:
            self._json(work())
        except UserError as error:
            self._fail(400, str(error))
        except OSError as error:
            self._fail(500, f"Could not save it: {error}. Everything before it is saved.")

    def _json(self, content: Any) -> None:
        self._send(200, json.dumps(content, ensure_ascii=False).encode(), "application/json")

    def _fail(self, code: int, message: str) -> None:
        self._send(code, json.dumps({"error": message}).encode(), "application/json")

    def _send(self, code: int, body: bytes, kind: str) -> None:
        self.send_response(code)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _read_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise UserError(f"This is not valid JSON: {error}.") from error
