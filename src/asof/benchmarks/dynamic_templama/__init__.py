"""DynamicTempLAMA: what is right in each month, quarter or year, and what has changed since the one before?

Margatina et al. 2023 (arXiv:2302.12297), section 3.1. Facts in, one item per subject, relation and period out, with all
answers that are right at any time in the period: "Cristiano Ronaldo plays for _X_." Which facts is decided in
``choice.py``, when answers change in ``spells.py``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from asof.benchmarks._account import Account, Omission
from asof.benchmarks._folder import BenchmarkTables, items_of
from asof.benchmarks._item import Item
from asof.benchmarks._relations import relations_to_ask
from asof.benchmarks.dynamic_templama.choice import DynamicTempLamaRules, choose
from asof.benchmarks.dynamic_templama.histories import PairHistories
from asof.benchmarks.dynamic_templama.range import PeriodRange, in_range, statistics
from asof.benchmarks.dynamic_templama.spells import Spells, spells
from asof.benchmarks.dynamic_templama.tables import DynamicTempLamaTables
from asof.errors import UserError, did_you_mean
from asof.facts import FactStore
from asof.facts.engines import Engine, open_engine
from asof.registry import benchmarks
from asof.timeline import Date, Granularity, Period
from asof.wording import Wording

By = Literal["month", "quarter", "year"]
Protocol = Literal["corrected", "margatina2023", "margatina2023-program"]
_PAPER = "margatina2023"

_ONGOING = "SELECT 1 FROM facts WHERE end_precision = 'ongoing' LIMIT 1"


@benchmarks.register("dynamic-templama")
@dataclass(frozen=True, kw_only=True)
class DynamicTempLama:
    """What is right in each month, quarter or year, and what has changed? Facts with a blank, period by period.

    Each item has the same tags. ``split`` compares with the period before: unchanged, updated (other answers), new
    (nothing was right before), missing for the first period. ``previous`` is the answer that was the last to cease to
    be right, ``since`` the period since which exactly the present answers are right, also where that is before the
    range. The first ``labels`` of the answers are names, the others aliases. Where nothing is right any more there is
    nothing to ask, as no answer would be right: such a deletion is counted in the statistics and gives no item.

    Args:
        first: The range, from the period that contains this time ...
        last: ... to the one that contains that.
        dated: Say the period and the past tense, as TempLAMA does: "In 2019, ... played for _X_."
        relations: Ids or names with commas between; all that can be said and last, if not given.
        subjects: Of each relation, the most popular ones.
        facts: So many subjects and relations at most, the most popular first.
        wordings: Ask each in so many wordings: does an answer hang on the words? Each is an item, with the tag
            ``wording``. There are three of each relation in English.
        templates: A TOML file of sentences that go before ours, for these and other relations.
        surely: Accept only what surely holds in a period, however imprecise its dates.
        aliases: Accept other names of right answers; not for the paper's protocols, unless it is said.
        protocol: "corrected" compares answers by what they are and counts those that are gone. "margatina2023" has the
            paper's choice of facts, its sentences, and its splits by query and label; "margatina2023-program" also lets
            what ends in a year end in its June, and merges subjects of the same name, as the published program does.
    """

    name: ClassVar[str] = "dynamic-templama"
    paper: ClassVar[str] = "arXiv:2302.12297"
    probe: ClassVar[str] = "pseudo-likelihood"  # the one of the paper that every kind of model can do
    probes: ClassVar[tuple[str, ...]] = (
        "pseudo-likelihood", "fill-many", "fill-one", "write-answer", "choose", "yes-no",
    )  # fmt: skip
    report_with: ClassVar[str] = "dynamic-templama"
    known_from: ClassVar[str] = "since"
    group: ClassVar[str] = "subject–relation pair"

    first: str = "2019-Q1"  # the range of the paper
    last: str = "2022-Q2"
    by: By = "quarter"  # its models are of each quarter
    dated: bool = False
    relations: str | None = None
    subjects: int = 1000  # appendix A.1; the published program keeps 5,000
    facts: int | None = None
    wordings: int = 1
    templates: str | None = None
    surely: bool = False
    aliases: bool | None = None
    protocol: Protocol = "corrected"

    def __post_init__(self) -> None:
        """See that the range is one."""
        if self.by not in get_args(By):
            known = ", ".join(get_args(By))
            raise UserError(
                f"{self.by!r} is not a length of a period.{did_you_mean(self.by, get_args(By))} Known: {known}."
            )
        if self.wordings < 1:
            raise UserError(f"wordings = {self.wordings} asks nothing. Give 1 or more.")
        if self.dated and self.wordings > 1:
            raise UserError("Several wordings are in the present tense and name no date. Omit dated or wordings.")
        first, last = self._range()
        if first > last:
            raise UserError(f"{self.first} comes after {self.last}: give the earlier period first.")

    def items(self, store: FactStore, say: Wording, *, engine: Engine | None = None) -> Iterator[Item]:
        """Make one item per subject, relation and period; the most popular first, each in the order of time."""
        for table in self.made(store, say, engine=engine).tables:
            yield from items_of(table)

    def made(self, store: FactStore, say: Wording, *, engine: Engine | None = None) -> BenchmarkTables:
        """Make all items as tables, with the statistics of the paper's table 5."""
        first, last, known = self._known_range(store)
        own = dataclasses.replace(say, own=Path(self.templates) if self.templates else say.own)
        own = dataclasses.replace(own, paper=_PAPER) if self._of_paper else own
        rules = self._rules(store, own, first, last)
        found, left_out = choose(rules, store, engine or open_engine())
        cut = spells(found.held, last.index)
        there = in_range(cut, first, last, pairs=self.facts)
        if not len(there.spell):
            return BenchmarkTables(iter(()), Account(left_out))
        tables = DynamicTempLamaTables(
            found=found,
            spells=cut,
            there=there,
            say=own,
            relation_labels={id: relation.label for id, relation in store.relations.items()},
            dated=self.dated,
            aliases=not self._of_paper if self.aliases is None else self.aliases,
            gone_updates=not self._of_paper,
            wordings=self.wordings,
        )
        counts = statistics(cut, there, gone=not self._of_paper)
        notes = known + _notes(counts, found.pairs.take(pa.array(np.unique(cut.pair[there.spell]))))
        beyond = self._beyond(found, cut, there, store)
        return BenchmarkTables(iter(tables), Account(left_out | beyond, notes), counts)

    def _beyond(
        self, histories: PairHistories, cut: Spells, there: PeriodRange, store: FactStore
    ) -> dict[str, Omission]:
        """Tell of the subjects and relations that ``facts`` is too small for."""
        if self.facts is None:
            return {}
        every = in_range(cut, there.begin, there.end, pairs=None)
        more = np.setdiff1d(cut.pair[every.spell], cut.pair[there.spell])
        if not len(more):
            return {}
        first = histories.pairs.slice(int(more[0]), 1).to_pylist()[0]
        known = store.facts(subject=first["subject"], relation=first["relation"])
        example = next(fact.in_names for fact in known if isinstance(fact.start, Date) or isinstance(fact.end, Date))
        count = int(np.isin(histories.held.pair, more).sum())
        reason = f"after the first {self.facts:,} subjects and relations"
        return {reason: Omission(count, example, "To include more: --limit N")}

    @property
    def _of_paper(self) -> bool:
        return self.protocol.startswith(_PAPER)

    def _range(self) -> tuple[Period, Period]:
        by = Granularity[self.by.upper()]
        first, last = Period.parse(self.first), Period.parse(self.last)
        return Period.containing(first.first, by), Period.containing(last.last, by)

    def _known_range(self, store: FactStore) -> tuple[Period, Period, tuple[str, ...]]:
        """Return the periods that the base knows of, and what is to be said of the others.

        What was ongoing on the last known day is right only possibly afterwards: no answer to hold a model to. Where
        nothing is ongoing and no day is stated, dates alone decide.
        """
        first, last = self._range()
        if store.known_by is None or store.known_by.last >= last.last:
            return first, last, ()
        if not store.manifest.known_by and not store.sql(_ONGOING).num_rows:
            return first, last, ()
        told = f"{store.manifest.name} has data current to {store.known_by_in_words}"
        known = Period.containing(store.known_by.last, last.granularity)
        if known < first:
            raise UserError(
                f"{told}, so it is not known what was right from {first} to {last}. "
                "Ask about an earlier time, or mine a newer source; asof mine --known-by DAY states the day of a table."
            )
        notes = [f"{told}: later periods are skipped ({known + 1} to {last})."] if known < last else []
        if store.known_by.last < known.last:
            notes.append(f"{told}: what was ongoing then counts as right in all of {known}.")
        return first, known, tuple(notes)

    def _rules(self, store: FactStore, say: Wording, first: Period, last: Period) -> DynamicTempLamaRules:
        as_program = self.protocol == "margatina2023-program"
        return DynamicTempLamaRules(
            first=first,
            last=last,
            relations=relations_to_ask(store, say, self.relations, moments="Ask for {relations} with --set relations."),
            subjects=self.subjects,
            surely=self.surely,
            of_paper=self._of_paper,
            by_name=self._of_paper,
            merge_subjects=as_program,
            june_ends=as_program,
        )


def _notes(counts: pa.Table, pairs: pa.Table) -> tuple[str, ...]:
    """Say what a person may not expect of the items."""
    notes = []
    empty = counts.filter(pc.equal(counts["facts"], 0))["period"].to_pylist()
    if empty:
        notes.append(f"Periods without facts: {', '.join(empty)}.")
    ids = pc.and_(
        pc.equal(pairs["subject"], pairs["subject_label"]), pc.match_substring_regex(pairs["subject"], r"^Q[0-9]+$")
    )
    nameless = pairs.filter(ids)
    if nameless.num_rows:
        notes.append(
            f"Without a name for the subject, so that no language model can know them: {nameless.num_rows:,} of "
            f"{pairs.num_rows:,} facts, such as {nameless['subject'][0]}. Mine a source that has names."
        )
    return tuple(notes)
