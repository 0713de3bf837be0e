"""Take a question apart: what kind it is, which time it gives, and the words that are left."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from asof.reading.facts.courtesy import without_courtesy
from asof.reading.facts.phrases import Event
from asof.reading.facts.rewording import in_a_post, in_the_present, reworded
from asof.reading.facts.words import Word, words_of
from asof.timeline import Date
from asof.timeline.specifier import Specifier, find_specifiers

Kind = Literal["which", "yes or no", "when", "how long", "how many", "how many times"]

_OPENINGS: tuple[tuple[str, Kind, Event | None], ...] = (
    (r"is it (?:true|correct|right|so) that", "yes or no", None),
    (r"(?:for )?how (?:long|many (?:years|days|months))(?: for)?\b", "how long", None),
    (r"(?:what (?:is|was) )?(?:the )?(?:length|duration) of", "how long", None),
    (r"(?:what (?:is|was) )?(?:the )?(?:total )?number of", "how many", None),
    (r"(?:in )?how many (?:times|stints|spells|separate times)|how often", "how many times", None),
    (r"how many(?: different)?(?! people| persons| inhabitants)", "how many", None),
    (r"from when (?:to|until|till) when", "when", None),
    (r"(?:since|from) (?:when|(?:what|which) (?:year|date|day))", "when", "start"),
    (r"(?:until|till|to) (?:when|(?:what|which) (?:year|date|day))", "when", "end"),
    (r"between (?:what|which) years", "when", None),
    (r"at (?:what|which) point(?: in time)?", "when", None),
    (
        r"(?:when|(?:(?:in|on|during) )?(?:what|which) "
        r"(?:years?|dates?|days?|months?|period|time|months? and year)(?! period))",
        "when",
        None,
    ),
)
_HELPERS = ["was", "is", "are", "were", "did", "does", "do", "has", "have", "had"]
_PRESENT = frozenset(("is", "are", "does", "do"))
# "Who used to own Chelsea" is "who did own Chelsea", but not who does; "is used to pay" is something else.
_USED_TO = re.compile(
    r"\b(?P<did>did\b[^,?]*? )used? to\b|(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\bused to(?P<be> be)?\b",
    re.IGNORECASE,
)
_FRONTED = re.compile(
    r"^(?P<link>for|of|in|at|to|with|by|under|after|on|from)\s+(?=(?:which|what|whom|whose|who)\b)", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question without its time."""

    text: str
    kind: Kind
    event: Event | None
    present: bool
    times: tuple[Specifier, ...]
    words: tuple[Word, ...]
    no_longer: bool = False  # "used to"
    fronted: str = ""  # "of" in "of which country was he a citizen"


@lru_cache(maxsize=64)  # the readings of one question take the same texts apart
def take_apart(text: str, *, today: Date) -> Question:
    """Find the kind, the times and the other words of a question."""
    said = reworded(without_courtesy(text))
    asked = _USED_TO.sub(lambda used: used["did"] or ("was" if used["be"] else "did"), said)
    times = find_specifiers(asked, today=today)
    if any(time.days.first > today.last for time in times):
        asked = in_the_present(asked)
        times = find_specifiers(asked, today=today)
    plain = _blank_out(asked, times)
    kind, event, rest = _kind(plain)
    if kind in ("how long", "when"):
        rest = in_a_post(rest)
    fronted = _FRONTED.match(rest.lstrip(" ,"))
    if fronted:
        rest = rest.lstrip(" ,")[fronted.end() :]
    words = words_of(rest)
    if kind == "how long":  # "how long did he last" asks for no last one; "the last king" does
        words = [word for before, word in zip([None, *words], words, strict=False) if not _lasts(word, before)]
    helper = next((word.text for word in words if word.text in _HELPERS), "")
    return Question(
        text=asked,
        kind=kind,
        event=event,
        present=helper in _PRESENT or bool(re.match(r"(?:who|what|where)['’]s\b", rest.strip(), re.IGNORECASE)),
        times=tuple(times),
        words=tuple(words),
        no_longer=asked != said and kind in ("which", "how many"),
        fronted=fronted["link"].casefold() if fronted else "",
    )


def _lasts(word: Word, before: Word | None) -> bool:
    verb = word.text in ("last", "lasted")
    return verb and before is not None and before.text != "the" and not before.possessive


def _kind(plain: str) -> tuple[Kind, Event | None, str]:
    lead = plain.lstrip(" ,")
    for pattern, kind, event in _OPENINGS:
        match = re.match(rf"(?:{pattern})(?!\w)", lead, re.IGNORECASE)
        if match:
            return kind, event, lead[match.end() :]
    first = lead.split(maxsplit=1)[0].casefold() if lead.split() else ""
    if first in _HELPERS:
        return "yes or no", None, lead
    return "which", None, lead


def _blank_out(text: str, times: list[Specifier]) -> str:
    for time in reversed(times):
        text = text[: time.start] + " " * (time.end - time.start) + text[time.end :]
    return text
