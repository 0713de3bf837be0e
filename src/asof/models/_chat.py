"""What chat models behind an address share: messages to answers, several at a time; choosing by what is answered."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

from asof.errors import UserError
from asof.models import ChoiceRequest, until_stop
from asof.models._chat_answer import ChatAnswer, option_in, shares_of_tokens
from asof.models._together import together
from asof.models.usage import remark
from asof.wording.written_answer import UNFINISHED

CHARACTERS_PER_TOKEN = 4  # of English text; the server tells only after it was asked
_AROUND_A_PROMPT = 8  # tokens that a template puts around a message
TOKENS_OF_A_CHOICE = 8  # an option and the marks around it
_LISTED = 20  # likeliest tokens of the first place, the most that servers give


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One message, and how it is to be answered.

    Args:
        prompt: The user's message.
        most_tokens: Of the answer, without thinking.
        stop: Texts before which to end.
        temperature: 0 is the likeliest token each time; None leaves it to the server.
        seed: For servers that draw tokens at random.
        top: How many of the likeliest tokens to list at each place.
    """

    prompt: str
    most_tokens: int
    stop: tuple[str, ...] = ()
    temperature: float | None = 0.0
    seed: int | None = None
    top: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatSettings:
    """What decides what a chat model answers; part of the record of a run."""

    system: str = ""
    temperature: float = 0.0
    seed: int | None = None
    reasoning_tokens: int = 0
    reasoning_effort: str = ""
    samples: int = 1
    extra: str = ""

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise UserError(f"samples = {self.samples} asks nothing. Give 1 or more.")
        if self.reasoning_tokens < 0:
            raise UserError(f"reasoning_tokens = {self.reasoning_tokens} is not a valid budget. Give 0 or more.")
        if self.temperature < 0:
            raise UserError(f"temperature = {self.temperature:g} is below 0. Give 0, the likeliest answer, or more.")
        self.body()

    def body(self) -> dict[str, Any]:
        """Read what is to be sent beside everything else."""
        try:
            read = json.loads(self.extra or "{}")
        except ValueError as error:
            raise UserError(
                f"extra = {self.extra!r} is not JSON: {error}. Write --set 'extra={{\"top_k\": 1}}'"
            ) from error
        if not isinstance(read, dict):
            raise UserError(f"extra = {self.extra!r} is not a JSON object. Write --set 'extra={{\"top_k\": 1}}'")
        return read

    def as_row(self) -> dict[str, Any]:
        """Return those that are not as they are by default."""
        plain = ChatSettings()
        names = ("system", "temperature", "seed", "reasoning_tokens", "reasoning_effort", "samples", "extra")
        return {name: getattr(self, name) for name in names if getattr(self, name) != getattr(plain, name)}


class ChatModel:
    """A chat model: writes, and chooses among options. Each protocol has its own way to ask for one answer."""

    name: str
    counted_by = f"{CHARACTERS_PER_TOKEN} characters a token"

    def __init__(self, settings: ChatSettings, in_flight: int) -> None:
        self.settings: Mapping[str, Any] = settings.as_row()
        self._settings = settings
        self.items_at_once = in_flight  # each item by itself: what is answered is kept
        self.texts_at_once = 4 * in_flight

    def asked(self, request: ChatRequest, stop: Event) -> ChatAnswer:
        """Ask for one answer."""
        raise NotImplementedError

    @property
    def lists_tokens(self) -> bool:
        """Whether it may be asked for the likeliest tokens."""
        return False

    @property
    def thinks(self) -> bool:
        """Whether a budget for thinking was set."""
        return self._settings.reasoning_tokens > 0

    def chat(self, prompt: str) -> str:
        """Leave a prompt as it is: the server puts it into the template."""
        return prompt

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimate from their length how many tokens texts have, with the template and the system prompt."""
        system = len(self._settings.system) // CHARACTERS_PER_TOKEN
        return [_AROUND_A_PROMPT + system + -(-len(text) // CHARACTERS_PER_TOKEN) for text in texts]

    def write(self, prompts: Sequence[str], *, most_tokens: int, stop: Sequence[str] = ()) -> list[str]:
        """Return the answers to messages, without the thinking of models that think first."""

        def written(prompt: str, given_up: Event) -> str:
            found = self.asked(self._request(prompt, most_tokens, stop=tuple(stop)), given_up)
            self._remark(found)
            return until_stop(found.answer, stop)

        return together(written, prompts, self.items_at_once)

    def choose(self, requests: Sequence[ChoiceRequest]) -> list[list[float]]:
        """Return the share of each option: from the likeliest tokens where the server lists them, else from answers."""
        return together(self._chosen, requests, self.items_at_once)

    def _chosen(self, request: ChoiceRequest, given_up: Event) -> list[float]:
        nothing = [math.nan] * len(request.options)
        longest = max((len(option) for option in request.options), default=0)
        own, counts = self._settings, [0] * len(request.options)
        question = self._request(request.prompt, TOKENS_OF_A_CHOICE + longest // CHARACTERS_PER_TOKEN)
        if own.samples > 1 and own.temperature == 0:
            question = replace(question, temperature=1.0)
        top = _LISTED if self.lists_tokens and not self.thinks else 0
        for number in range(own.samples):
            seed = None if own.seed is None else own.seed + number
            found = self.asked(replace(question, seed=seed, top=top), given_up)
            self._remark(found)
            if found.top:
                return shares_of_tokens(found.top, request.options) or nothing
            top = 0  # this one counts as the first sample
            which = option_in(found.answer, request.options)
            if which is not None:
                counts[which] += 1
        return [count / sum(counts) for count in counts] if sum(counts) else nothing

    def _request(self, prompt: str, most_tokens: int, *, stop: tuple[str, ...] = ()) -> ChatRequest:
        own = self._settings
        # What thinks may well think of a text at which the answer would end.
        return ChatRequest(prompt, most_tokens, () if self.thinks else stop, own.temperature, own.seed)

    def _remark(self, answer: ChatAnswer) -> None:
        if answer.ended == "declined":
            remark("declined", answer.why or "the model declined")
        elif answer.answer == UNFINISHED or (answer.ended == "cut off" and not answer.answer.strip()):
            remark("declined", "cut off while it was thinking: give it more with --set reasoning_tokens=")
        elif not answer.answer.strip():
            remark("declined", "its answer was empty")
