"""Who or what: "Who was the manager of Acme in 2014?"."""

from __future__ import annotations

from collections.abc import Iterator

from asof.reading.ask.frame import QuestionFrame
from asof.reading.ask.kinds import Kind, kinds
from asof.reading.ask.query import Lookup, Ordered
from asof.reading.ask.query_of import Reading, patterns


@kinds.register("lookup")
class WhoOrWhat(Kind):
    """Who or what stands at the other end of the facts; this is asked where no other kind is.

    >>> from asof.reading.ask.example import read
    >>> read("Who was the manager of Acme in 2014?")
    "who or what was 'manager' of 'Acme' in the time 'in 2014'"
    >>> read("acmes manager 2014")
    "who or what was 'manager' of 'acme' in the time '2014'"
    >>> read("Which companies has Ann Lee managed?")
    "what had 'Ann Lee' as 'manager', a 'companies'"
    >>> read("Who managed Acme when Bo Ek became owner of Bolt?")
    "who or what was 'manager' of 'Acme', when it began that 'Bo Ek' was 'owner' of 'Bolt'"
    """

    def queries(self, frame: QuestionFrame) -> Iterator[Reading]:
        """Walk over the queries of a frame; one end is named, the other is asked for."""
        if frame.lacks_a_verb:
            return
        for given in patterns(frame):
            if given.both and not given.among:
                continue
            fields = given.fields
            if frame.begins and fields.get("when") is None and "which" not in fields:  # "which team did he start with"
                fields |= {"which": Ordered(order=1), "event": None}
            yield given.scored(Lookup(**fields))
