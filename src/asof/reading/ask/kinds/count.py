"""How many: "How many managers has Acme had since 2000?", "How many times did Ann Lee manage it?"."""

from __future__ import annotations

from collections.abc import Iterator

from asof.reading.ask.frame import QuestionFrame
from asof.reading.ask.kinds import Kind, kinds
from asof.reading.ask.query import Count, Lookup
from asof.reading.ask.query_of import Reading, patterns

_TIMES = frozenset(("times", "stints", "spells", "often"))


@kinds.register("count")
class HowMany(Kind):
    """How many answers there are, or how many times it was so.

    >>> from asof.reading.ask.example import read
    >>> read("How many managers has Acme had since 2000?")
    "how many: who or what was 'manager' of 'Acme' in the time 'since 2000'"
    >>> read("How many times did Ann Lee manage Acme?")
    "how many times: 'Ann Lee' was 'manager' of 'Acme'"
    """

    openings = {
        "in? how many": None,
        "how many different": None,
        "what? is/was? total? number of": None,
        "in? how many times/stints/spells": None,
        "how many separate times": None,
        "how often": None,
    }

    def queries(self, frame: QuestionFrame) -> Iterator[Reading]:
        """Walk over the queries of a frame; with both ends named only prizes are many."""
        times = bool(_TIMES & set(frame.opened))
        for given in patterns(frame):
            if frame.has("narrowing") or given.ordered or frame.is_loose or given.is_of_some:
                continue
            if times:
                yield given.scored(Count(what="times", **given.fields))
            elif not given.both and given.tells_numbers:  # "how many seats has it": the number that the base keeps
                yield given.scored(Lookup(**{name: one for name, one in given.fields.items() if name != "kind"}))
            elif not given.both or given.of_prizes:
                yield given.scored(Count(**given.fields))
