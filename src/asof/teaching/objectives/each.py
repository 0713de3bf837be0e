"""Several answers can be right at one date: each of them is taught, and each wins over all that are wrong then."""

from asof.registry import objectives
from asof.teaching.drill import Drill, FactDrawer


@objectives.register("each")
class EachAnswer:
    """Several right answers at one date: each is taught, and wins over wrong answers and over its own wrong dates."""

    def drill(self, draw: FactDrawer, *, right: int, wrong: int) -> Drill:
        """Draw right dates with all their answers, and wrong dates of the fact's own."""
        drill, question, own = Drill(), draw.question(), draw.fact.answer.text
        mine = []
        for date in draw.right_dates(right):
            prompt = draw.prompt(date, question)
            mine.append(drill.add(prompt, own))
            true = [mine[-1], *(drill.add(prompt, one.text) for one in draw.others_right(date))]
            false = [drill.add(prompt, one.text) for one in draw.others_wrong(date, 2)]
            for better in true:
                drill.say(better)
                for worse in false:
                    drill.prefer(better, worse)
        for date, year in draw.wrong_dates(wrong).items():
            place = drill.add(draw.prompt(date, question), own)
            drill.seen[place] = year
            for better in mine:
                drill.prefer(better, place)
        return drill
