"""What a server of the OpenAI chat protocol takes, learned from what it refuses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

_LISTS = (20, 10, 5, 0)  # how many likeliest tokens servers may give
_NO_SYSTEM = re.compile(
    r"\bsystem.{0,3} (role|message|prompt|instruction)|\brole\b.*\bsystem\b|developer instruction", re.IGNORECASE
)
_LEFT_OUT = ("temperature", "seed", "stop")  # what an answer can do without when a server refuses it


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server takes, as far as it is known.

    Args:
        limit: Its name for the most tokens of an answer.
        limits: Names that were not tried yet.
        top: How many likeliest tokens it lists.
        without: What it refuses.
        system_apart: Whether it takes a system prompt as a message of its own.
    """

    limit: str = "max_tokens"
    limits: tuple[str, ...] = ("max_completion_tokens",)
    top: int = _LISTS[0]
    without: frozenset[str] = field(default_factory=frozenset)
    system_apart: bool = True

    def messages(self, system: str, prompt: str) -> list[dict[str, str]]:
        r"""Return the messages of a request; a system prompt that may not stand by itself begins the user's message.

        >>> Dialect(system_apart=False).messages("Be brief.", "Who?")
        [{'role': 'user', 'content': 'Be brief.\n\nWho?'}]
        """
        if not system:
            return [{"role": "user", "content": prompt}]
        if not self.system_apart:
            return [{"role": "user", "content": f"{system}\n\n{prompt}"}]
        return [{"role": "system", "content": system}, {"role": "user", "content": prompt}]

    def after_refusal(self, said: str, body: Mapping[str, Any]) -> Dialect | None:
        r"""Return what to try when a server refuses a request; None when it says nothing that can be done without.

        >>> plain = Dialect()
        >>> plain.after_refusal("'max_tokens' is not supported, use 'max_completion_tokens'", {"max_tokens": 5}).limit
        'max_completion_tokens'
        >>> plain.after_refusal("top_logprobs must be at most 10", {"logprobs": True, "top_logprobs": 20}).top
        10
        >>> sorted(plain.after_refusal("Unsupported value: 'temperature'", {"temperature": 0}).without)
        ['temperature']
        >>> plain.after_refusal("who are you?", {"temperature": 0})
        """
        if "logprobs" in body and "logprob" in said:
            fewer = [most for most in _LISTS if most < self.top]
            return replace(self, top=fewer[0] if "top_logprobs" in said else 0)
        if self.limit in said and self.limits:
            return replace(self, limit=self.limits[0], limits=self.limits[1:])
        for name in _LEFT_OUT:
            if name in body and name in said:
                return replace(self, without=self.without | {name})
        begins: Mapping[str, Any] = next(iter(body.get("messages", ())), {})
        if self.system_apart and begins.get("role") == "system" and _NO_SYSTEM.search(said):
            return replace(self, system_apart=False)
        return None
