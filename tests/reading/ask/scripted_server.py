"""A completions server that writes what a test tells it to, over real HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ScriptedServer(ThreadingHTTPServer):
    """Answers each prompt with the next text, and keeps the prompts."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), ScriptedHandler)
        self.texts = texts
        self.prompts: list[str] = []

    @property
    def place(self) -> str:
        """What ``asof ask --with`` takes."""
        return f"openai-completions:http://127.0.0.1:{self.server_port}/v1#scripted"


class ScriptedHandler(BaseHTTPRequestHandler):
    """The part of the protocol that writing needs."""

    server: ScriptedServer

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": "scripted"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.prompts.append(body["prompt"])
        self._send({"choices": [{"index": 0, "text": self.server.texts.pop(0), "finish_reason": "stop"}]})

    def _send(self, content: object) -> None:
        data = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def writing(*texts: str) -> Iterator[ScriptedServer]:
    """Serve these texts, one for each prompt."""
    server = ScriptedServer(list(texts))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
