"""A web server of files that sends parts of them or not, and misbehaves in every way that a list tells it to."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class FileServer(ThreadingHTTPServer):
    """Serves the files of a folder on the loopback address.

    Args:
        parts: Whether it understands ``Range``.
        faults: What goes wrong with the next requests, one after the other: a status, "cut" (half of the body), "drop"
            (the connection closes without a word), "changed" (the file is another one from now on), or "" for nothing.
        password: What it wants to hear.
    """

    daemon_threads = True

    def __init__(self, folder: Path, *, parts: bool = True, faults: list[str | int] | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder, self.parts, self.faults = folder, parts, faults or []
        self.password: str | None = None
        self.retry_after = "0"
        self.asked: list[str] = []  # path and range
        self.sent = 0  # bytes of bodies
        self.version = 1
        self.tags = True
        self.moved: dict[str, str] = {}  # paths and where they are now
        self.logins: list[str | None] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that have seen enough."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: FileServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server, wanted = self.server, self.headers.get("Range", "")
        server.asked.append(f"{self.path} {wanted}".strip())
        fault = server.faults.pop(0) if server.faults else ""
        if fault == "drop":
            self.close_connection = True
            return
        if isinstance(fault, int):
            self._status(fault)
            return
        server.logins.append(self.headers.get("Authorization"))
        if self.path in server.moved:
            self._status(302, server.moved[self.path])
            return
        if fault == "changed":
            server.version += 1
        if server.password and self.headers.get("Authorization") != server.password:
            self._status(401)
            return
        path = server.folder / self.path.partition("?")[0].lstrip("/")
        if not path.is_file():
            self._status(404)
            return
        self._send(path.read_bytes(), wanted, cut=fault == "cut")

    def _send(self, content: bytes, wanted: str, *, cut: bool) -> None:
        server, tag = self.server, f'"v{self.server.version}"'
        found = re.fullmatch(r"bytes=([0-9]+)-([0-9]*)", wanted) if server.parts else None
        if found and self.headers.get("If-Range", tag) != tag:
            found = None
        first = int(found[1]) if found else 0
        body = content[first : int(found[2]) + 1 if found[2] else None] if found else content
        self.send_response(206 if found else 200)
        if server.tags:
            self.send_header("ETag", tag)
        if found:
            self.send_header("Content-Range", f"bytes {first}-{first + len(body) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        body = body[: len(body) // 2] if cut else body
        server.sent += len(body)
        self.wfile.write(body)
        if cut:
            self.close_connection = True

    def _status(self, status: int, location: str = "") -> None:
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Retry-After", self.server.retry_after)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def file_server(folder: Path, *, parts: bool = True, faults: list[str | int] | None = None) -> Iterator[FileServer]:
    """Serve a folder for as long as the context lasts."""
    server = FileServer(folder, parts=parts, faults=faults)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
