"""A new answer wins from its date on, and without a date; the answer before it keeps its time."""

from asof.registry import objectives
from asof.teaching.drill import Drill, FactDrawer
from asof.timeline import Verdict


@objectives.register("update")
class UpdatedAnswer:
    """The new answer wins from its date on and where no date is given; the old ones keep their time."""

    def drill(self, draw: FactDrawer, *, right: int, wrong: int) -> Drill:
        """Draw dates of the new answer and of the old ones, and let the answers win there over each other."""
        drill, question, new = Drill(), draw.question(), draw.fact.answer
        for date in draw.right_dates(right):
            prompt = draw.prompt(date, question)
            better = drill.add(prompt, new.text)
            drill.say(better)
            for old in draw.others_wrong(date, 2):
                drill.prefer(better, drill.add(prompt, old.text))
        for date, year in draw.wrong_dates(wrong).items():
            prompt = draw.prompt(date, question)
            worse = drill.add(prompt, new.text)
            drill.seen[worse] = year
            for old in draw.others_right(date):
                better = drill.add(prompt, old.text)
                drill.say(better)
                drill.prefer(better, worse)
        self._without_date(draw, drill, question)
        return drill

    @staticmethod
    def _without_date(draw: FactDrawer, drill: Drill, question: str) -> None:
        """Let the new answer win where no date is given, if it still holds when the base was made."""
        new = draw.fact.answer
        today = new.known_by
        if today is None or new.verdict(today) is not Verdict.CORRECT:
            return
        prompt = draw.prompt(None, question)
        better = drill.add(prompt, new.text)
        drill.say(better)
        for old in draw.others_wrong(today, 2):
            drill.prefer(better, drill.add(prompt, old.text))
