"""A real server of llama.cpp with SmolLM2 behind it, and one that hides its log-probabilities."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from asof.weights.package_index import fetched_gguf


@contextmanager
def llama_server() -> Iterator[str]:
    """Serve SmolLM2 on a free port for a while, and give its address; without them the test is skipped."""
    xllamacpp: Any = pytest.importorskip("xllamacpp")
    file = fetched_gguf("smollm2")
    if file is None:
        pytest.skip("SmolLM2 is not here: asof models get smollm2")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(file)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings.hostnames, settings.port, settings.offline, settings.ui = ["127.0.0.1"], port, True, False
    settings.n_ctx, settings.n_parallel = 2048, 2
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1  # several wait for each other
    server = xllamacpp.Server(settings)
    yield server.listening_address
    del server


@contextmanager
def without_log_probabilities(address: str) -> Iterator[str]:
    """Stand before a chat server as those do that pass over what they do not have."""

    class Proxy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._give(httpx.get(f"{address}{self.path}"))

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            kept = {name: value for name, value in asked.items() if "logprobs" not in name}
            self._give(httpx.post(f"{address}{self.path}", json=kept, timeout=60))

        def _give(self, answer: httpx.Response) -> None:
            self.send_response(answer.status_code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{proxy.server_address[1]}"
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()
