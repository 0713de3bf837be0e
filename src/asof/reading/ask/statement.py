"""A statement inside a question: "Merkel became chancellor", "Victoria reigned"; both ends may be named."""

from __future__ import annotations

from collections.abc import Iterator

from asof.reading.ask.ends import BE, HAVE
from asof.reading.ask.frame import Frame
from asof.reading.ask.kinds import Kind
from asof.reading.ask.query import Lookup
from asof.reading.ask.query_of import Reading, patterns


class Statement(Kind):
    """What a clause says; it asks nothing, and opens no question."""

    def queries(self, frame: Frame) -> Iterator[Reading]:
        """Walk over the queries that look up what is stated."""
        for given in patterns(frame):
            fields = given.fields
            stated = frame.said or (given.both and (frame.small & (BE | HAVE) or frame.has("start", "end")))
            if stated and (fields.get("subject") or fields.get("object")):
                yield given.scored(Lookup(**fields))
