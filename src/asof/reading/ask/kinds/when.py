"""When: "When did Ann Lee become manager of Acme?", "Since when has Bolt been owned by Bo Ek?"."""

from __future__ import annotations

from collections.abc import Iterator

from asof.reading.ask.frame import QuestionFrame
from asof.reading.ask.kinds import Kind, kinds
from asof.reading.ask.query import Ordered, When
from asof.reading.ask.query_of import Reading, patterns


@kinds.register("when")
class AtWhatTime(Kind):
    """From when to when, since when, until when.

    >>> from asof.reading.ask.example import read
    >>> read("When did Ann Lee become manager of Acme?")
    "since when: 'Ann Lee' was 'manager' of 'Acme'"
    >>> read("Until when did Bo Ek own Bolt?")
    "until when: 'Bo Ek' was 'owner' of 'Bolt'"
    >>> read("In which years was Ann Lee manager of Acme?")
    "when: 'Ann Lee' was 'manager' of 'Acme'"
    """

    openings = {
        "when": None,
        "in/on/during? what/which year/years/date/dates/day/days/month/months/period/time": None,
        "what/which month and year": None,
        "from when to/until/till when": None,
        "between what/which years": None,
        "at what/which point": None,
        "at what/which point in time": None,
        "since/from when": "start",
        "since/from what/which year/date/day": "start",
        "until/till/to when": "end",
        "until/till/to what/which year/date/day": "end",
    }

    def queries(self, frame: QuestionFrame) -> Iterator[Reading]:
        """Walk over the queries of a frame; what changed was something else before."""
        for given in patterns(frame):
            if given.tells_an_hour:
                continue
            fields = given.fields
            fields["event"] = fields.get("event") or frame.opening
            if frame.pick.beside and not (given.both and frame.pick.landing):
                continue
            if frame.changes and "which" not in fields:
                fields |= {"which": Ordered(order=2, count=0), "wanted": "object" if given.both else None}
            elif frame.returns and "which" not in fields:
                if given.of_places:  # a place may return to the heir of its state
                    yield given.scored(When(**fields), cost=0.1)
                fields["which"] = Ordered(order=2, count=0)
            yield given.scored(When(**fields))
