"""A small real chat server for the tests: OpenAI's and Anthropic's protocols over HTTP, misbehaving on a script."""

from __future__ import annotations

import json
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "scripted"
TOKENS_IN, TOKENS_OUT = 20, 3

Answer = tuple[int, Any, dict[str, str]]


class ChatServer(ThreadingHTTPServer):
    """Says to each prompt what its script says.

    Attributes:
        says: From a prompt to the text that is answered.
        likeliest: From a prompt to the probabilities of the first token; None lists none.
        faults: What to do wrong in the next calls, one each; None is a right answer.
        always: What to do wrong in every call after those.
        wrong_for: What to do wrong when a text stands in the prompt.
        refuses: Parameters that it takes for an error, with what it says of them.
        refuses_with: The status of that.
        refused_roles: Roles of messages that it takes for an error, with what it says of them.
        usage: What it says that an answer took; by default some tokens.
        most_top: How many likeliest tokens it lists at most.
        asked: How often each prompt was answered in full.
        calls: The bodies of all calls.
        seconds: How long an answer takes.
        on_call: Called with the number of each call, before it is answered.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.behave()

    def behave(self) -> None:
        """Forget all calls and misbehave no more."""
        self.says: Callable[[str], str] = lambda prompt: "Barack Obama"
        self.likeliest: Callable[[str], dict[str, float]] | None = None
        self.faults: list[str | None] = []
        self.always: str | None = None
        self.wrong_for: dict[str, str] = {}
        self.refuses: dict[str, str] = {}
        self.refuses_with = 400
        self.refused_roles: dict[str, str] = {}
        self.usage: dict[str, Any] | None = None
        self.most_top = 20
        self.prefix = "/v1"
        self.key = ""
        self.seconds = 0.0
        self.on_call: Callable[[int], None] = lambda number: None
        self.asked: Counter[str] = Counter()
        self.calls: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.together = self.most_together = 0

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def place(self) -> str:
        return f"{self.host}/v1"

    @property
    def model(self) -> str:
        return f"openai-chat:{self.place}#{MODEL}"

    def fault_for(self, prompt: str) -> str:
        with self.lock:
            wrong = next((fault for text, fault in self.wrong_for.items() if text in prompt), None)
            return wrong or (self.faults.pop(0) if self.faults else self.always) or ""


class Handler(BaseHTTPRequestHandler):
    """The addresses of the protocols that are needed."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ChatServer

    def do_GET(self) -> None:
        if self.path != f"{self.server.prefix}/models":
            return self._send(404, {"detail": "Not Found"}, {})
        return self._send(200, {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "tests"}]}, {})

    def do_POST(self) -> None:
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.calls.append(body)
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            server.together += 1
            server.most_together = max(server.most_together, server.together)
            number = len(server.calls)
        server.on_call(number)
        try:
            if server.seconds:
                time.sleep(server.seconds)
            answer = self._answer(body)
        finally:
            with server.lock:
                server.together -= 1
        if answer:
            self._send(*answer)
        else:
            self.close_connection = True

    def _answer(self, body: dict[str, Any]) -> Answer | None:
        """Make the status, the content and the headers of an answer; None breaks the connection."""
        server = self.server
        speaks = {f"{server.prefix}/chat/completions": _chat, f"{server.prefix}/messages": _message}.get(self.path)
        if speaks is None:
            return 404, {"detail": "Not Found"}, {}
        prompt = body["messages"][-1]["content"]
        kind, _, value = server.fault_for(prompt).partition(":")
        if server.key and server.key not in (self.headers["Authorization"] or self.headers["x-api-key"] or ""):
            return 401, {"error": {"message": f"Incorrect API key provided: {self.headers['Authorization']}"}}, {}
        if kind.isdigit():
            return int(kind), {"error": {"message": value or f"fault {kind}"}}, {}
        if kind == "error":  # with a code that programs read
            status, code = value.split(",")
            return int(status), {"error": {"message": "You exceeded something", "code": code, "type": code}}, {}
        if kind == "inside":  # as some routers send errors
            return 200, {"error": {"message": "upstream overloaded", "code": int(value)}}, {}
        if kind == "moved":
            return 308, {}, {"Location": f"{value}/v1/chat/completions?token=secret"}
        if kind == "page":
            return 404, b"<html><head><title>404 Not Found</title></head><body>nginx</body></html>", {}
        if kind == "busy":
            return 429, {"error": {"message": "Rate limit reached, requests per minute"}}, {"Retry-After": value}
        if kind == "drop":
            return None
        if body["model"] != MODEL:
            return 404, {"error": {"message": f"The model `{body['model']}` does not exist."}}, {}
        for name, message in server.refuses.items():
            if name in body:
                return server.refuses_with, {"error": {"message": message}}, {}
        for role, message in server.refused_roles.items():
            if any(one["role"] == role for one in body["messages"]):
                return 400, {"error": {"message": message}}, {}
        if body.get("top_logprobs", 0) > server.most_top:
            return 400, {"error": {"message": f"top_logprobs must be at most {server.most_top}"}}, {}
        content = speaks(server, body, prompt, kind, value)
        if kind == "cut":
            return 200, json.dumps(content).encode()[:-30], {}
        if kind.startswith("stream"):
            return 200, _streamed(content, whole=kind == "stream"), {}
        if kind not in ("empty", "no message"):
            with server.lock:
                server.asked[prompt] += 1
        return 200, content, {}

    def _send(self, status: int, content: Any, headers: dict[str, str]) -> None:
        written = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(written)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(written)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _chat(server: ChatServer, body: dict[str, Any], prompt: str, kind: str, value: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": server.says(prompt)}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    usage = server.usage or {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT}
    if body.get("logprobs") and server.likeliest and body["top_logprobs"]:
        tokens = [{"token": token, "logprob": math.log(p)} for token, p in server.likeliest(prompt).items()]
        choice["logprobs"] = {"content": [tokens[0] | {"top_logprobs": tokens[: body["top_logprobs"]]}]}
    if kind == "empty":
        message["content"] = ""
    elif kind == "refusal":
        message |= {"content": None, "refusal": "I cannot help with that."}
    elif kind == "filter":
        message["content"], choice["finish_reason"] = "", "content_filter"
    elif kind == "tool":
        call = {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
        message |= {"content": None, "tool_calls": [call]}
        choice["finish_reason"] = "tool_calls"
    elif kind == "number":
        message["content"] = 7
    elif kind == "thinks":
        message |= {"content": "", "reasoning_content": "Let me see. In 2011"}
        choice["finish_reason"] = "length"
    content: dict[str, Any] = {"object": "chat.completion", "model": MODEL, "choices": [choice], "usage": usage}
    if kind == "no message":
        content["choices"] = []
    if kind == "other model":
        content["model"] = value
    return content


def _streamed(content: dict[str, Any], *, whole: bool) -> bytes:
    """Send an answer in pieces, although nobody asked for a stream."""
    text = content["choices"][0]["message"]["content"]
    deltas = [{"choices": [{"delta": {"content": letter}}]} for letter in text]
    lines = [json.dumps(one) for one in [*deltas, {"choices": [], "usage": content["usage"]}]]
    return "".join(f"data: {line}\n\n" for line in [*lines, *(["[DONE]"] if whole else [])]).encode()


def _message(server: ChatServer, body: dict[str, Any], prompt: str, kind: str, value: str) -> dict[str, Any]:
    parts = [{"type": "text", "text": server.says(prompt)}]
    if body.get("thinking"):
        parts.insert(0, {"type": "thinking", "thinking": "Was it George Bush?", "signature": "x"})
    reason = "end_turn"
    if kind == "refusal":
        parts, reason = [], "refusal"
    elif kind == "thinks":
        parts, reason = [{"type": "thinking", "thinking": "Was it"}], "max_tokens"
    elif kind == "empty":
        parts = []
    return {
        "type": "message",
        "model": value if kind == "other model" else MODEL,
        "content": parts,
        "stop_reason": reason,
        "usage": {"input_tokens": TOKENS_IN, "output_tokens": TOKENS_OUT},
    }


@contextmanager
def chatting() -> Iterator[ChatServer]:
    """Serve on a free port for a while."""
    server = ChatServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.faults, server.always = [], "drop"
        server.shutdown()
        server.server_close()
        thread.join()
