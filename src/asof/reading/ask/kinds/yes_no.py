"""Yes or no: "Was Ann Lee the manager of Acme in 2014?"."""

from __future__ import annotations

from collections.abc import Iterator

from asof.reading.ask.frame import QuestionFrame
from asof.reading.ask.kinds import Kind, kinds
from asof.reading.ask.query import YesNo
from asof.reading.ask.query_of import Reading, patterns


@kinds.register("yes-no")
class IsItSo(Kind):
    """Whether a fact is there; both ends are named, or a holder with the title.

    >>> from asof.reading.ask.example import read
    >>> read("Was Ann Lee the manager of Acme in 2014?")
    "whether 'Ann Lee' was 'manager' of 'Acme' in the time 'in 2014'"
    >>> read("did ann lee ever manage Bolt")
    "whether 'ann lee' was 'manager' of 'Bolt'"
    """

    openings = {
        "is it true/correct/right/so that": None,
        "was/is/are/were/did/does/do/has/have/had": None,
    }

    def queries(self, frame: QuestionFrame) -> Iterator[Reading]:
        """Walk over the queries of a frame."""
        for given in patterns(frame):
            order = "which" in given.fields and not frame.pick.beside
            if order or not (given.both or given.names_a_holder) or given.among:
                continue
            if frame.pick.beside and not (given.both and frame.pick.landing):
                continue
            yield given.scored(YesNo(**given.fields))
