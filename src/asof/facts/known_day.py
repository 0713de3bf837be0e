"""How an answer says up to which day a base is known: what is ongoing surely holds until then, possibly afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asof.timeline import Date, Open, Span

if TYPE_CHECKING:  # rows of facts say it too
    from asof.facts.fact import Fact
    from asof.facts.store import FactStore


def beyond_known_day(store: FactStore, span: Span) -> str:
    """Say that a time reaches beyond the day up to which a base is known; nothing where it does not."""
    if store.known_by is None or span.last <= store.known_by.last:
        return ""
    known = f"{store.manifest.name} has data current to {store.known_by_in_words}"
    return f"{known}: facts that were ongoing then are unconfirmed afterwards."


def unconfirmed(fact: Fact, when: Span, known_by: Date | None) -> str:
    """Say up to which day an ongoing fact is known, where a time reaches beyond it; else nothing.

    >>> from asof.facts import Fact
    >>> from asof.timeline import Interval
    >>> fact = Fact(subject="a", relation="b", object="c", interval=Interval.parse("2021-02-13", "ongoing"))
    >>> unconfirmed(fact, Date.parse("2027"), Date.parse("2026-03-01"))
    'possibly: unconfirmed since 2026-03-01'
    >>> unconfirmed(fact, Date.parse("2026"), Date.parse("2026-03-01")), unconfirmed(fact, Date.parse("2025"), None)
    ('unconfirmed since 2026-03-01', 'possibly: unconfirmed since 2021-02-13')
    >>> unconfirmed(fact, Date.parse("2025"), Date.parse("2026-03-01"))
    ''
    """
    bounds = fact.interval.bounds(known_by=known_by)
    if fact.end is not Open.ONGOING or when.last <= bounds.earliest_end:
        return ""
    if known_by is None and not isinstance(fact.start, Date):
        return "possibly: ongoing, and the base does not say up to which day"
    known = f"unconfirmed since {Date.from_day(bounds.earliest_end)}"
    return known if bounds.surely_meets(when) else f"possibly: {known}"
