"""TimeStress: is a fact likelier under its right dates than under wrong ones?

Ammar Khodja et al. 2025 (arXiv:2502.01220), section 4 and appendix A. Facts with both ends in, one item per fact and
date out: "In 2011, who was the president of the United States?" with the object as answer, at year, month and day.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import ClassVar, Literal

import numpy as np

from asof.benchmarks._item import Item, Tag
from asof.errors import UserError
from asof.facts import Fact, FactStore, FactTable
from asof.registry import benchmarks
from asof.timeline import Date, Verdict, verdict
from asof.timeline.calendar import calendar_day, days_in_month
from asof.wording import Wording

_DAYS_PER_YEAR = 365.25


@benchmarks.register("timestress")
@dataclass(frozen=True, kw_only=True)
class TimeStress:
    """Is a fact likelier under its right dates than under wrong ones? Years, months and days.

    Args:
        protocol: "paper" computes with the middle of imprecise ends and calls a date that touches one transitional, as
            section 3 and appendix A.4 say; "program" counts imprecise ends in full, as the published program does.
        questions: A TSV file with the columns fact (its id, or subject, relation and object ids joined by spaces) and
            question, to be used in the place of our wording.
    """

    name: ClassVar[str] = "timestress"
    paper: ClassVar[str] = "arXiv:2502.01220"
    needs: ClassVar[str] = "answer_logprob"

    facts: int = 2000  # most popular first; the paper has 2,003
    longer_than: float = 3.0  # years, so that there are enough right dates (section 4.1.1)
    last_year: int = 2020  # later dates would ask about the future of the paper's facts
    reach: float = 5.0  # dates come from the middle ± reach × duration (section 4.1.3)
    stride: float = 0.05  # ... in steps of stride × duration
    protocol: Literal["paper", "program"] = "paper"
    seed: int = 123
    questions: str | None = None

    def items(self, store: FactStore, say: Wording) -> Iterator[Item]:
        """Make one item per fact and date, facts in the order of their popularity."""
        asked = self._written_questions()
        for fact, popularity, question in self._chosen(store, say, asked):
            yield from self._items_of(fact, popularity, question, say)

    def _chosen(self, store: FactStore, say: Wording, asked: dict[str, str]) -> Iterator[tuple[Fact, float, str]]:
        """Choose facts: one spell, both ends known, long enough, over in time, popular, and with a question."""
        table = store.sql(
            _CHOSEN, {"last_day": Date.of(self.last_year).last, "days": self.longer_than * _DAYS_PER_YEAR}
        )
        labelled = store.with_labels(table, subject="entity", relation="relation", object="entity")
        taken = 0
        for fact, popularity in zip(FactTable(labelled), table["popularity"].to_pylist(), strict=True):
            question = asked.get(fact.id) or asked.get(f"{fact.subject} {fact.relation} {fact.object}")
            if not question and say.can_say(fact.relation) and not say.template(fact.relation).instant:
                question = say.question(fact, seed=self.seed)
            if question and fact.subject_label != fact.object_label:
                yield fact, popularity, question
                taken += 1
                if taken == self.facts:
                    return

    def _items_of(self, fact: Fact, popularity: float, question: str, say: Wording) -> Iterator[Item]:
        group = fact.id
        random = Random(f"{self.seed} {group}")
        first, last = self._ends(fact)
        middle, length = (first + last) / 2, last - first
        about: dict[str, Tag] = {
            "subject": fact.subject_label,
            "relation": fact.relation_label,
            "start": str(fact.start),
            "end": str(fact.end),
            "popularity": popularity,
        }
        answers = (fact.object_label or fact.object,)
        for year in self._years(middle, length):
            dates = [Date.of(year)]
            month = random.randint(1, 12)
            day = random.randint(1, days_in_month(year, month))
            judged = verdict(dates[0], fact.interval, whole_ends=self.protocol == "program")
            if judged is not Verdict.TRANSITIONAL:  # else month and day may be right or wrong: discarded
                dates += [Date.of(year, month), Date.of(year, month, day)]
            for date in dates:
                written = str(date)
                position = ((date.first + date.last) / 2 - middle) / length
                tags: dict[str, Tag] = {"date": written, "precision": str(date.precision), "verdict": str(judged)}
                yield Item(
                    id=f"{group} @ {written}",
                    prompt=f"{_said(date, say.language)}, {question}",
                    answers=answers,
                    group=group,
                    tags=tags | {"alpha": position} | about,
                )

    def _ends(self, fact: Fact) -> tuple[float, float]:
        """Return the two days between which the middle and the length are taken."""
        start, end = fact.start, fact.end
        if not isinstance(start, Date) or not isinstance(end, Date):
            raise UserError(f"{fact} has no two dated ends.")
        if self.protocol == "program":
            return start.first, end.last
        return (start.first + start.last) / 2, (end.first + end.last) / 2

    def _years(self, middle: float, length: float) -> list[int]:
        steps = round(self.reach / self.stride)
        days = np.floor(middle + np.arange(-steps, steps + 1) * self.stride * length).astype(np.int64)
        years = np.unique(calendar_day(days)[0])
        return [int(year) for year in years if year <= self.last_year]

    def _written_questions(self) -> dict[str, str]:
        if self.questions is None:
            return {}
        path = Path(self.questions)
        if not path.is_file():
            raise UserError(f"{path} does not exist: give a TSV file with the columns fact and question.")
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            if not {"fact", "question"} <= set(reader.fieldnames or ()):
                raise UserError(
                    f"{path} needs the columns fact and question; it has {', '.join(reader.fieldnames or ())}."
                )
            return {row["fact"]: _checked(row["question"], path, reader.line_num) for row in reader}


_CHOSEN = """
    WITH single AS (
        SELECT *, count(*) OVER (PARTITION BY subject, relation, object) AS spells FROM facts
    )
    SELECT f.* EXCLUDE (spells), sqrt(coalesce(s.popularity, 0) * coalesce(o.popularity, 0)) AS popularity
    FROM single f JOIN entities s ON s.id = f.subject JOIN entities o ON o.id = f.object
    WHERE spells = 1 AND end_last <= $last_day AND end_first - start_last > $days
    ORDER BY popularity DESC, subject, relation, object
"""


@lru_cache(maxsize=100_000)
def _said(date: Date, language: str) -> str:
    return Wording(language=language).when(date)


def _checked(question: str, path: Path, line: int) -> str:
    text = question.strip()
    if not text.endswith("?"):
        raise UserError(f"{path}, line {line}: {question!r} is no question: it does not end with '?'.")
    return text
