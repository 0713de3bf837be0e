"""TimeStress: is a fact likelier under its right dates than under wrong ones?

Ammar Khodja et al. 2025 (arXiv:2502.01220), section 4 and appendix A. Facts with both ends in, one item per fact and
date out: "In 2011, who was the president of the United States?" with the object as answer, at year, month and day.
Which facts, and with which question, is decided in ``_timestress_choice.py``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import ClassVar, Literal

import numpy as np

from asof.benchmarks._account import Account
from asof.benchmarks._item import Item, Tag
from asof.benchmarks._timestress_choice import Chosen, Rules, choose, likely_facts
from asof.errors import UserError
from asof.facts import Fact, FactStore
from asof.registry import benchmarks
from asof.timeline import Date, Verdict, verdict
from asof.timeline.calendar import calendar_day, days_in_month
from asof.wording import Wording

_LONGER_THAN = 3.0  # years, so that there are enough right dates (section 4.1.1)


@benchmarks.register("timestress")
@dataclass(frozen=True, kw_only=True)
class TimeStress:
    """Is a fact likelier under its right dates than under wrong ones? Years, months and days.

    Args:
        protocol: "paper" computes with the middle of imprecise ends and calls a date that touches one transitional, as
            section 3 and appendix A.4 say; "program" counts imprecise ends in full, as the published program does.
        questions: A CSV or TSV file with the column question, and either fact (its id, or subject, relation and object
            ids joined by spaces) or subject, relation and object; the table of the facts itself will do. It chooses
            the facts: those in it, in its order, of any length. Of several questions for a fact one is drawn by seed.
        own_wording: Use the questions of the file where it has one, and our wording for all other facts.
        templates: A TOML file of sentences and questions that go before ours, for these and other relations.
    """

    name: ClassVar[str] = "timestress"
    paper: ClassVar[str] = "arXiv:2502.01220"
    probe: ClassVar[str] = "answer-likelihood"

    facts: int = 2000  # most popular first; the paper has 2,003
    longer_than: float | None = None  # years; without a file of questions 3
    last_year: int = 2020  # later dates would ask about the future of the paper's facts
    reach: float = 5.0  # dates come from the middle ± reach × duration (section 4.1.3)
    stride: float = 0.05  # ... in steps of stride × duration
    protocol: Literal["paper", "program"] = "paper"
    seed: int = 123
    questions: str | None = None
    own_wording: bool = False
    templates: str | None = None

    def items(self, store: FactStore, say: Wording) -> Iterator[Item]:
        """Make one item per fact and date, facts in the order of their popularity or of the questions' file."""
        for chosen in choose(self._rules(), store, self._wording(say)).facts:
            yield from self._items_of(chosen, say)

    def account(self, store: FactStore, say: Wording) -> Account:
        """Tell which facts were left out and why, and what is to be known of those that were not."""
        choice = choose(self._rules(), store, self._wording(say))
        never = sum(not self._has_right_year(chosen.fact) for chosen in choice.facts)
        note = f"Without a year that is surely right, so with items and no win rate: {never:,} of the facts."
        return Account(choice.left_out, (*choice.notes, *([note] if never else [])))

    def facts_to_ask(self, store: FactStore, say: Wording) -> list[Fact]:
        """Return the facts for which a writer of questions is to write some: those that the rules choose."""
        return likely_facts(self._rules(), store, self._wording(say))

    def _wording(self, say: Wording) -> Wording:
        return dataclasses.replace(say, own=Path(self.templates)) if self.templates else say

    def _rules(self) -> Rules:
        from_file = self.questions is not None and not self.own_wording
        default = 0.0 if from_file else _LONGER_THAN
        return Rules(
            facts=self.facts,
            longer_than=default if self.longer_than is None else self.longer_than,
            last_year=self.last_year,
            whole_ends=self.protocol == "program",
            seed=self.seed,
            questions=self.questions,
            own_wording=self.own_wording,
        )

    def _items_of(self, chosen: Chosen, say: Wording) -> Iterator[Item]:
        fact = chosen.fact
        group = fact.id
        random = Random(f"{self.seed} {group}")
        first, last = self._ends(fact)
        middle, length = (first + last) / 2, last - first
        about: dict[str, Tag] = {
            "subject": fact.subject_label,
            "relation": fact.relation_label,
            "start": str(fact.start),
            "end": str(fact.end),
            "popularity": chosen.popularity,
        }
        answers = (fact.object_label or fact.object,)
        for year in self._years(middle, length):
            dates = [Date.of(year)]
            month = random.randint(1, 12)
            day = random.randint(1, days_in_month(year, month))
            judged = self._verdict(dates[0], fact)
            if judged is not Verdict.TRANSITIONAL:  # else month and day may be right or wrong: discarded
                dates += [Date.of(year, month), Date.of(year, month, day)]
            for date in dates:
                written = str(date)
                position = ((date.first + date.last) / 2 - middle) / length
                tags: dict[str, Tag] = {"date": written, "precision": str(date.precision), "verdict": str(judged)}
                yield Item(
                    id=f"{group} @ {written}",
                    prompt=f"{_said(date, say.language)}, {chosen.question}",
                    answers=answers,
                    group=group,
                    tags=tags | {"alpha": position} | about,
                )

    def _verdict(self, date: Date, fact: Fact) -> Verdict:
        return verdict(date, fact.interval, whole_ends=self.protocol == "program")

    def _has_right_year(self, fact: Fact) -> bool:
        first, last = self._ends(fact)
        years = self._years((first + last) / 2, last - first)
        return any(self._verdict(Date.of(year), fact) is Verdict.CORRECT for year in reversed(years))

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


@lru_cache(maxsize=100_000)
def _said(date: Date, language: str) -> str:
    return Wording(language=language).when(date)
