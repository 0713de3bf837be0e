"""Edit requests as EasyEdit takes them: prompt and new answer, rephrasings, what must carry over, what must stay."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from asof.registry import sets
from asof.teaching.drill import FactDrawer
from asof.teaching.lesson import TeachingLesson
from asof.teaching.sets import Rows, SetRequest, draws
from asof.timeline import Precision

_OTHERS = 3  # questions about other facts in a request


@sets.register("edits")
class EditSet:
    """Edit requests (EasyEdit): with rephrasings, finer dates that follow, and dates and facts that must stay."""

    def files(self, lesson: TeachingLesson, wanted: SetRequest) -> Mapping[str, Rows]:
        """Write a request for each right year that may be taught, or the nearest to a year."""
        return {"edits.json": _requests(lesson, wanted)}

    def next_step(self, folder: Path) -> str:
        """Return how EasyEdit reads it."""
        return f"json.load(open({quote(str(folder / 'edits.json'))})) gives the requests of easyeditor.BaseEditor.edit"


def _requests(lesson: TeachingLesson, wanted: SetRequest) -> Iterator[dict[str, Any]]:
    others = list(draws(lesson, wanted, [*lesson.others, *lesson.anchors]))
    case = 0
    for draw in draws(lesson, wanted, lesson.taught):
        held = lesson.held_out_question(draw.fact)
        rephrasings = [*draw.questions[1:], *([held] if held else [])]
        for date in draw.right_dates(wanted.dates):
            prompt = draw.prompt(date, draw.questions[0])
            others_then = draw.others_wrong(date, 1)
            yield {
                "case_id": case,
                "subject": draw.fact.in_names.partition(", ")[0],
                "prompt": prompt,
                "target_new": draw.fact.answer.text,
                "ground_truth": others_then[0].text if others_then else "<|endoftext|>",  # EasyEdit's word for unknown
                "rephrase_prompt": draw.prompt(date, rephrasings[0]) if rephrasings else prompt,
                "rephrase_prompts": [draw.prompt(date, question) for question in rephrasings],
                "portability": {"finer_dates": _asked(*_finer(draw, wanted))},
                "locality": {
                    "other_dates": _asked(*_elsewhen(draw, wanted)),
                    "other_facts": _asked(*_elsewhere(others[case % max(1, len(others)) :][:_OTHERS])),
                },
            }
            case += 1


def _asked(prompts: Sequence[str], answers: Sequence[str]) -> dict[str, list[str]]:
    return {"prompt": list(prompts), "ground_truth": list(answers)}


def _finer(draw: FactDrawer, wanted: SetRequest) -> tuple[list[str], list[str]]:
    """Ask at months and days at which the answer is right, too."""
    finer = (Precision.MONTH, Precision.DAY)
    dates = [date for precision in finer if (date := draw.pool.right(precision, draw.random))]
    return [draw.prompt(date, draw.questions[0]) for date in dates], [draw.fact.answer.text] * len(dates)


def _elsewhen(draw: FactDrawer, wanted: SetRequest) -> tuple[list[str], list[str]]:
    """Ask at dates at which another answer is right."""
    told = [(date, one.text) for date in draw.wrong_dates(wanted.dates) for one in draw.others_right(date)[:1]]
    return [draw.prompt(date, draw.questions[0]) for date, _ in told], [answer for _, answer in told]


def _elsewhere(others: Sequence[FactDrawer]) -> tuple[list[str], list[str]]:
    """Ask about other facts."""
    told = [(draw, date) for draw in others for date in draw.right_dates(1)]
    return (
        [draw.prompt(date, draw.questions[0]) for draw, date in told],
        [draw.fact.answer.text for draw, _ in told],
    )
