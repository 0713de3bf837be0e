"""How a query was read, in words: what kind it is, which relations, names and times it speaks of."""

from __future__ import annotations

from asof.reading.ask.evaluate.choice import Choice
from asof.reading.ask.query import Count, Duration, During, Extreme, Lookup, Neighbour, Ordered, Texts, When, YesNo
from asof.reading.ask.query_words import time_in_words

_KINDS = {Lookup: "which", When: "when", Duration: "how long", YesNo: "yes or no"}


def read_as(choice: Choice) -> dict[str, str]:
    """Return what a query says, by the keys of ``QuestionRow``."""
    query, relations = choice.query, choice.lookup.store.relations
    used = dict.fromkeys(one.fact.relation for one in choice.found) or dict.fromkeys(one.id for one in choice.relations)
    said = {
        "kind": _kind(choice),
        "subject": _texts(query.subject),
        "relation": ", ".join(str(relations[id]) for id in used),
        "object": _texts(query.object),
        "when": _when(choice),
        "beside": _beside(query.which) if isinstance(query.which, Neighbour) else "",
        "which": ", ".join(word for word in (_order(choice), query.event) if word),
    }
    return {name: value for name, value in said.items() if value}


def _kind(choice: Choice) -> str:
    query = choice.query
    if isinstance(query, Count):
        return "how many times" if query.what == "times" else "how many"
    return _KINDS[type(query)]


def _when(choice: Choice) -> str:
    when = choice.query.when
    if when is None:
        return ""
    days = ", ".join(map(str, choice.times)) if choice.times else "no days of it are known"
    said = time_in_words(when) if isinstance(when, During) else _texts(when)
    return f"{said} ({days})"


def _beside(which: Neighbour) -> str:
    of = which.of or "today's"
    if which.until:
        return f"between {of} and {which.until}"
    right = "" if which.all or which.count > 1 else "right "
    return f"{right}{which.side} {of}"


def _order(choice: Choice) -> str:
    which = choice.query.which
    if isinstance(which, Extreme):
        return which.most
    if not isinstance(which, Ordered):
        return ""
    return {1: "first", -1: "last"}.get(which.order, str(which.order))


def _texts(texts: Texts | None) -> str:
    return texts if isinstance(texts, str) else ", ".join(texts or ())
