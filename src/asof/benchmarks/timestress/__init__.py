"""TimeStress: is a fact likelier under its right dates than under wrong ones?

Ammar Khodja et al. 2025 (arXiv:2502.01220), section 4 and appendix A. Facts with both ends in, one item per fact and
date out: "In 2011, who was the president of the United States?" with the object as answer, at year, month and day.
Which facts, and with which question, is decided in ``choice.py``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import ClassVar, Literal

from asof.benchmarks._account import Account
from asof.benchmarks._item import Item, Tag
from asof.benchmarks.timestress.choice import SelectedFact, TimeStressRules, choose, likely_facts
from asof.benchmarks.timestress.scan import Scan
from asof.facts import Fact, FactStore
from asof.registry import benchmarks
from asof.timeline import Date, Verdict, verdict
from asof.timeline.calendar import days_in_month
from asof.wording import Wording

_LONGER_THAN = 3.0  # years, so that there are enough right dates (section 4.1.1)


@benchmarks.register("timestress")
@dataclass(frozen=True, kw_only=True)
class TimeStress:
    """Is a fact likelier under its right dates than under wrong ones? Years, months and days.

    Args:
        protocol: "paper" computes with the middle of imprecise ends and calls a date that touches one transitional, as
            section 3 and appendix A.4 say; "program" does as the published program: imprecise ends count in full, days
            are whole, and each fact has one item without a date (precision "none", verdict "no context").
        questions: A CSV or TSV file with the column question, and either fact (its id, or subject, relation and object
            ids joined by spaces) or subject, relation and object; the table of the facts itself will do. It chooses
            the facts: those in it, in its order, of any length. Of several questions for a fact one is drawn by seed.
            A column answer, where it is not empty, is the answer's text in the place of the object's name.
        own_wording: Use the questions of the file where it has one, and our wording for all other facts.
        templates: A TOML file of sentences and questions that go before ours, for these and other relations.
    """

    name: ClassVar[str] = "timestress"
    paper: ClassVar[str] = "arXiv:2502.01220"
    probe: ClassVar[str] = "answer-likelihood"
    probes: ClassVar[tuple[str, ...]] = ("answer-likelihood", "choose", "yes-no", "write-answer")
    score_with: ClassVar[str] = "timestress"
    report_with: ClassVar[str] = "timestress"
    known_from: ClassVar[str] = "start"

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
        note = f"{never:,} of the facts have no year that is surely right, so they have items and no win rate."
        return Account(choice.left_out, (*choice.notes, *([note] if never else [])))

    def facts_to_ask(self, store: FactStore, say: Wording) -> list[Fact]:
        """Return the facts for which a writer of questions is to write some: those that the rules choose."""
        return likely_facts(self._rules(), store, self._wording(say))

    def _wording(self, say: Wording) -> Wording:
        return dataclasses.replace(say, own=Path(self.templates)) if self.templates else say

    def _rules(self) -> TimeStressRules:
        from_file = self.questions is not None and not self.own_wording
        default = 0.0 if from_file else _LONGER_THAN
        return TimeStressRules(
            facts=self.facts,
            longer_than=default if self.longer_than is None else self.longer_than,
            last_year=self.last_year,
            whole_ends=self._as_program,
            seed=self.seed,
            questions=self.questions,
            own_wording=self.own_wording,
        )

    def _items_of(self, chosen: SelectedFact, say: Wording) -> Iterator[Item]:
        fact = chosen.fact
        group = fact.id
        random = Random(f"{self.seed} {group}")
        scan = self._scan(fact)
        about: dict[str, Tag] = {
            "subject": fact.subject_label,
            "relation": fact.relation_label,
            "start": str(fact.start),
            "end": str(fact.end),
            "popularity": chosen.popularity,
        }
        answers = (chosen.answer, *chosen.aliases)
        for year in self._years(scan):
            dates = [Date.of(year)]
            month = random.randint(1, 12)
            day = random.randint(1, days_in_month(year, month))
            judged = self._verdict(dates[0], fact)
            if judged is not Verdict.TRANSITIONAL:  # else month and day may be right or wrong: discarded
                dates += [Date.of(year, month), Date.of(year, month, day)]
            for date in dates:
                written = str(date)
                tags: dict[str, Tag] = {"date": written, "precision": str(date.precision), "verdict": str(judged)}
                yield Item(
                    id=f"{group} @ {written}",
                    prompt=f"{_said(date, say.language)}, {chosen.question}",
                    answers=answers,
                    group=group,
                    tags=tags | {"alpha": scan.alpha(date)} | about,
                )
        if self._as_program:
            undated: dict[str, Tag] = {"date": None, "precision": "none", "verdict": "no context", "alpha": None}
            yield Item(
                id=f"{group} @ no date", prompt=chosen.question, answers=answers, group=group, tags=undated | about
            )

    def _verdict(self, date: Date, fact: Fact) -> Verdict:
        return verdict(date, fact.interval, whole_ends=self._as_program)

    def _has_right_year(self, fact: Fact) -> bool:
        years = reversed(self._years(self._scan(fact)))
        return any(self._verdict(Date.of(year), fact) is Verdict.CORRECT for year in years)

    def _scan(self, fact: Fact) -> Scan:
        return Scan.of(fact, whole_days=self._as_program)

    def _years(self, scan: Scan) -> list[int]:
        return scan.years(reach=self.reach, stride=self.stride, last_year=self.last_year)

    @property
    def _as_program(self) -> bool:
        return self.protocol == "program"


@lru_cache(maxsize=100_000)
def _said(date: Date, language: str) -> str:
    return Wording(language=language).when(date)
