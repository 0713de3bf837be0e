"""A filter for retrieval: passages of which a claim no longer holds are told from those that may be used."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from asof.errors import UserError
from asof.reading.verify.verification import TextVerification, TextVerifier

DROPPED = ("outdated", "contradicted")  # what a passage is left out for
_TEXT = ("text", "content", "passage", "contents", "page_content")


@dataclass(frozen=True)
class VerifiedPassage:
    """A passage as it came, what was found in it, and whether it may be used."""

    passage: Mapping[str, Any]
    found: TextVerification | None
    keep: bool

    def as_row(self) -> dict[str, Any]:
        """Return the passage with what was found: under ``keep`` and ``verification``, which replace what was there."""
        row = self.found.as_row() if self.found else None
        return {**self.passage, "keep": self.keep, "verification": row}


def verified_passages(
    verifier: TextVerifier,
    passages: Iterable[Mapping[str, Any]],
    *,
    dropping: Collection[str] = DROPPED,
    field: str | None = None,
) -> Iterator[VerifiedPassage]:
    """Hold passages against a base.

    A passage is dropped where one of its claims surely has a verdict of ``dropping``; one without words is kept.

    Args:
        field: The key of the text; by default text, content or passage.
    """
    for number, passage in enumerate(passages, start=1):
        text = _text(passage, field, number)
        found = verifier.verify(text) if any(letter.isalnum() for letter in text) else None
        yield VerifiedPassage(passage, found, keep=found is None or not found.fails(dropping))


def passages_in(lines: Iterable[str], source: str) -> Iterator[dict[str, Any]]:
    """Read passages, one JSON object a line."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            passage = json.loads(line)
        except json.JSONDecodeError as error:
            raise UserError(f"{source}, line {number}, is not JSON: {error}. Give one object a line.") from error
        if not isinstance(passage, dict):
            raise UserError(f'{source}, line {number}, is not a JSON object. A passage is {{"text": "..."}}.')
        yield passage


def _text(passage: Mapping[str, Any], field: str | None, number: int) -> str:
    names = (field,) if field else _TEXT
    text = next((passage[name] for name in names if name in passage), None)
    if not isinstance(text, str):
        has = ", ".join(map(str, passage)) or "nothing"
        raise UserError(
            f"Passage {number} has no text under {' or '.join(map(repr, names))}; it has: {has}. "
            "Name the key with --field."
        )
    return text
