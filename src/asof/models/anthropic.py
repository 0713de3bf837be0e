"""Anthropic's models over its Messages protocol: anthropic:MODEL, with a key from $ANTHROPIC_API_KEY.

The protocol lists no likeliest tokens, so options are chosen by what is answered. Servers that speak it too, and
proxies, are reached by ``--set address=http://HOST:PORT/v1``.
"""

from __future__ import annotations

import re
from threading import Event
from typing import Any, ClassVar

from asof.errors import UserError
from asof.models import UnansweredError
from asof.models._chat import ChatModel, ChatRequest, ChatSettings
from asof.models._chat_answer import ChatAnswer, Ended
from asof.models._endpoint import HTTPX_VERSION, Endpoint, KeyFrom, RefusedError, ServerPatience
from asof.models.usage import remark, spent
from asof.registry import models

_VERSION = "2023-06-01"  # of the protocol; later models speak it, too
_LEAST_THINKING = 1024  # tokens; the protocol takes no smaller budget
_TOO_LONG = re.compile(r"prompt is too long|maximum allowed|context (window|limit)", re.IGNORECASE)
_QUOTA = re.compile(r"credit balance|billing|quota", re.IGNORECASE)


@models.register("anthropic")
class AnthropicMessages(ChatModel):
    """Anthropic's models (Claude) by name, over the Messages protocol. Writes, and chooses among options.

    Args:
        location: The name of the model.
        system: The system prompt.
        temperature: 0 is the likeliest answer each time.
        samples: How often to ask which option it chooses; more than one are drawn at a temperature of 1 unless you give
            another.
        reasoning_tokens: How many tokens a model may think before it answers: 1024 or more, 0 for none.
        extra: What else to send with each request, as JSON.
        in_flight: How many requests are under way at a time.
        tries: How often a request is sent before the run stops.
        first_wait: Seconds before the second try; each wait is about twice the one before.
        longest_wait: Seconds; a server that asks for more patience stops the run.
        timeout: Seconds without a byte after which a try has failed.
        key_from: The environment variable that holds the key.
        address: Of another server that speaks the protocol, up to and with /v1.
    """

    can: ClassVar[frozenset[str]] = frozenset({"write", "choose"})

    def __init__(
        self,
        location: str,
        *,
        system: str = "",
        temperature: float = 0.0,
        samples: int = 1,
        reasoning_tokens: int = 0,
        extra: str = "",
        in_flight: int = 4,
        tries: int = 10,
        first_wait: float = 1.0,
        longest_wait: float = 120.0,
        timeout: float = 300.0,
        key_from: str = "ANTHROPIC_API_KEY",
        address: str = "https://api.anthropic.com/v1",
    ) -> None:
        if not location:
            raise UserError("Say which model: anthropic:MODEL, by the name that Anthropic's documentation gives it.")
        if 0 < reasoning_tokens < _LEAST_THINKING:
            raise UserError(
                f"reasoning_tokens = {reasoning_tokens}: its models think with {_LEAST_THINKING} or more, or not."
            )
        settings = ChatSettings(
            system=system, temperature=temperature, samples=samples, reasoning_tokens=reasoning_tokens, extra=extra
        )
        super().__init__(settings, in_flight)
        self._endpoint = Endpoint(
            address,
            below="messages",
            kind="anthropic",
            key=KeyFrom(variable=key_from, header="x-api-key", before=""),
            patience=ServerPatience(
                in_flight=in_flight, tries=tries, first_wait=first_wait, longest_wait=longest_wait, timeout=timeout
            ),
            headers={"anthropic-version": _VERSION},
            explained=self._explained,
        )
        self.address, self.model = self._endpoint.address_with_version, location
        self.name = f"anthropic:{location}"

    def describe(self) -> dict[str, str]:
        """Return what identifies the model."""
        return {
            "kind": "anthropic",
            "address": self.address,
            "model": self.model,
            "protocol": _VERSION,
            "httpx": HTTPX_VERSION,
        }

    def asked(self, request: ChatRequest, stop: Event) -> ChatAnswer:
        """Ask for one answer."""
        try:
            content = self._endpoint.post(self._body(request), stop)
        except RefusedError as error:
            if error.lasting:
                raise
            raise UnansweredError(str(error)) from error
        usage = content.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        spent(_number(usage, "input_tokens"), _number(usage, "output_tokens"))
        by = content.get("model")
        if isinstance(by, str) and by and by != self.model:
            remark("answered_by", by)
        parts = content.get("content")
        if not isinstance(parts, list):
            raise UserError(f"{self.address} answered without content. Is it a server of the Messages protocol?")
        blocks = [part for part in parts if isinstance(part, dict)]
        text = "".join(str(part.get("text") or "") for part in blocks if part.get("type") == "text")
        thought = any("thinking" in str(part.get("type")) for part in blocks)
        reason = content.get("stop_reason")
        ended: Ended = "declined" if reason == "refusal" else "cut off" if reason == "max_tokens" else "by itself"
        return ChatAnswer(text, ended, thought, "the model declined" if ended == "declined" else "")

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        own = self._settings
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": request.most_tokens + own.reasoning_tokens,
            "messages": [{"role": "user", "content": request.prompt}],
        }
        if own.system:
            body["system"] = own.system
        if own.reasoning_tokens:  # which allows no temperature of one's own
            body["thinking"] = {"type": "enabled", "budget_tokens": own.reasoning_tokens}
        elif request.temperature is not None:
            body["temperature"] = request.temperature
        stops = [text for text in request.stop if text.strip()]  # the protocol takes no white space alone
        return body | ({"stop_sequences": stops} if stops else {}) | own.body()

    def _explained(self, status: int, said: str) -> UserError | None:
        if status in (400, 402, 403, 429) and _QUOTA.search(said):
            return UserError(
                f"{self.address} says that the credit is used up ({' '.join(said.split())[:200]}). All answers are "
                "kept; add credit, then run the same command again."
            )
        if status in (400, 413) and _TOO_LONG.search(said):
            return UnansweredError(f"the prompt is too long for {self.model} ({' '.join(said.split())[:120]})")
        return None


def _number(usage: dict[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) else 0
