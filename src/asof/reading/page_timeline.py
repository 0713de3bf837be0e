"""The timeline of a page: what answers a question at any time, each with its own time and sentence.

Questions are the user's, or those of ``cues/questions.toml`` that suit a page about a person or about something else.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from asof.reading.answer_types import OTHER, looks_like
from asof.reading.cues.kinds import kinds, rarity_of
from asof.reading.documents import Document
from asof.reading.encoder import Vectors
from asof.reading.features import Features
from asof.reading.index import FAR_FUTURE, NONE, words_of
from asof.reading.line_of_time import LineOfTime, line_of_time
from asof.timeline import Date, Open

_SURE = 0.35  # how likely a name has to be an answer at some time
_UNDER_HEADING = 0.15  # ... below a heading that says what is asked for
_TELLING = 0.5  # of headings: how few kinds have the word
_HEADING = 100.0  # counts more than all rows of a section
_BESIDE = 0.4  # ... beside the likeliest of its question
_PRONOUN = re.compile(r"\b(?:he|she|his|her|him|hers)\b", re.IGNORECASE)
_OF_PERSON = 0.008  # of the words of a page about a person are such


@dataclass(frozen=True)
class TimelineRow:
    """Something that a page says of its subject, and when it held.

    Args:
        end_is_told: Whether the page says the end; else it is the start of what came next.
        probability: That it answers the question at some time.
    """

    subject: str
    relation: str
    object: str
    start: str
    end: str
    end_is_told: bool
    sentence: str
    section: str
    probability: float


@dataclass(frozen=True)
class TimelineQuestion:
    """A question without a time, and what its answers are to the subject."""

    relation: str
    question: str
    headings: frozenset[str] = frozenset()  # words of headings under which its answers stand

    def stands_under(self, section: str) -> bool:
        """Whether a heading says that its answers follow."""
        return bool(self.headings & set(words_of(section)))


@cache
def _usual() -> dict[str, dict[str, str]]:
    return tomllib.loads((resources.files("asof.reading.cues") / "questions.toml").read_text(encoding="utf-8"))


def usual_questions(document: Document) -> list[TimelineQuestion]:
    """Return what a page about a person, or about something else, is asked."""
    of = "person" if _is_about_person(document) else "other"
    subject, headings = document.title or "it", _telling_headings()
    return [
        TimelineQuestion(one["relation"], one["question"].replace("{title}", subject), headings[name])
        for name, one in _usual().items()
        if one["of"] == of
    ]


def _is_about_person(document: Document) -> bool:
    """Guess from the title, and if that could be anything, from how often the page says "he" and "her"."""
    looks = looks_like(document.title) if document.title else OTHER
    if looks not in (OTHER, "person", "role"):
        return False
    said = " ".join(paragraph.text for paragraph in document.paragraphs)
    return len(_PRONOUN.findall(said)) > _OF_PERSON * document.words


@cache
def _telling_headings() -> dict[str, frozenset[str]]:
    """Return for each kind of fact the words of headings that stand over few kinds, as "Directors" does."""
    rarity = rarity_of("headings")
    return {kind.name: frozenset(word for word in kind.headings if rarity[word] >= _TELLING) for kind in kinds()}


def rows_of(features: Features, matter: Vectors, asked: TimelineQuestion) -> Iterator[TimelineRow]:
    """Return what answers a question at any time, in the order of time; what has no time is left out."""
    index, document = features.index, features.index.document
    line = line_of_time(index, matter, features.texts)
    least = max(_SURE, _BESIDE * float(matter.max(initial=0.0)))
    chosen = [
        one
        for one in line.matters.tolist()
        if matter[one] >= (_UNDER_HEADING if asked.stands_under(_section(features, one)) else least)
        and index.own_times[one] != NONE
    ]
    seen: set[tuple[str, str]] = set()
    for position in sorted(chosen, key=lambda one: (int(line.first[one]), -float(matter[one]))):
        start, end, told = _dates(features, line, position)
        if (features.texts[position], start) in seen:
            continue
        seen.add((features.texts[position], start))
        sentence = document.sentences[index.candidates[position].sentence]
        yield TimelineRow(
            subject=document.title,
            relation=asked.relation,
            object=index.candidates[position].text,
            start=start,
            end=end,
            end_is_told=told,
            sentence=document.text_of(sentence),
            section=document.paragraphs[sentence.paragraph].section,
            probability=round(float(matter[position]), 3),
        )


def likeliest(rows: Sequence[TimelineRow], asked: Sequence[TimelineQuestion]) -> list[TimelineRow]:
    """Keep one row of each mention: of the relation that its heading says, or that its section tells the most of."""
    questions = {one.relation: one for one in asked}
    told: defaultdict[tuple[str, str], float] = defaultdict(float)
    for row in rows:
        told[row.section, row.relation] += row.probability
    for section, relation in told:
        told[section, relation] += _HEADING * questions[relation].stands_under(section)
    best: dict[tuple[str, str], TimelineRow] = {}
    for row in rows:
        before = best.setdefault((row.object, row.sentence), row)
        if told[row.section, row.relation] > told[before.section, before.relation]:
            best[row.object, row.sentence] = row
    return [row for row in rows if best[row.object, row.sentence].relation == row.relation]


def _section(features: Features, position: int) -> str:
    index = features.index
    return index.document.paragraphs[index.document.sentences[index.candidates[position].sentence].paragraph].section


def _dates(features: Features, line: LineOfTime, position: int) -> tuple[str, str, bool]:
    """Return the start and the end of what a candidate tells, "" where there is none, and whether the end is told."""
    time = features.index.times[features.index.own_times[position]].time
    start, end = time.interval.start, time.interval.end
    kind = features.index.own_kinds[position]
    if kind == "until":
        return "", str(end) if isinstance(end, Date) else "", isinstance(end, Date)
    if kind == "from" and isinstance(end, Date):  # it began with the end of another state
        start, end = end, Open.NOT_STATED
    said = str(start) if isinstance(start, Date) else ""
    if kind == "range" and isinstance(end, Date):
        return said, str(end), True
    if end is Open.ONGOING:
        return said, str(Open.ONGOING), True
    told = features.index.told_end(position)
    if told:
        return said, str(told), True
    last = int(line.last[position])
    return said, "" if last >= FAR_FUTURE or last <= time.last else features.index.written_day(last), False
