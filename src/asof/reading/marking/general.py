"""General questions about texts, to learn reading from before time: QuAC and SQuAD in the forms they are to be had in.

Of QuAC short answers are taken and questions without one: its long answers are whole clauses, which no question about
a time is after.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.reading.documents import Document
from asof.reading.marking.lessons import SpanLesson, lesson_of, tokens_of
from asof.reading.marking.pieces import TextPiece, pieces_of, windows_of
from asof.reading.sections import Paragraph

_QUAC_QUESTION = re.compile(r"question\d+: (.*?)\n answer : \?", re.DOTALL)
_QUAC_ANSWER = re.compile(r"possible answers for question\d+:\n(.*?)(?=\npossible answers for|\Z)", re.DOTALL)
_NO_ANSWER = "CANNOTANSWER"
_SHORT = 12  # words
_SHARES = {"squad": 0.56, "quac": 0.34, "quac without answer": 0.1}
_AGAIN = 3  # times at most that a question is drawn whose origin has fewer than its share
_BESIDE = 0.2  # of the answered questions are also asked of a piece that does not tell


@dataclass(frozen=True)
class TextQuestion:
    """A question about a text; no answer where the text does not tell."""

    text: str
    question: str
    answer: str
    start: int  # of the answer in the text
    title: str = ""
    origin: str = "squad"


def general_questions(folder: Path) -> list[TextQuestion]:
    """Read all questions of a folder of QuAC (``Quac-train.jsonl.gz``) and SQuAD (``squad*.json.gz``) files."""
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder. Give one with files of QuAC or SQuAD.")
    found = [one for path in sorted(folder.glob("Quac-train*.jsonl.gz")) for one in _of_quac(path)]
    found += [one for path in sorted(folder.glob("*squad*.json.gz")) for one in _of_squad(path)]
    if not found:
        raise UserError(
            f"{folder} has no Quac-train*.jsonl.gz and no *squad*.json.gz with questions. See docs/reading.md."
        )
    return found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from (json.loads(line) for line in file)


def _of_quac(path: Path) -> Iterator[TextQuestion]:
    for row in _lines(path):
        text = row["passage"].removesuffix(_NO_ANSWER).rstrip()
        asked, answers = _QUAC_QUESTION.findall(row["question"]), _QUAC_ANSWER.findall(row["answer"])
        for question, answer in zip(asked, answers, strict=False):
            answer = answer.strip().rstrip(".,;")
            if answer == _NO_ANSWER:
                yield TextQuestion(text, question, "", 0, origin="quac without answer")
            elif len(answer.split()) <= _SHORT and answer in text:
                yield TextQuestion(text, question, answer, text.index(answer), origin="quac")


def _of_squad(path: Path) -> Iterator[TextQuestion]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        read = json.load(file)
    if isinstance(read, dict):  # its own form, with offsets
        for page in read.get("data", []):
            title = page.get("title", "").replace("_", " ")
            for paragraph in page["paragraphs"]:
                for one in paragraph["qas"]:
                    told: dict[str, Any] = one["answers"][0] if one["answers"] else {"text": "", "answer_start": 0}
                    yield TextQuestion(paragraph["context"], one["question"], told["text"], told["answer_start"], title)
        return
    for row in read:
        if "context" in row:
            answer = next((target for target in row["targets"] if target and target in row["context"]), "")
            if answer or not any(row["targets"]):
                yield TextQuestion(row["context"], row["question"], answer, row["context"].find(answer))


def course_of(questions: Sequence[TextQuestion], *, most: int, seed: int) -> list[TextQuestion]:
    """Draw about so many questions, of each origin its share; those about one text stand together.

    A question comes again only after all of its origin have come.
    """
    drawn, found = random.Random(seed), list[int]()
    for origin, share in _SHARES.items():
        places = [place for place, one in enumerate(questions) if one.origin == origin]
        wanted = min(len(places) * _AGAIN, round(share * most))
        while wanted > 0:
            found += drawn.sample(places, min(len(places), wanted))
            wanted -= len(places)
    return [questions[place] for place in sorted(found)]


def general_lessons(questions: Sequence[TextQuestion], tokenizer: Any, *, seed: int) -> Iterator[SpanLesson]:
    """Draw a window for each question: the one that tells, or any of a text that does not."""
    drawn, cut = random.Random(seed), dict[tuple[str, str], list[TextPiece]]()
    for one in questions:
        key = (one.title, one.text)
        if key not in cut:
            cut = {
                key: pieces_of(Document(one.title, (Paragraph("", one.text),)), tokenizer)
            }  # questions of a text stand together
        pieces = cut[key]
        where = [
            tokens_of(piece, 0, one.start, one.start + len(one.answer)) if one.answer else None for piece in pieces
        ]
        telling = [index for index, tokens in enumerate(where) if tokens]
        if one.answer and not telling:
            continue  # cut in two by the border of pieces
        silent = [index for index in range(len(pieces)) if index not in telling]
        taken = telling[:1] + (drawn.sample(silent, 1) if silent and (not telling or drawn.random() < _BESIDE) else [])
        for index, window in zip(
            taken, windows_of(one.question, [pieces[index] for index in taken], tokenizer), strict=True
        ):
            tokens = where[index]
            yield lesson_of(window, [tokens] if tokens else [])
