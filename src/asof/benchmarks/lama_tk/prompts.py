"""What LAMA-TK says of facts: whole statements with a blank, boundary queries and queries about a moment in between.

Zhao et al. 2022, section 3.1 (statements), 4.2 (boundary) and 4.3 (implicit time). Everything is text by columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from asof.benchmarks._item import BLANK
from asof.benchmarks.lama_tk.choice import SelectedFacts
from asof.benchmarks.lama_tk.times import Numbers
from asof.timeline import Interval
from asof.wording import Blank, Wording
from asof.wording.columns import NameColumns, Sentences

_SCOPES: tuple[Blank | None, ...] = (None, "start", "end")  # what is left out of "from 2009 to 2017"


@dataclass(frozen=True)
class Prompts:
    """Writes the prompts of chosen facts; ``rows`` are places among them."""

    chosen: SelectedFacts
    say: Wording

    def statement(self, rows: Numbers, blank: Blank) -> pa.Array:
        """Say facts with the time in which they held: "Michael Jordan played for _X_ from 1995 to 1998."."""
        sentence = self._sentence("past", rows, blank if blank in ("subject", "object") else None)
        scope = self._scopes[_SCOPES.index(blank if blank in ("start", "end") else None)]
        return _stopped(sentence, scope.take(pa.array(self._interval[rows])))

    def boundary(self, rows: Numbers, blank: Blank) -> pa.Array:
        """Say that facts began, or ended, with a blank for when: "Michael Jordan left ... in _X_."."""
        sentence = self._sentence("starts" if blank == "start" else "ends", rows)
        return _stopped(sentence, pa.scalar(self.say.grammar.at_blank.format(date=BLANK)))

    def at_some_time(self, rows: Numbers, name: str, when: pa.Array) -> pa.Array:
        """Ask for the object at a time: "Michael Jordan played for _X_ in 2002."."""
        return _stopped(self.without_time(rows, name), when)

    def without_time(self, rows: Numbers, name: str) -> pa.Array:
        """Say facts without their time, with a blank for the object."""
        return self._sentence(name, rows, "object")

    def can_say(self, name: str, relation: str) -> bool:
        """Tell whether a relation has a sentence."""
        return self.say.template(relation).has(name, self.say.paper)

    def _sentence(self, name: str, rows: Numbers, blank: Blank | None = None) -> pa.Array:
        chosen = self.chosen
        spoken = Sentences(say=self.say, relations=chosen.relations, name=name)
        subject, object = self._names.take(chosen.subject[rows]), self._names.take(chosen.object[rows])
        return spoken.filled(chosen.relation[rows], subject, object, blank=blank, mask=BLANK if blank else "")

    @cached_property
    def _names(self) -> NameColumns:
        return NameColumns.of(self.chosen.things["label"].combine_chunks(), self.say)

    @cached_property
    def _intervals(self) -> tuple[Numbers, Numbers]:
        """The different pairs of ends, and which of them each fact has."""
        known, index = np.unique(
            self.chosen.start * len(self.chosen.points.ends) + self.chosen.end, return_inverse=True
        )
        return known, index.reshape(-1)

    @property
    def _interval(self) -> Numbers:
        return self._intervals[1]

    @cached_property
    def _scopes(self) -> list[pa.Array]:
        ends = self.chosen.points.ends
        spans = [Interval(*(ends[index] for index in divmod(int(pair), len(ends)))) for pair in self._intervals[0]]
        return [
            pa.array([self.say.scope(span, mask=(blank, BLANK) if blank else None) for span in spans], pa.string())
            for blank in _SCOPES
        ]


def _stopped(sentence: pa.Array, time: pa.Array | pa.Scalar) -> pa.Array:
    return pc.binary_join_element_wise(sentence, pa.scalar(" "), time, pa.scalar("."), "")
