"""Right dates must win over wrong ones, and at one date the right answer over others.

What TimeStress (Ammar Khodja et al. 2025) measures, taught: log P(answer | right date, question) is to be larger than
log P(answer | wrong date, question) by a margin, for every pair of a step.
"""

from asof.registry import objectives
from asof.teaching.drill import Drill, FactDrawer


@objectives.register("contrast")
class Contrast:
    """Right dates win over wrong ones, and at one date the right answer over its neighbours in time."""

    def drill(self, draw: FactDrawer, *, right: int, wrong: int) -> Drill:
        """Draw right and wrong dates of all precisions, and contrast the answers at some of them."""
        drill, question, answer = Drill(), draw.question(), draw.fact.answer.text
        good = {date: drill.add(draw.prompt(date, question), answer) for date in draw.right_dates(right)}
        bad = {}
        for date, year in draw.wrong_dates(wrong).items():
            bad[date] = place = drill.add(draw.prompt(date, question), answer)
            drill.seen[place] = year
        for better in good.values():
            drill.say(better)
            for worse in bad.values():
                drill.prefer(better, worse)
        for date, place in good.items():
            for other in draw.others_wrong(date, 1):
                drill.prefer(place, drill.add(draw.prompt(date, question), other.text))
        for date, place in bad.items():
            for other in draw.others_right(date)[:1]:
                better = drill.add(draw.prompt(date, question), other.text)
                drill.prefer(better, place)
                drill.say(better)
        return drill
