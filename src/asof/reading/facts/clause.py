"""A time that is told by another fact: "when Merkel became chancellor", "during Reagan's presidency", "under Lincoln".

A question is cut into its main part and such a clause; the facts that the clause speaks of tell the days.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from asof.reading.facts.holding import in_order
from asof.reading.facts.items import Name
from asof.reading.facts.lookup import FactMatch
from asof.reading.facts.phrases import Event
from asof.reading.facts.same_person import beside_somebody
from asof.timeline import MAX_DAY, MIN_DAY, Date
from asof.timeline.specifier import Days

_ASKS = r"(?=(?:who|whom|which|what|where|was|were|is|how)\b)"
_CLAUSE = re.compile(
    r"(?<=\w)[,\s]+(?P<link>when|while|whilst|at the time(?: that| when)?|during the time(?: that| when)?|as soon as"
    r"|(?:on )?the day (?:before|after)"
    r"|(?:on |in )?the (?:very )?(?:day|month|year)(?: that| when| in which| on which)?"
    r"|(?:right |just |immediately )?(?:before|after))\s+(?=\w)",
    re.IGNORECASE,
)
_CLAUSE_AHEAD = re.compile(
    rf"(?P<link>when|while|whilst|at the time(?: that| when)?)\s+(?P<clause>[^,]+),\s*{_ASKS}", re.IGNORECASE
)
_SPELL = r"(?:time|years|days|tenure|terms?|spell|stint|period|reign)"
_IN_A_POST = (
    r"(?:during|under|throughout|in|at the time of|in the time of|over)\s+(?:the\s+)?"
    rf"(?:(?P<who>[^,]+?)['’]s?\s+{_SPELL}\s+as\s+(?P<post>[^,]+?)"
    r"|(?P<before>[^,]+?)['’]s?\s+(?P<noun1>\w+)|(?P<noun2>\w+)\s+of\s+(?P<after>[^,]+?)"
    r"|(?P<plain>[\w.]+(?:\s+[\w.]+){0,2}?)\s+(?P<noun3>\w+))"
)
_UNDER = (
    r"(?:(?P<under>under|at the time of|in the days of)\s+(?P<ruler>[^,]+?)"
    r"|in\s+(?P<whose>[^,]+?)['’]s?\s+(?:days?|time|era))"
)
_TENURE = re.compile(rf"(?<=\w)[,\s]+{_IN_A_POST}[\s?.!]*$", re.IGNORECASE)
_TENURE_AHEAD = re.compile(rf"^{_IN_A_POST},\s*{_ASKS}", re.IGNORECASE)
_RULED = re.compile(rf"(?<=\w)[,\s]+{_UNDER}[\s?.!]*$", re.IGNORECASE)
_RULED_AHEAD = re.compile(rf"^{_UNDER},\s*{_ASKS}", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:he|she|they|it)\b\s*", re.IGNORECASE)
_OWN_POST = re.compile(
    r"^(?P<asks>who (?:was|were)) (?P<who>[^,?]+?)['’]s? (?P<post>\w[^,?]+?)[\s?.!]*$", re.IGNORECASE
)
_RULERS = ("ruler", "boss")  # under Lincoln, under Ferguson


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of time: "while", "Reagan was president"."""

    link: str
    text: str


def clauses(text: str, tenures: Mapping[str, str]) -> Iterator[tuple[str, Clause | None]]:
    """Walk over the ways to cut a question into a main part and a clause of time; first without a cut.

    >>> [(main, clause.text) for main, clause in clauses("Who led Italy while Obama was president?", {}) if clause]
    [('Who led Italy', 'Obama was president?')]

    Args:
        tenures: Nouns for the time in a post, such as presidency, and the post.
    """
    yield text, None
    for pattern in (_TENURE, _TENURE_AHEAD):
        if tenure := pattern.search(text):
            post = tenure["post"] or tenures.get(
                (tenure["noun1"] or tenure["noun2"] or tenure["noun3"] or "").casefold()
            )
            if post:
                who = tenure["who"] or tenure["before"] or tenure["after"] or tenure["plain"]
                yield _without(text, tenure), Clause("while", f"{who} was the {post}")
    for said in beside_somebody(text):
        yield said, None
    if owned := _OWN_POST.match(text):
        yield f"{owned['asks']} {owned['post']}", Clause("under", f"{owned['who']} was the {_RULERS[0]}")
    for pattern in (_RULED, _RULED_AHEAD):
        if ruled := pattern.search(text):
            for post in _RULERS:
                link, who = (ruled["under"] or "while").casefold(), ruled["ruler"] or ruled["whose"]
                yield _without(text, ruled), Clause(link, f"{who} was the {post}")
    if ahead := _CLAUSE_AHEAD.match(text):
        yield _without(text, ahead), Clause(ahead["link"].casefold(), ahead["clause"])
    for match in _CLAUSE.finditer(text):
        yield text[: match.start()], Clause(match["link"].casefold(), text[match.end() :])


