"""Questions of TimeQA as items: the words of a question, its answers and their places, its tags, and the counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from asof.benchmarks._item import Item, Tag
from asof.benchmarks.timeqa.files import FROM_TO, PublishedQuestion, time_in
from asof.benchmarks.timeqa.history import History, Level, TimedObject, TimeQaQuestion
from asof.benchmarks.timeqa.times import QuestionTime
from asof.facts import Fact
from asof.timeline import Interval
from asof.wording import Wording


@dataclass
class ItemWriter:
    """Writes questions as items and counts those that it leaves out.

    Args:
        as_published: One wording for all questions of a history, "Mar 1811" for a month, and unanswerable whatever the
            page does not have.
        aliases: Accept other names of right answers.
    """

    say: Wording
    seed: int
    as_published: bool
    aliases: bool
    partly_told: int = 0  # questions of which the page has only some of the right answers

    def items(self, history: History, level: Level, questions: Iterable[TimeQaQuestion]) -> Iterator[Item]:
        """Write the questions of one history and level."""
        for number, question in enumerate(questions):
            held = question.held
            if history.document:
                held = tuple(one for one in held if one.span)
                if held and len(held) < len(question.held) and not self.as_published:
                    self.partly_told += 1
                    continue
            tags = _tags(level, question.specifier, history, as_published=self.as_published)
            tags |= {"answerable": int(bool(held)), "objects": len({one.object for one in held})}
            tags |= {"document": history.document, "spans": "; ".join(str(one.span) for one in held if one.span)}
            yield Item(
                id=f"{history.group}|{level}|{number}",
                prompt=self._prompt(history, question, number),
                answers=tuple(dict.fromkeys(name for one in held for name in self._names(one))),
                group=history.group,
                tags=tags,
            )

    def _names(self, held: TimedObject) -> Sequence[str]:
        told = [held.said] if held.said else []
        return [*told, *(held.names if self.aliases else held.names[:1])]

    def _prompt(self, history: History, question: TimeQaQuestion, number: int) -> str:
        time = question.specifier.words(short_months=self.as_published) if question.specifier else ""
        if question.segment is not None and question.segment.question:
            return self._replaced(question.segment.question, time)
        if history.given:  # nothing held then: asked in the words of another segment
            written = next(segment.question for segment in history.segments if segment.question)
            return self._replaced(written, time)
        drawn = history.group if self.as_published else f"{history.group} {number}"
        fact = Fact(
            subject=history.subject,
            relation=history.relation,
            object="",
            interval=Interval.parse("", ""),
            statement=drawn,  # by which one of several wordings is chosen
            subject_label=history.subject_label,
        )
        asked = self.say.question(fact, seed=self.seed)
        return f"{asked[0].upper()}{asked[1:].removesuffix('?')} {time}?"

    def _replaced(self, written: str, time: str) -> str:
        """Put another time into a question that a person wrote."""
        if not time:
            return written
        text = FROM_TO.sub(time, written)
        return text if self.as_published or not written.startswith("F") else text[0].upper() + text[1:]


def published_item(question: PublishedQuestion, level: str) -> Item:
    """Take a question as it was published."""
    found = time_in(question.question)
    history = History(question.page, question.relation, question.page, question.relation, ())
    answered: dict[str, Tag] = {"answerable": int(bool(question.answers)), "objects": len(question.answers)}
    spans: dict[str, Tag] = {"document": question.document, "spans": "; ".join(map(str, question.spans))}
    return Item(
        id=f"{question.id}|{level}",
        prompt=question.question,
        answers=question.answers,
        group=history.group,
        tags=_tags(level, found, history, as_published=True) | answered | spans,
    )


def _tags(level: str, time: QuestionTime | None, history: History, *, as_published: bool) -> dict[str, Tag]:
    return {
        "level": level,
        "specifier": time.kind if time else "none",
        "time": time.words(short_months=as_published) if time else None,
        "first_day": time.days.first if time else None,
        "last_day": time.days.last if time else None,
        "subject": history.subject,
        "subject_label": history.subject_label,
        "relation": history.relation,
        "relation_label": history.relation_label,
    }


def statistics(items: Iterable[Item]) -> pa.Table:
    """Count questions by level and kind of time, as table 1 of the paper does by level."""
    counts: Counter[tuple[Tag, Tag]] = Counter()
    answerable: Counter[tuple[Tag, Tag]] = Counter()
    for item in items:
        for kind in (item.tags["specifier"], "all"):
            key = (item.tags["level"], kind)
            counts[key] += 1
            answerable[key] += int(item.tags["answerable"] or 0)
    order = ("all", "in", "from", "between", "before", "after", "early", "late", "none")
    keys = sorted(counts, key=lambda key: (str(key[0]), order.index(str(key[1]))))
    return pa.table(
        {
            "level": [key[0] for key in keys],
            "time": [key[1] for key in keys],
            "questions": [counts[key] for key in keys],
            "answerable": [answerable[key] for key in keys],
            "unanswerable": [counts[key] - answerable[key] for key in keys],
        }
    )
