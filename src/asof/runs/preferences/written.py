"""What a model wrote: a name among other words, an alias, a family name, a refusal."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from asof.probes import Row
from asof.registry import preferences
from asof.runs.cutoff_answers import ModelAnswer, ReadingSettings, last_rows
from asof.runs.cutoff_history import FactHistory
from asof.wording.written_answer import UNFINISHED


@preferences.register("written")
class WrittenPreferences:
    """The answer in a text, compared with all names of all answers that the fact had in any period."""

    compared: ClassVar[bool] = False
    own_only: ClassVar[bool] = False

    def read(self, facts: Sequence[FactHistory], rows: Mapping[str, Row], how: ReadingSettings) -> list[ModelAnswer]:
        """Return what was written for the last period of each fact that was asked; questions name it."""
        found = []
        for fact, period, row in last_rows(facts, rows):
            said = str(row["text"])
            said = "" if said == UNFINISHED else said
            named = fact.named_in(said)
            text = said if named is None else fact.names[named]
            found.append(ModelAnswer.single(fact, text, named, likeliest=said, period=period))
        return found
