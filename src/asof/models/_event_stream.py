"""A chat answer that came as a stream of events, which was not asked for: some proxies send nothing else."""

from __future__ import annotations

import json
from typing import Any

_BEGINS = "data:"


def is_event_stream(text: str) -> bool:
    """Tell whether a text is a stream of server-sent events."""
    return text.lstrip("\ufeff \r\n").startswith((_BEGINS, "event:", ": "))


def joined_events(text: str) -> dict[str, Any]:
    r"""Put the pieces of a streamed answer together, as it would have come in one.

    >>> pieces = ['{"choices": [{"delta": {"content": "Mario"}}]}', '{"choices": [{"delta": {"content": " Draghi"}}]}']
    >>> joined_events("".join(f"data: {piece}\n\n" for piece in [*pieces, "[DONE]"]))["choices"][0]["message"]
    {'role': 'assistant', 'content': 'Mario Draghi'}

    Raises:
        ValueError: It breaks off: a piece is no JSON, or the end is missing.
    """
    pieces = [line.removeprefix(_BEGINS).strip() for line in text.splitlines() if line.startswith(_BEGINS)]
    found = [json.loads(piece) for piece in pieces if piece and piece != "[DONE]"]
    first = [piece["choices"][0] for piece in found if isinstance(piece, dict) and piece.get("choices")]
    if "[DONE]" not in pieces and not any(one.get("finish_reason") for one in first):
        raise ValueError("the stream broke off")
    whole: dict[str, Any] = {}
    for piece in found:
        whole |= {name: value for name, value in piece.items() if value is not None} if isinstance(piece, dict) else {}
    deltas = [one.get("delta") or {} for one in first]
    message = {"role": "assistant", "content": "".join(str(delta.get("content") or "") for delta in deltas)}
    thought = "".join(str(delta.get("reasoning_content") or delta.get("reasoning") or "") for delta in deltas)
    finish = next((one["finish_reason"] for one in reversed(first) if one.get("finish_reason")), None)
    message |= {"reasoning_content": thought} if thought else {}
    return whole | ({"choices": [{"message": message, "finish_reason": finish}]} if first else {})
