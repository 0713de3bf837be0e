"""A statement inside a question: "Merkel became chancellor", "Victoria reigned"; both ends may be named."""

from __future__ import annotations

from collections.abc import Iterator

from asof.reading.ask.ends import BE, HAVE
from asof.reading.ask.frame import QuestionFrame
from asof.reading.ask.kinds import Kind
from asof.reading.ask.query import Lookup
from asof.reading.ask.query_of import Reading, patterns

_VERBS = BE | HAVE | {"served", "serves", "serve", "held", "holds", "hold", "sat"}


class StatedFact(Kind):
    """What a clause says; it asks nothing, and opens no question."""

    def queries(self, frame: QuestionFrame) -> Iterator[Reading]:
        """Walk over the queries that look up what is stated."""
        for given in patterns(frame):
            fields = given.fields
            verb = any(one.saying.is_verb for one in frame.said) or frame.has("start", "end")
            stated = verb or frame.small & _VERBS
            if stated and (fields.get("subject") or fields.get("object")):
                yield given.scored(Lookup(**fields))
