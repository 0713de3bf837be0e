"""How long: "How long did Ann Lee manage Acme?"."""

from __future__ import annotations

from collections.abc import Iterator

from asof.reading.ask.frame import QuestionFrame
from asof.reading.ask.kinds import Kind, kinds
from asof.reading.ask.query import Duration
from asof.reading.ask.query_of import Reading, patterns


@kinds.register("duration")
class HowLong(Kind):
    """For how long.

    >>> from asof.reading.ask.example import read
    >>> read("How long did Ann Lee manage Acme?")
    "for how long: 'Ann Lee' was 'manager' of 'Acme'"
    """

    openings = {
        "for? how long": None,
        "how long for": None,
        "for? how many years/days/months": None,
        "what? is/was? length/duration of": None,
    }

    def queries(self, frame: QuestionFrame) -> Iterator[Reading]:
        """Walk over the queries of a frame."""
        for given in patterns(frame):
            if not frame.pick.beside:
                yield given.scored(Duration(**given.fields))
