"""A query in a plain line, for whoever wants to see how a question was read."""

from __future__ import annotations

from asof.reading.ask.query import (
    Compare,
    Count,
    Duration,
    During,
    Extreme,
    Lookup,
    Neighbour,
    Ordered,
    Pattern,
    Query,
    Texts,
    When,
    YesNo,
)

_MOMENTS = {
    "whole": "while {}", "start": "when it began that {}", "end": "when it ended that {}", "before": "before {}",
    "after": "after {}", "after start": "after it began that {}", "before end": "before it ended that {}",
    "day before": "the day before {}", "day after": "the day after {}",
}  # fmt: skip
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def in_words(query: Query) -> str:
    """Say what a query asks.

    >>> in_words(Lookup(relation="manager", subject="Acme", when="2014"))
    "who or what was 'manager' of 'Acme' in the time '2014'"
    >>> in_words(Count(relation="manager", object="Ann Lee", which=Neighbour(of="Acme", side="after", all=True)))
    "how many: what had 'Ann Lee' as 'manager', all after 'Acme'"
    """
    if isinstance(query, Compare):
        asks = f"whether {query.by}" if query.yes_no else f"which of two {query.by}"
        return f"{asks}: {_sentence(query.one)}; or {_sentence(query.other)}"
    return f"{_opening(query)}{_sentence(query)}"


def _opening(query: Pattern) -> str:
    if isinstance(query, Count):
        return "how many times: " if query.what == "times" else "how many: "
    if isinstance(query, When):
        return {"start": "since when: ", "end": "until when: ", None: "when: "}[query.event]
    return {Lookup: "", Duration: "for how long: ", YesNo: "whether "}[type(query)]


def _sentence(query: Pattern) -> str:
    relation = _texts(query.relation)
    subject, object = _texts(query.subject), _texts(query.object)
    if subject and object:
        said = f"{object} was {relation} of {subject}"
        said += f" (which {query.wanted} of these)" if query.wanted else ""
    elif object:
        said = f"what had {object} as {relation}"
    else:
        said = f"who or what was {relation} of {subject or 'anything'}"
    parts = [
        f", a {query.kind!r}" if query.kind else "",
        f", under the title {query.title!r}" if query.title else "",
        f", besides {_texts(query.besides)}" if query.besides else "",
        _event(query),
        _time(query.when),
        ", throughout" if query.throughout else "",
        _which(query),
    ]
    return said + "".join(parts)


def _event(query: Pattern) -> str:
    if query.event is None or isinstance(query, When):
        return ""
    return ", which began" if query.event == "start" else ", which ended"


def time_in_words(when: During) -> str:
    """Say which time facts tell."""
    return _MOMENTS[when.moment].format(_sentence(when.facts))


def _time(when: Texts | During | None) -> str:
    if when is None:
        return ""
    return f", {time_in_words(when)}" if isinstance(when, During) else f" in the time {_texts(when)}"


def _which(query: Pattern) -> str:
    which = query.which
    if isinstance(which, Neighbour):
        of = repr(which.of) if which.of else "today's"
        if which.until:
            return f", all between {of} and {which.until!r}"
        near = "all" if which.all else f"the {which.count} right" if which.count > 1 else "right"
        return f", {near} {which.side} {of}"
    if isinstance(which, Ordered):
        return f", the {_place(which)}"
    return f", the one that held {which.most}" if isinstance(which, Extreme) else ""


def _place(which: Ordered) -> str:
    if which.order < 0:
        position = "last" if which.order == -1 else f"{-which.order} from the last"
    else:
        position = _PLACES[which.order - 1] if 0 < which.order <= len(_PLACES) else f"{which.order}th"
    return position + (" and all later ones" if which.count == 0 else f" {which.count}" if which.count > 1 else "")


def _texts(texts: Texts | None) -> str:
    if texts is None:
        return ""
    return repr(texts) if isinstance(texts, str) else " or ".join(map(repr, texts))
