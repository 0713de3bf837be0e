"""The published TimeQA files: annotated histories, and questions of the easy and hard sets.

Annotated histories (a JSON list of index, type, link, questions, paras) become histories with answers in their places,
from which either protocol asks. Questions (JSON lines of idx, question, context, targets, paragraphs, where they teach
also from and end; gzip or plain) are taken as they are. The dataset of Chen et al. 2021 (arXiv:2108.06314) has both.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args
from urllib.parse import unquote

from asof.benchmarks._documents import BenchmarkDocument
from asof.benchmarks.timeqa.history import History, Segment, TextSpan, TimedObject, UntimedQuestion, sure_bounds
from asof.benchmarks.timeqa.times import Kind, QuestionTime
from asof.errors import DateError, UserError
from asof.timeline import Date, Interval
from asof.timeline.date import MONTHS

_SHORT_MONTHS = {name[:3].lower(): number for number, name in enumerate(MONTHS, start=1)}
_ONE = rf"(?:(?:{'|'.join([*MONTHS, *_SHORT_MONTHS])}) )?[0-9]{{1,4}}"
_GZIP = b"\x1f\x8b"

# The time in a question that a person wrote, at its beginning or inside.
FROM_TO = re.compile(rf"(?P<from>from) (?P<one>{_ONE}) to (?P<other>{_ONE})\b", re.IGNORECASE)
_TIME = re.compile(
    rf"\b(?:(?P<two>from|between) (?P<one>{_ONE}) (?:to|and) (?P<other>{_ONE})"
    r"|(?:in )?(?P<part>early|late) (?:the )?(?P<decade>[0-9]{3,4})s"
    rf"|(?P<single>in|before|after) (?P<date>{_ONE}))\b",
    re.IGNORECASE,
)


def time_in(question: str) -> QuestionTime | None:
    """Return the last time that a published question names, None when it names none that we can read.

    >>> str(time_in("Who owned it in early 1970s?")), str(time_in("Who was the owner before Mar 1811?"))
    ('in the early 1970s', 'before March 1811')
    """
    found = [*_TIME.finditer(question)]
    if not found:
        return None
    last = found[-1]
    try:
        if last["two"]:
            return QuestionTime(_kind(last["two"]), _date(last["one"]), _date(last["other"]))
        if last["part"]:
            return QuestionTime(_kind(last["part"]), Date.decade(int(last["decade"])))
        return QuestionTime(_kind(last["single"]), _date(last["date"]))
    except DateError:
        return None


def _kind(word: str) -> Kind:
    return next(kind for kind in get_args(Kind) if kind == word.lower())


@dataclass(frozen=True, slots=True)
class PublishedQuestion:
    """A question as it was published, with its answers and where they stand in its document."""

    id: str
    page: str
    relation: str
    question: str
    answers: tuple[str, ...]
    spans: tuple[TextSpan, ...]
    document: str

    @property
    def link(self) -> str:
        """The link of its page."""
        return self.id.rsplit("#", 2)[0]


@dataclass
class PublishedFile:
    """What a file holds: histories to ask about, or questions; and the documents of both."""

    level: str
    histories: list[History] = field(default_factory=list)
    questions: list[PublishedQuestion] = field(default_factory=list)
    documents: dict[str, BenchmarkDocument] = field(default_factory=dict)


def timeqa_file(path: Path) -> PublishedFile:
    """Read a published file, whichever of the two kinds it is; the level of questions is a word of its name."""
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if raw.startswith(_GZIP) else raw).decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UserError(f"Could not read {path}: {error}. Give a file of the TimeQA dataset.") from error
    level = next((word for word in ("easy", "hard") if word in path.name), "hard")
    found = PublishedFile(level)
    for location, row in _rows(text, path):
        try:
            if "questions" in row:
                _add_history(found, row)
            else:
                _add_question(found, row)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise UserError(
                f"{path}, {location} is neither an annotated history (index, type, link, questions, paras) nor a "
                f"question (idx, question, context, targets, paragraphs) of TimeQA: {type(error).__name__} {error}."
            ) from error
    if not found.histories and not found.questions:
        raise UserError(f"{path} is empty. Give a file of the TimeQA dataset.")
    return found


def _rows(text: str, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        if text.lstrip().startswith("["):
            for number, row in enumerate(json.loads(text), start=1):
                yield f"entry {number}", row
        else:
            for number, line in enumerate(text.split("\n"), start=1):
                if line.strip():
                    yield f"line {number}", json.loads(line)
    except json.JSONDecodeError as error:
        raise UserError(f"{path} is not valid JSON: {error}. Was the download cut off? Fetch it again.") from error


def title_of(link: str) -> str:
    """Return the title of a page from its link.

    >>> title_of("/wiki/Newton_D._Baker_House")
    'Newton D. Baker House'
    """
    return unquote(link.removeprefix("/wiki/")).replace("_", " ")


def _add_history(published: PublishedFile, row: dict[str, Any]) -> None:
    paragraphs = tuple(row["paras"])
    document = BenchmarkDocument(row["link"], title_of(row["link"]), paragraphs, _headings(paragraphs))
    if published.documents.setdefault(document.id, document) != document:
        document = BenchmarkDocument(row["index"], document.title, paragraphs, document.headings)
        published.documents[document.id] = document
    given = tuple(_segment(question, answers, document) for question, answers in row["questions"])
    published.histories.append(
        History(
            subject=title_of(row["link"]),
            relation=row["type"],
            subject_label=title_of(row["link"]),
            relation_label=row["type"],
            held=tuple(held for segment in given if isinstance(segment, Segment) for held in segment.held),
            document=document.id,
            given=given,
        )
    )


def _headings(paragraphs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the heading above each paragraph: short lines that begin with a capital are headings."""
    headings, heading = [], ""
    for paragraph in paragraphs:
        headings.append(heading)
        if len(paragraph.split()) <= 4 and paragraph[:1].isupper():
            heading = paragraph.removesuffix(".").strip()
    return tuple(headings)


