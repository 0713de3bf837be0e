"""What a model put into a blank: a text (fill-many), or the likeliest token (fill-one)."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from asof.probes import Row
from asof.registry import preferences
from asof.runs.cutoff_answers import ModelAnswer, ReadingSettings, with_all_rows
from asof.runs.cutoff_history import FactHistory


@preferences.register("filled")
class FilledPreferences:
    """The text in the blank, which must be one of the names, word by word."""

    compared: ClassVar[bool] = False
    own_only: ClassVar[bool] = False

    def read(self, facts: Sequence[FactHistory], rows: Mapping[str, Row], how: ReadingSettings) -> list[ModelAnswer]:
        """Return what was filled in for the last period of each fact."""
        found = []
        for fact in with_all_rows(facts, rows):
            row = rows[str(fact.items[fact.asked[-1]])]
            text = str(row["text"] if "text" in row else row["best"][0])
            found.append(ModelAnswer.single(fact, text, fact.answer(text)))
        return found
