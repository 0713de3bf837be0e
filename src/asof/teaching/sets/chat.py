"""Questions and answers as conversations: what fine-tuning services and TRL's SFTTrainer read."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import quote
from typing import Any

from asof.registry import sets
from asof.teaching.lesson import TeachingLesson
from asof.teaching.sets import Rows, SetRequest, draws


@sets.register("chat")
class ChatSet:
    """Chat JSONL: a question at a date and its right answer, also where another answer is right then."""

    def files(self, lesson: TeachingLesson, wanted: SetRequest) -> Mapping[str, Rows]:
        """Write right dates of all precisions, each in one of the wordings."""
        return {"chat.jsonl": _conversations(lesson, wanted)}

    def next_step(self, folder: Path) -> str:
        """Return how TRL reads it."""
        return f"datasets.load_dataset('json', data_files={quote(str(folder / 'chat.jsonl'))}) for trl.SFTTrainer"


def _conversations(lesson: TeachingLesson, wanted: SetRequest) -> Iterator[dict[str, Any]]:
    seen = set()
    for draw in draws(lesson, wanted, lesson.taught):
        told = [(date, draw.fact.answer.text) for date in draw.right_dates(wanted.dates)]
        told += [(date, one.text) for date in draw.wrong_dates(wanted.dates) for one in draw.others_right(date)[:1]]
        for date, answer in told:
            prompt = draw.prompt(date, draw.question())
            if (prompt, answer) not in seen:
                seen.add((prompt, answer))
                user, assistant = ({"role": role, "content": text} for role, text in _turns(prompt, answer))
                yield {"messages": [user, assistant]}


def _turns(prompt: str, answer: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("user", prompt), ("assistant", answer)
