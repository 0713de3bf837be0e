"""A small real completions server for the tests: the protocol over HTTP, a Transformers decoder behind it.

It writes tokens and offsets in the manner of several servers, and misbehaves when it is told to.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import torch
import transformers

# How servers write the tokens of an echoed prompt.
STYLES = ("openai", "vllm", "sglang", "llama-cpp-python", "no-spaces", "sentencepiece")
MODEL = "tiny"

Answer = tuple[int, Any, dict[str, str]]


class CompletionsServer(ThreadingHTTPServer):
    """Serves one folder.

    Attributes:
        faults: What to do wrong in the next calls, one each; None is a right answer.
        always: What to do wrong in every call after those.
        asked: How often each prompt was answered in full.
        gathering: Each call waits until so many are there together.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
        self.model: Any = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        self.model.train(False)
        self.lock = threading.Lock()
        self.together = 0
        self.released = threading.Event()  # lets slow calls go
        self.behave()

    def behave(self) -> None:
        """Forget all calls and misbehave no more."""
        self.released.set()
        self.released = threading.Event()
        self.style = "openai"
        self.takes_lists = True
        self.tells_usage = True
        self.reverses = False
        self.faults: list[str | None] = []
        self.always: str | None = None
        self.asked: Counter[str] = Counter()
        self.calls: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.gathering: threading.Barrier | None = None
        self.most_together = 0

    @property
    def place(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def next_fault(self) -> str | None:
        with self.lock:
            return self.faults.pop(0) if self.faults else self.always

    @torch.inference_mode()
    def choice(self, index: int, prompt: str, max_tokens: int) -> tuple[dict[str, Any], int, int]:
        """Echo one prompt with the log-probabilities of its tokens, and of one more if asked."""
        encoded = self.tokenizer(prompt, return_offsets_mapping=True)
        ids, starts = list(encoded["input_ids"]), [start for start, _ in encoded["offset_mapping"]]
        asked = len(ids)
        with self.lock:
            logprobs = self.model(input_ids=torch.tensor([ids])).logits[0].double().log_softmax(-1)
        values: list[float | None] = [None] + [float(logprobs[place, id]) for place, id in enumerate(ids[1:])]
        if max_tokens:
            best = int(logprobs[-1].argmax())
            ids, starts, values = [*ids, best], [*starts, len(prompt)], [*values, float(logprobs[-1, best])]
        tokens = [self.tokenizer.decode([id]) for id in ids]
        tokens, starts, values = self._styled(ids, tokens, starts, values)
        written = tokens[-1] if max_tokens else ""
        answer = {
            "index": index,
            "text": prompt + written,
            "logprobs": {"tokens": tokens, "token_logprobs": values, "text_offset": starts, "top_logprobs": None},
            "finish_reason": "length",
        }
        return answer, asked, len(ids) - asked

    @torch.inference_mode()
    def written(self, index: int, prompt: str, body: dict[str, Any]) -> tuple[dict[str, Any], int, int]:
        """Go on where a prompt ends, one likeliest token after the other, until a stop or the end."""
        ids = list(self.tokenizer(prompt)["input_ids"])
        asked, text, reason = len(ids), "", "length"
        for _ in range(body["max_tokens"]):
            with self.lock:
                best = int(self.model(input_ids=torch.tensor([ids])).logits[0, -1].argmax())
            ids.append(best)
            text = self.tokenizer.decode(ids[asked:], skip_special_tokens=True)
            ends = [text.index(end) for end in body.get("stop", []) if end in text]
            if best == self.tokenizer.eos_token_id or ends:
                text, reason = text[: min(ends, default=len(text))], "stop"
                break
        return {"index": index, "text": text, "logprobs": None, "finish_reason": reason}, asked, len(ids) - asked

    def _styled(
        self, ids: list[int], tokens: list[str], starts: list[int], values: list[float | None]
    ) -> tuple[list[str], list[int], list[float | None]]:
        if self.style == "llama-cpp-python":  # no BOS, parts of characters are left out, offsets of the text before
            skip = 1 if ids[0] == self.tokenizer.bos_token_id else 0
            before = [self.tokenizer.decode(ids[skip:end]).replace("\ufffd", "") for end in range(skip, len(ids))]
            shown = [token.replace("\ufffd", "") for token in tokens[skip:]]
            return shown, [len(text) for text in before], [None, *values[skip + 1 :]]
        if self.style == "sglang":
            return tokens, [-1] * len(tokens), values
        if self.style == "no-spaces":
            tokens = [token.strip() for token in tokens]
        if self.style == "sentencepiece":
            tokens = [token.replace(" ", "▁") for token in tokens]
        if self.style != "openai":  # they add up the lengths of tokens, special and broken ones too
            starts = [sum(map(len, tokens[:place])) for place in range(len(tokens))]
        return tokens, starts, values


class Handler(BaseHTTPRequestHandler):
    """The two addresses of the protocol that are needed."""

    protocol_version = "HTTP/1.1"
    server: CompletionsServer

    def do_GET(self) -> None:
        if self.path != "/v1/models" or self.server.always == "nothing here":
            return self._send(404, {"detail": "Not Found"}, {})
        entry = {"id": MODEL, "object": "model", "created": 1, "owned_by": "tests", "max_model_len": 512}
        return self._send(200, {"object": "list", "data": [entry]}, {})

    def do_POST(self) -> None:
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.calls.append(body)
            server.headers.append(dict(self.headers))
            server.together += 1
            server.most_together = max(server.most_together, server.together)
        try:
            if server.gathering:
                server.gathering.wait(timeout=20)
            answer = self._answer(body, server.next_fault())
        finally:
            with server.lock:
                server.together -= 1  # before the client hears of it and sends the next one
        if answer:
            self._send(*answer)
        else:
            self.close_connection = True

    def _answer(self, body: dict[str, Any], fault: str | None) -> Answer | None:
        """Make the status, the content and the headers of an answer; None breaks the connection."""
        server = self.server
        kind, _, value = (fault or "").partition(":")
        if kind.isdigit():
            return int(kind), {"error": {"message": value or f"fault {kind}"}}, {}
        if kind == "busy":
            return 429, {"error": {"message": "too many requests"}}, {"Retry-After": value}
        if kind == "nothing here":
            return 404, {"detail": "Not Found"}, {}
        if kind == "slow":
            server.released.wait(20)
        if kind in ("slow", "drop"):
            return None
        if body["model"] != MODEL:
            return 404, {"error": {"message": f"The model `{body['model']}` does not exist."}}, {}
        prompts = body["prompt"] if isinstance(body["prompt"], list) else [body["prompt"]]
        if len(prompts) > 1 and not server.takes_lists:
            return 422, {"detail": "prompt must be a string"}, {}
        if body.get("echo"):
            made = [server.choice(index, prompt, body["max_tokens"]) for index, prompt in enumerate(prompts)]
        else:
            made = [server.written(index, prompt, body) for index, prompt in enumerate(prompts)]
        choices = [choice for choice, _, _ in made]
        if server.reverses:
            choices.reverse()
        content: dict[str, Any] = {"object": "text_completion", "model": MODEL, "choices": choices}
        if server.tells_usage:
            content["usage"] = {
                "prompt_tokens": sum(asked for _, asked, _ in made),
                "completion_tokens": sum(written for _, _, written in made),
            }
        _spoil(content, kind)
        if kind == "cut":
            return 200, json.dumps(content).encode()[:-40], {}
        if kind == "no object":
            return 200, [content], {}
        if not kind:
            with server.lock:
                server.asked.update(prompts)
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


def _spoil(content: dict[str, Any], kind: str) -> None:
    """Take away or falsify what a server of that kind does not give."""
    for choice in content["choices"]:
        given = choice["logprobs"]
        if kind == "no text":
            choice["text"] = None
        if kind == "no logprobs":
            choice["logprobs"] = None
        elif kind == "new shape":
            choice["logprobs"] = {"content": [{"token": given["tokens"][-1], "logprob": -1.0}]}
        elif kind == "all null":
            given["token_logprobs"] = [None] * len(given["tokens"])
        elif kind == "answer null":
            given["token_logprobs"] = [-1.0, *[None] * (len(given["tokens"]) - 1)]
        elif kind == "fewer logprobs":
            given["token_logprobs"] = given["token_logprobs"][1:]
        elif kind == "written only":
            for key in ("tokens", "token_logprobs", "text_offset"):
                given[key] = given[key][-1:]
        elif kind == "ids":
            given["tokens"] = [f"token_id:{number}" for number, _ in enumerate(given["tokens"])]
    if kind == "one too many":
        content["choices"].append(content["choices"][0])
    elif kind == "one too few":
        content["choices"].pop()


@contextmanager
def serving(folder: Path) -> Iterator[CompletionsServer]:
    """Serve a folder on a free port for a while."""
    server = CompletionsServer(folder)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.faults, server.always = [], "drop"  # connections that are still open end with the next call
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
