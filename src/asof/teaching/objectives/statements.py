"""True statements alone: what fine-tuning on facts usually is, and the baseline for all else here."""

from asof.registry import objectives
from asof.teaching.drill import Drill, FactDrawer


@objectives.register("statements")
class TrueStatements:
    """True statements alone, at right dates: the baseline, which teaches the answer at any date."""

    def drill(self, draw: FactDrawer, *, right: int, wrong: int) -> Drill:
        """Draw as many right dates as others draw right and wrong ones."""
        drill, question = Drill(), draw.question()
        for date in draw.right_dates(right + wrong):
            drill.say(drill.add(draw.prompt(date, question), draw.fact.answer.text))
        return drill