def _without(text: str, cut: re.Match[str]) -> str:
    return text[: cut.start()] + text[cut.end() :]


def told_by(
    matches: Sequence[FactMatch], event: Event | None, named: Collection[str], known_by: Date | None
) -> list[FactMatch]:
    """Keep the facts that a clause means where it leaves an end open: "when Shaq joined", "while Elizabeth was queen".

    They are those whose end the main part of the question names ("coach of the Lakers"); else, of several, one must
    span all, or none is meant; when it began, the others had not.
    """
    ends = {one.answer for one in matches if one.wanted}
    if len(ends) < 2:
        return list(matches)
    if there := [one for one in matches if one.answer in named]:
        return there
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in matches]
    first, last = min(one.earliest_start for one in bounds), max(one.latest_end for one in bounds)
    widest = [
        one for one, its in zip(matches, bounds, strict=True) if its.earliest_start == first and its.latest_end == last
    ]
    return list(matches) if widest and event is None else widest


def told_of(names: Sequence[Name], clause: Clause) -> Iterator[Clause]:
    """Walk over what a clause may say, as far as it leans on the names in the rest of the question.

    "He" is somebody who is named there, and an office may belong to a place that is: "who was prime minister of Canada
    when Buchan was governor general".
    """
    if pronoun := _PRONOUN.match(clause.text):
        for name in names:
            yield replace(clause, text=f"{name.text} {clause.text[pronoun.end() :]}")
    yield clause
    if not pronoun:
        for name in names:
            yield replace(clause, text=f"{clause.text.rstrip('?.! ')} of {name.text}")


def shared(left: Sequence[Days], right: Sequence[Days]) -> tuple[Days, ...]:
    """Return the days that are in one as in the other."""
    both = ((max(a.first, b.first), min(a.last, b.last)) for a in left for b in right)
    return tuple(Days(first, last) for first, last in both if first <= last)


def days_of(
    matches: Sequence[FactMatch],
    event: Event | None,
    link: str,
    known_by: Date | None,
    stated: Sequence[Days] | None = None,
) -> tuple[Days, ...] | None:
    """Return the days of a start, of an end, or of the whole of facts, and what lies before or after them.

    Args:
        stated: Days that are named besides: "while Blair was prime minister in 2003".
    """
    stretches = [days for one in in_order(matches, known_by) if (days := _stretch(one, event, known_by))]
    if stated is not None:
        stretches = list(shared(stretches, stated))
    if not stretches:
        return None
    if link.endswith(("day before", "day after")):
        ahead = min(days.first for days in stretches) - 1
        behind = max(days.last for days in stretches) + 1
        return (Days(ahead, ahead),) if link.endswith("before") else (Days(behind, behind),)
    if link.endswith("before"):
        return (Days(MIN_DAY, min(days.first for days in stretches) - 1),)
    if link.endswith("after"):
        return (Days(max(days.last for days in stretches) + 1, MAX_DAY),)
    return tuple(stretches)


def _stretch(match: FactMatch, event: Event | None, known_by: Date | None) -> Days | None:
    fact = match.fact
    if event:
        end = fact.start if event == "start" else fact.end
        return Days(end.first, end.last) if isinstance(end, Date) else None
    bounds = fact.interval.bounds(known_by=known_by)
    if bounds.latest_start + 1 < bounds.earliest_end:  # without the days on which one hands over to the next
        return Days(bounds.latest_start + 1, bounds.earliest_end - 1)
    if bounds.latest_start <= bounds.earliest_end:  # surely in these days; where none is sure, at some time in those
        return Days(bounds.latest_start, bounds.earliest_end)
    return Days(bounds.earliest_start, bounds.latest_end)
