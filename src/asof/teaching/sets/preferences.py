"""Preferences: at one date a right answer over a wrong one, and one answer at right dates over wrong ones."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import quote
from typing import Any

from asof.registry import sets
from asof.teaching.lesson import TeachingLesson
from asof.teaching.sets import Rows, SetRequest, draws


@sets.register("preferences")
class PreferenceSet:
    """Preference pairs: right and wrong answers at a date (DPO), right and wrong dates of an answer (KTO)."""

    def files(self, lesson: TeachingLesson, wanted: SetRequest) -> Mapping[str, Rows]:
        """Write pairs with one prompt, and single answers with a label, for what has no pair with one prompt."""
        return {"pairs.jsonl": _pairs(lesson, wanted), "labelled.jsonl": _labelled(lesson, wanted)}

    def next_step(self, folder: Path) -> str:
        """Return how TRL reads it."""
        pairs, labelled = (quote(str(folder / name)) for name in ("pairs.jsonl", "labelled.jsonl"))
        return f"trl.DPOTrainer reads {pairs}, trl.KTOTrainer reads {labelled}"


def _pairs(lesson: TeachingLesson, wanted: SetRequest) -> Iterator[dict[str, Any]]:
    for draw in draws(lesson, wanted, lesson.taught):
        own = draw.fact.answer.text
        for date in draw.right_dates(wanted.dates):
            prompt = draw.prompt(date, draw.question())
            for other in draw.others_wrong(date, 1):
                yield _pair(prompt, own, other.text)
        for date in draw.wrong_dates(wanted.dates):
            prompt = draw.prompt(date, draw.question())
            for other in draw.others_right(date)[:1]:
                yield _pair(prompt, other.text, own)


def _pair(prompt: str, chosen: str, rejected: str) -> dict[str, Any]:
    return {"prompt": prompt, "chosen": f" {chosen}", "rejected": f" {rejected}"}


def _labelled(lesson: TeachingLesson, wanted: SetRequest) -> Iterator[dict[str, Any]]:
    for draw in draws(lesson, wanted, lesson.taught):
        completion = f" {draw.fact.answer.text}"
        for label, dates in ((True, draw.right_dates(wanted.dates)), (False, list(draw.wrong_dates(wanted.dates)))):
            for date in dates:
                yield {"prompt": draw.prompt(date, draw.question()), "completion": completion, "label": label}