def _segment(question: str, answers: list[dict[str, Any]], document: BenchmarkDocument) -> Segment | UntimedQuestion:
    time = FROM_TO.search(question)
    start, end = (_date(time["one"]), _date(time["other"])) if time else (None, None)
    interval = Interval(start, end) if start and end else Interval.parse("", "")
    held = tuple(_held(answer, interval, document) for answer in answers)
    return Segment(start, end, held, question) if start and end else UntimedQuestion(held, question)


def _held(answer: dict[str, Any], interval: Interval, document: BenchmarkDocument) -> TimedObject:
    said, bounds = answer["answer"], sure_bounds(interval)
    if not said.strip():  # something held, but the page does not tell what
        return TimedObject(f"unknown {interval}", (), interval, bounds)
    span = TextSpan(answer["para"], answer["from"], answer["end"])
    if document.paragraphs[span.paragraph][span.start : span.end] != said:
        raise ValueError(f"{said!r} does not stand at {span}")
    return TimedObject(said, (said,), interval, bounds, span, said)


def _date(text: str) -> Date:
    month, _, year = text.rpartition(" ")
    return Date.of(int(year), _SHORT_MONTHS[month[:3].lower()]) if month else Date.of(int(year))


def _add_question(published: PublishedFile, row: dict[str, Any]) -> None:
    link, relation, _ = row["idx"].rsplit("#", 2)
    borders = sections_of(row["context"], row["paragraphs"])
    paragraphs = tuple(row["context"][start:end] for start, end, _ in borders)
    document = BenchmarkDocument(link, title_of(link), paragraphs, tuple(heading for _, _, heading in borders))
    if published.documents.setdefault(link, document) != document:
        document = BenchmarkDocument(f"{link}#{relation}", document.title, paragraphs, document.headings)
        published.documents[document.id] = document
    said = [answer for answer in row["targets"] if answer.strip()]
    spans: tuple[TextSpan, ...] = ()
    if "from" in row:  # the published dev and test questions have answers without their places
        found_at = zip(row["targets"], row["from"], row["end"], strict=True)
        spans = tuple(_span(start, end, borders) for answer, start, end in found_at if answer.strip())
    published.questions.append(
        PublishedQuestion(
            row["idx"],
            title_of(link),
            relation,
            row["question"],
            tuple(said),
            spans,
            document.id,
        )
    )


def sections_of(context: str, pieces: list[dict[str, str]]) -> list[tuple[int, int, str]]:
    """Cut a text that is one line where the headings of the pieces change that are published beside it.

    Pieces of one heading are cut after so many words, in the middle of a name if it is there.
    """
    starts, position = [(0, "")], 0
    for piece in pieces:
        text = piece["text"].strip()
        at = context.find(text, position) if text else -1
        if at >= 0:
            if piece["title"] != starts[-1][1]:
                starts.append((at, piece["title"]))
            position = at + len(text)
    ends = [*(at for at, _ in starts[1:]), len(context)]
    return [(at, end, heading) for (at, heading), end in zip(starts, ends, strict=True) if at < end]


def _span(start: int, end: int, borders: list[tuple[int, int, str]]) -> TextSpan:
    for number, (first, last, _) in enumerate(borders):
        if first <= start < last:
            return TextSpan(number, start - first, end - first)
    raise ValueError(f"no letter {start}")
