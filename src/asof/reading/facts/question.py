"""Take a question apart: what kind it is, which time it gives, and the words that are left."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from asof.reading.facts.courtesy import without_courtesy
from asof.reading.facts.phrases import Event, phrases
from asof.reading.facts.words import Word, words_of
from asof.reading.times.specifier import Specifier, find_specifiers
from asof.timeline import Date

Kind = Literal["which", "yes or no", "when", "how long", "how many", "how many times"]

_OPENINGS: tuple[tuple[str, Kind, Event | None], ...] = (
    (r"is it (?:true|correct|right|so) that", "yes or no", None),
    (r"(?:for )?how (?:long|many (?:years|days|months))(?: for)?\b", "how long", None),
    (r"(?:what (?:is|was) )?(?:the )?(?:length|duration) of", "how long", None),
    (r"(?:what (?:is|was) )?(?:the )?(?:total )?number of", "how many", None),
    (r"how many times|how often", "how many times", None),
    (r"how many(?: different)?(?! people| persons| inhabitants)", "how many", None),
    (r"(?:since|from) (?:when|(?:what|which) (?:year|date|day))", "when", "start"),
    (r"(?:until|till|to) (?:when|(?:what|which) (?:year|date|day))", "when", "end"),
    (r"(?:from when (?:to|until) when|between (?:what|which) years)", "when", None),
    (
        r"(?:when|(?:(?:in|on|during) )?(?:what|which) "
        r"(?:years?|dates?|days?|months?|period|time|months? and year)(?! period))",
        "when",
        None,
    ),
)
_HELPERS = ["was", "is", "are", "were", "did", "does", "do", "has", "have", "had"]
_PRESENT = frozenset(("is", "are", "does", "do"))
_FRONTED = re.compile(
    r"^(?P<link>for|of|in|at|to|with|by|under|after|on|from)\s+(?=(?:which|what|whom|whose|who)\b)", re.IGNORECASE
)
_TAKEN_PLACE = re.compile(r"\b(?:take|takes|took) (?P<whom>[^,?]+?)['’]s place\b", re.IGNORECASE)
# "Who took over the post from X" is "who succeeded X as the post"; a name follows, not a year.
_TAKEN_OVER = re.compile(r"\b(?:take|takes|took) over (?P<what>\S.*?) from (?P<whom>[A-ZÀ-Þ][^?.!]*)")


_REPRESENTED = re.compile(
    r"\brepresent(?:s|ed|ing)? (?P<state>[\w ]+?) in the (?:us |u\.s\. |united states )?"
    r"(?P<house>senate|house(?: of representatives)?|congress)\b",
    re.IGNORECASE,
)
_WHO = re.compile(r"\bthe man(?= (?:who|that|in charge|at the helm)\b)", re.IGNORECASE)
_ACTED = re.compile(r"\bact(?:s|ed|ing)? as\b", re.IGNORECASE)  # but "the acting president" was no other
_HELPING = r"(?:was|is|were|did|has|had)"
_TENURE = re.compile(
    rf"(?:(?<!\w)(?P<before>(?!{_HELPING}\b)\w[^,?]*?)['’]s?\s+(?P<noun1>\w+)"
    r"|(?:the\s+)?(?<!\w)(?P<noun2>\w+)\s+of\s+(?P<after>[^,?]+?(?=\s+(?:last|begin|start|end|stop)\b|[?.!\s]*$)))",
    re.IGNORECASE,
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
    fronted: str = ""  # "of" in "of which country was he a citizen"


def take_apart(text: str, *, today: Date) -> Question:
    """Find the kind, the times and the other words of a question."""
    asked = _TAKEN_OVER.sub(r"succeeded \g<whom> as \g<what>", without_courtesy(text))
    asked = _TAKEN_PLACE.sub(r"succeeded \g<whom>", asked)
    asked = _ACTED.sub("served as", _WHO.sub("the person", _REPRESENTED.sub(_seat, asked)))
    times = find_specifiers(asked, today=today)
    plain = _blank_out(asked, times)
    kind, event, rest = _kind(plain)
    if kind in ("how long", "when"):
        rest = _in_a_post(rest)
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
        fronted=fronted["link"].casefold() if fronted else "",
    )


def _seat(match: re.Match[str]) -> str:
    """Turn "represented Ohio in the Senate" into "was a senator from Ohio"."""
    office = "senator" if match["house"].casefold() == "senate" else "us representative"
    return f"was {office} from {match['state']}"


def _in_a_post(rest: str) -> str:
    """Turn "was Obama's presidency" into "was Obama the president"."""
    posts: dict[str, str] = phrases().table["tenures"]
    for match in _TENURE.finditer(rest):
        post = posts.get((match["noun1"] or match["noun2"]).casefold())
        if post:
            who = (match["before"] or match["after"]).strip()
            return f"{rest[: match.start()]} {who} the {post} {rest[match.end() :]}"
    return rest


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
