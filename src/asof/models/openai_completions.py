"""Any server that speaks the OpenAI completions protocol and gives log-probabilities of the prompt: vLLM, SGLang.

Users type ``openai-completions:http://127.0.0.1:8000/v1#MODEL``; a key comes from $OPENAI_API_KEY. Prompt and answer go
out as one text with ``echo``, the log-probabilities of its tokens come back, and those of the answer are summed.
To write needs no ``echo``: any completions server will do.

llama.cpp's own server refuses ``echo``. llama-cpp-python's answers, but its source gives every token the
log-probability of its neighbour when the model's texts begin with no special token; trust it only where they do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from threading import Event
from typing import Any, ClassVar

from asof.errors import UserError
from asof.models import AnswerRequest, until_stop
from asof.models._endpoint import HTTPX_VERSION, Endpoint, KeyFrom, RefusedError, ServerPatience
from asof.models._together import together
from asof.models._token_border import answer_tokens, token_spans
from asof.models.usage import spent
from asof.registry import models

_CHARACTERS_PER_TOKEN = 4  # of English text, where the server does not tell
_TEXTS_TO_COUNT = 20


class NothingBeforeError(UserError):
    """A text begins with its answer, and the server puts no token before it."""


@models.register("openai-completions")
class OpenAICompletions:
    """Any completions server with log-probabilities of the prompt (vLLM, SGLang): ADDRESS#MODEL. Scores and writes.

    Args:
        location: The address up to and with /v1, a #, and the model's name there; a server of one model needs no name.
        in_flight: How many requests are under way at a time.
        prompts_per_request: How many prompts go together, where the server takes several.
        tries: How often a request is sent before the run stops.
        first_wait: Seconds before the second try; each wait is about twice the one before.
        longest_wait: Seconds; a server that asks for more patience stops the run.
        timeout: Seconds without a byte after which a try has failed.
        begins: What to put before a text that begins with its answer: the model's token that begins a text, such as
            ``<|endoftext|>``. By default a server that puts one there itself is left to it, any other gets a new line.
        key_from: The environment variable that holds the key.
    """

    can: ClassVar[frozenset[str]] = frozenset({"answer_logprob", "write"})
    together: ClassVar[frozenset[str]] = frozenset({"answer_logprob"})  # verbs for which many items share a request
    scores_beginnings: ClassVar[bool] = True

    def __init__(
        self,
        location: str,
        *,
        in_flight: int = 8,
        prompts_per_request: int = 16,
        tries: int = 6,
        first_wait: float = 0.5,
        longest_wait: float = 60.0,
        timeout: float = 120.0,
        begins: str | None = None,
        key_from: str = "OPENAI_API_KEY",
    ) -> None:
        if prompts_per_request < 1:
            raise UserError(f"prompts_per_request = {prompts_per_request} leaves nothing to ask. Give 1 or more.")
        written, _, model = location.partition("#")
        self._endpoint = Endpoint(
            written,
            below="completions",
            kind="openai-completions",
            key=KeyFrom(variable=key_from),
            patience=ServerPatience(
                in_flight=in_flight,
                tries=tries,
                first_wait=first_wait,
                longest_wait=longest_wait,
                timeout=timeout,
            ),
            explained=self._refuses_echo,
        )
        self.address = self._endpoint.address_with_version
        self._in_flight, self._prompts_per_request = in_flight, prompts_per_request
        self.items_at_once = in_flight
        self.texts_at_once = 4 * in_flight  # of a few requests that end at different times, few wait for the last
        self._takes_lists: bool | None = None if prompts_per_request > 1 else False
        self.counted_by = ""  # after count_tokens: where its numbers come from
        self.model = model or self._endpoint.only_model()
        self._begins = begins  # None: not yet known
        self.name = f"{self.address}#{self.model}" + (f" after {begins!r}" if begins else "")

    def describe(self) -> dict[str, str]:
        """Return what identifies the model and its server, as far as the server tells."""
        about = {"kind": "openai-completions", "address": self.address, "model": self.model, "httpx": HTTPX_VERSION}
        return about | self._endpoint.about(self.model)

    def chat(self, prompt: str) -> str:
        """Say that a completions server keeps its chat template to itself."""
        raise UserError(
            f"The chat template is in the model's folder; {self.address} does not provide it. "
            "Use transformers-causal:FOLDER, or run with --format raw."
        )

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimate how many tokens texts have, from one call for some of them; without an answer, from their length.

        ``counted_by`` says which of the two it was.
        """
        sample = "\n".join(texts[:_TEXTS_TO_COUNT])
        per_token = float(_CHARACTERS_PER_TOKEN)
        self.counted_by = f"{_CHARACTERS_PER_TOKEN} characters a token"
        tokens = None
        if sample:
            try:
                tokens = _usage(self._complete(self._body([sample]), Event()), "prompt_tokens")
            except UserError:
                tokens = None  # an estimate is no reason to stop; the first score will be
        if tokens:
            per_token = len(sample) / tokens
            self.counted_by = f"the server's count for {len(sample):,} characters"
        return [max(1, round(len(text) / per_token)) for text in texts]

    def answer_logprob(self, requests: Sequence[AnswerRequest]) -> list[float]:
        """Return log P(answer | prompt) for each request, in their order."""
        requests = [request if request.prompt else self._begun(request) for request in requests]
        if self._takes_lists is None and len(requests) > 1:
            self._takes_lists = self._answers_lists(requests[:2])
        size = self._prompts_per_request if self._takes_lists else 1
        batches = [requests[start : start + size] for start in range(0, len(requests), size)]
        return [score for scores in together(self._scored, batches, self._in_flight) for score in scores]

    def _begun(self, request: AnswerRequest) -> AnswerRequest:
        """Put something before a text that begins with its answer, unless the server does."""
        if self._begins is None:
            try:
                self._scored([request], Event())
                self._begins = ""
            except NothingBeforeError:
                self._begins = "\n"
        return AnswerRequest(self._begins, request.answer)

    def write(self, prompts: Sequence[str], *, most_tokens: int, stop: Sequence[str] = ()) -> list[str]:
        """Go on where prompts end, always with the likeliest token; prompts go out as they are, without a template."""

        def written(prompt: str, given_up: Event) -> str:
            body: dict[str, Any] = {
                "model": self.model,
                "prompt": prompt,
                "max_tokens": most_tokens,
                "temperature": 0,
            }
            content = self._complete(body | ({"stop": list(stop)} if stop else {}), given_up)
            choices = content.get("choices")
            text = choices[0].get("text") if choices and isinstance(choices[0], dict) else None
            if not isinstance(text, str):
                raise UserError(f"{self.address} wrote nothing after {prompt[-60:]!r}: its answer has no text.")
            return until_stop(text, stop)

        return together(written, prompts, self._in_flight)

    def _complete(self, body: dict[str, Any], stop: Event) -> dict[str, Any]:
        content = self._endpoint.post(body, stop)
        spent(_usage(content, "prompt_tokens") or 0, _usage(content, "completion_tokens") or 0)
        return content

    def _refuses_echo(self, status: int, said: str) -> UserError | None:
        """Tell whether an error is about echo; a quoted "echo" is our own request, repeated."""
        if re.search(r"(?<!['\"])\becho\b(?!['\"])", said, re.IGNORECASE):
            return self._no_logprobs(f" ({' '.join(said.split())[:200]})")
        return None

    def _no_logprobs(self, said: str = "") -> UserError:
        return UserError(
            f"{self.address} gives no log-probabilities of the prompt{said}. Use vLLM or SGLang (llama.cpp's server "
            "has none), or read the weights with transformers-causal:FOLDER."
        )

    def _answers_lists(self, requests: Sequence[AnswerRequest]) -> bool:
        """Find out whether the server takes several prompts at a time; what it says of these two is not kept."""
        try:
            self._scored(requests, Event())
        except RefusedError:
            return False
        return True

    def _scored(self, requests: Sequence[AnswerRequest], stop: Event) -> list[float]:
        content = self._complete(self._body([request.text for request in requests]), stop)
        found = content.get("choices")
        choices = [choice for choice in found if isinstance(choice, dict)] if isinstance(found, list) else []
        if len(choices) != len(requests):
            raise RefusedError(
                f"{self.address} gave {len(choices)} choices for {len(requests)} prompts, so it cannot be told what "
                "belongs to which. Use a server that follows the completions protocol: vLLM or SGLang."
            )
        if {choice.get("index") for choice in choices} == set(range(len(choices))):
            choices.sort(key=lambda choice: int(choice["index"]))
        generated = _generated(content, len(choices))
        return [self._score(request, choice, generated) for request, choice in zip(requests, choices, strict=True)]

    def _score(self, request: AnswerRequest, choice: dict[str, Any], generated: Sequence[int]) -> float:
        """Sum the log-probabilities of the tokens that cover the answer."""
        given = choice.get("logprobs")
        lists = (
            [given.get(key) for key in ("tokens", "token_logprobs", "text_offset")] if isinstance(given, dict) else []
        )
        tokens, logprobs, offsets = (part if isinstance(part, list) else [] for part in lists or [None] * 3)
        if not tokens or len(tokens) != len(logprobs) or not any(isinstance(value, float | int) for value in logprobs):
            raise self._no_logprobs()
        tokens = [str(token) for token in tokens]
        offsets = [offset if isinstance(offset, int) else -1 for offset in offsets]
        for written in generated:
            end = len(tokens) - written
            spans = token_spans(tokens[:end], offsets[:end], request.text) if end > 0 else None
            if spans:
                break
        else:
            if len("".join(tokens)) < len(request.text) / 2:
                raise self._no_logprobs()
            raise UserError(
                f"The tokens of {self.address} do not spell the prompt: {''.join(tokens)[:80]!r} for "
                f"{request.text[:80]!r}. Start the server so that it returns tokens as text, not as ids."
            )
        count = answer_tokens(spans, len(request.prompt), request.text)
        wanted = logprobs[end - count : end]
        if count == end and wanted[0] is None:
            raise NothingBeforeError(
                f"{request.prompt[:60]!r}: nothing stands before the answer, so it has no probability."
            )
        if not all(isinstance(value, float | int) for value in wanted):
            raise self._no_logprobs()
        return float(sum(wanted))

    def _body(self, prompts: Sequence[str]) -> dict[str, Any]:
        return {
            "model": self.model,
            "prompt": prompts[0] if len(prompts) == 1 else list(prompts),
            "echo": True,
            "logprobs": 1,
            # One token is written and thrown away: old servers fail at 0, and llama-cpp-python takes 0 for no limit.
            "max_tokens": 1,
            "temperature": 0,
        }


def _usage(content: dict[str, Any], name: str) -> int | None:
    usage = content.get("usage")
    number = usage.get(name) if isinstance(usage, dict) else None
    return number if isinstance(number, int) else None


def _generated(content: dict[str, Any], choices: int) -> list[int]:
    """Tell how many tokens at the end of each choice the model wrote, the likeliest number first."""
    written = _usage(content, "completion_tokens")
    told = [written // choices] if written is not None and written % choices == 0 else []
    return [*told, *(count for count in (1, 0) if count not in told)]
