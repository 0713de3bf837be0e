"""Any server that speaks the OpenAI chat protocol: OpenAI, Mistral, Gemini, vLLM, SGLang, llama.cpp, Ollama, LM Studio.

Users type ``openai-chat:https://api.openai.com/v1#MODEL``; a key comes from $OPENAI_API_KEY. A prompt goes out as the
message of a user. Servers and models differ in what they take; what one refuses is left out from then on, or asked for
by its other name, and it is asked once for all requests.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from threading import Event, Lock
from typing import Any, ClassVar

from asof.errors import UserError
from asof.models import UnansweredError
from asof.models._chat import ChatModel, ChatRequest, ChatSettings
from asof.models._chat_answer import ChatAnswer, Ended, TopTokens
from asof.models._chat_dialect import Dialect
from asof.models._endpoint import HTTPX_VERSION, Endpoint, KeyFrom, RefusedError, ServerPatience
from asof.models.usage import remark, spent
from asof.registry import models

_STOPS = 4  # more the protocol does not take
_EMPTY_TRIES = 3  # an answer with nothing in it is asked for again before it counts as empty
_TOO_LONG = re.compile(
    r"context.{0,5}length|maximum context|context.{0,5}(size|window)|too many tokens|prompt is too long", re.IGNORECASE
)
_QUOTA = re.compile(r"insufficient.quota|quota|billing|credit balance|payment", re.IGNORECASE)
_PASSING = re.compile(r"per (minute|second|hour|day)|rate.?limit", re.IGNORECASE)
_NOT_ALLOWED = re.compile(r"\blogprobs?\b|top_logprobs|unsupported_(parameter|value)", re.IGNORECASE)
_FILTERED = re.compile(r"content.?(filter|policy|management)|\bsafety\b|prohibited_content", re.IGNORECASE)


@models.register("openai-chat")
class OpenAIChat(ChatModel):
    """Any chat server (OpenAI, vLLM, llama.cpp, Ollama): ADDRESS#MODEL. Writes, and chooses among options.

    Args:
        location: The address up to and with /v1, a #, and the model's name there; a server of one model needs no name.
        system: The system prompt.
        temperature: 0 is the likeliest answer each time.
        seed: For servers that draw tokens at random.
        samples: How often to ask where the server lists no likeliest tokens, to see how often it chooses what; more
            than one are drawn at a temperature of 1 unless you give another.
        reasoning_tokens: How many tokens a model may think before it answers.
        reasoning_effort: How hard it should think, as its maker calls it: low, medium, high.
        extra: What else to send with each request, as JSON.
        in_flight: How many requests are under way at a time.
        tries: How often a request is sent before the run stops.
        first_wait: Seconds before the second try; each wait is about twice the one before.
        longest_wait: Seconds; a server that asks for more patience stops the run.
        timeout: Seconds without a byte after which a try has failed.
        key_from: The environment variable that holds the key.
    """

    can: ClassVar[frozenset[str]] = frozenset({"write", "choose"})

    def __init__(
        self,
        location: str,
        *,
        system: str = "",
        temperature: float = 0.0,
        seed: int | None = None,
        samples: int = 1,
        reasoning_tokens: int = 0,
        reasoning_effort: str = "",
        extra: str = "",
        in_flight: int = 8,
        tries: int = 10,
        first_wait: float = 0.5,
        longest_wait: float = 60.0,
        timeout: float = 300.0,
        key_from: str = "OPENAI_API_KEY",
    ) -> None:
        settings = ChatSettings(
            system=system,
            temperature=temperature,
            seed=seed,
            samples=samples,
            reasoning_tokens=reasoning_tokens,
            reasoning_effort=reasoning_effort,
            extra=extra,
        )
        super().__init__(settings, in_flight)
        written, _, model = location.partition("#")
        self._endpoint = Endpoint(
            written,
            below="chat/completions",
            kind="openai-chat",
            key=KeyFrom(variable=key_from),
            patience=ServerPatience(
                in_flight=in_flight, tries=tries, first_wait=first_wait, longest_wait=longest_wait, timeout=timeout
            ),
            explained=self._explained,
        )
        self.address = self._endpoint.address_with_version
        self.model = model or self._endpoint.only_model()
        self.name = f"openai-chat:{self.address}#{self.model}"
        self._dialect, self._lock = Dialect(), Lock()

    @property
    def lists_tokens(self) -> bool:
        """Whether the server lists likeliest tokens, as far as it is known."""
        return self._dialect.top > 0

    def describe(self) -> dict[str, str]:
        """Return what identifies the model and its server, as far as the server tells."""
        about = {"kind": "openai-chat", "address": self.address, "model": self.model, "httpx": HTTPX_VERSION}
        return about | self._endpoint.about(self.model)

    def asked(self, request: ChatRequest, stop: Event) -> ChatAnswer:
        """Ask for one answer; one with nothing in it is asked for again."""
        found: ChatAnswer | None = None
        for _ in range(_EMPTY_TRIES):
            try:
                content = self._sent(request, stop)
            except _FilteredError as error:
                return ChatAnswer("", "declined", why=str(error))
            usage = content.get("usage")
            usage = usage if isinstance(usage, dict) else {}
            spent(_number(usage, "prompt_tokens"), _number(usage, "completion_tokens"))
            by = content.get("model")
            if isinstance(by, str) and by and by != self.model:
                remark("answered_by", by)
            if content.get("choices") == [] and not _FILTERED.search(str(content)):
                found = None
                continue
            found = self._answer(content, request)
            if found.text.strip() or found.ended != "by itself" or found.thought or stop.is_set():
                break
        if found is None:
            raise UnansweredError(self._without_a_message(request))
        return found

    def _without_a_message(self, request: ChatRequest) -> str:
        return (
            f"{self.address} answered {request.prompt[-60:]!r} without a message. Use a server that follows the "
            "OpenAI chat protocol, or ask it with openai-completions."
        )

    def _sent(self, request: ChatRequest, stop: Event) -> dict[str, Any]:
        """Send a request in the dialect of the server, and learn from its refusals."""
        while True:
            dialect = self._dialect
            body = self._body(request, dialect)
            try:
                return self._endpoint.post(body, stop)
            except RefusedError as error:
                if not error.lasting:
                    raise UnansweredError(str(error)) from error
                with self._lock:
                    if self._dialect is dialect:  # nobody else has learned it meanwhile
                        learned = dialect.after_refusal(error.said, body)
                        if learned is None:
                            raise
                        self._dialect = learned

    def _body(self, request: ChatRequest, dialect: Dialect) -> dict[str, Any]:
        own = self._settings
        body: dict[str, Any] = {
            "model": self.model,
            "messages": dialect.messages(own.system, request.prompt),
            dialect.limit: request.most_tokens + own.reasoning_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
            "stop": list(request.stop[:_STOPS]) or None,
            "reasoning_effort": own.reasoning_effort or None,
        }
        if request.top and dialect.top:
            body |= {"logprobs": True, "top_logprobs": min(request.top, dialect.top)}
        sent = {name: value for name, value in body.items() if value is not None and name not in dialect.without}
        return sent | own.body()

    def _answer(self, content: dict[str, Any], request: ChatRequest) -> ChatAnswer:
        """Read the first choice of an answer."""
        choices = content.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
        message = choice.get("message") if choice else None
        if choice is None or not isinstance(message, dict):
            if _FILTERED.search(str(content)):
                return ChatAnswer("", "declined", why="content filter")
            raise UserError(self._without_a_message(request))
        text, refusal = _text(message.get("content")), message.get("refusal")
        finish = str(choice.get("finish_reason"))
        ended: Ended = "by itself"
        why = ""
        if isinstance(refusal, str) and refusal:
            ended, text, why = "declined", text or refusal, "the model declined"
        elif _FILTERED.search(finish):
            ended, why = "declined", "content filter"
        elif finish == "length":
            ended = "cut off"
        elif not text.strip() and (message.get("tool_calls") or message.get("function_call")):
            ended, why = "declined", "the model called a tool and wrote nothing"
        thought = any(message.get(name) for name in ("reasoning_content", "reasoning")) or _thinking_tokens(content) > 0
        top = _top(choice) if request.top else []
        if request.top and not top and self._dialect.top:
            with self._lock:
                self._dialect = replace(self._dialect, top=0)  # it passes over what it does not have
        return ChatAnswer(text, ended, thought, why, top)

    def _explained(self, status: int, said: str) -> UserError | None:
        if status == 402 or (status in (403, 429) and _QUOTA.search(said) and not _PASSING.search(said)):
            return UserError(
                f"{self.address} says that the quota is used up ({' '.join(said.split())[:200]}). All answers are "
                "kept; add credit or wait until it is renewed, then run the same command again."
            )
        if status in (400, 413, 422) and _TOO_LONG.search(said):
            return UnansweredError(f"the prompt is too long for {self.model} ({' '.join(said.split())[:120]})")
        if status == 403 and _NOT_ALLOWED.search(said):  # so OpenAI, of models that reason
            return RefusedError(f"{self.address} answered with status 403 ({said[:200]}).", said=said)
        if status == 400 and _FILTERED.search(said):
            return _FilteredError("content filter")
        return None


class _FilteredError(UserError):
    """A prompt that a filter did not let through."""


def _text(content: Any) -> str:
    """Return the text of a message; some servers give it in parts, of which those with thinking are no answer.

    >>> _text([{"type": "thinking", "text": "Was it Bush?"}, {"type": "text", "text": "Obama"}])
    'Obama'
    >>> _text({"text": "Obama"}), _text(["Oba", "ma"]), _text(2), _text(None)
    ('Obama', 'Obama', '2', '')
    """
    if isinstance(content, list):
        return "".join(map(_text, content))
    if isinstance(content, dict):
        return _text(content.get("text")) if content.get("type", "text") in ("text", "output_text") else ""
    return "" if content is None or isinstance(content, bool) else str(content)


def _top(choice: Mapping[str, Any]) -> list[TopTokens]:
    """Return the likeliest tokens at each place of an answer, as far as they are given."""
    given = choice.get("logprobs")
    places = given.get("content") if isinstance(given, dict) else None
    found: list[TopTokens] = []
    for place in places if isinstance(places, list) else []:
        listed = place.get("top_logprobs") if isinstance(place, dict) else None
        tokens = [one for one in listed or [place] if isinstance(one, dict)]
        numbers = [(one.get("token"), one.get("logprob")) for one in tokens]
        found.append(
            [
                (token, float(value))
                for token, value in numbers
                if isinstance(token, str) and isinstance(value, float | int) and not math.isnan(value)
            ]
        )
    return found if any(found) else []


def _thinking_tokens(content: Mapping[str, Any]) -> int:
    usage = content.get("usage")
    details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
    return _number(details, "reasoning_tokens") if isinstance(details, dict) else 0


def _number(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
