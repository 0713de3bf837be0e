"""LAMA-TK: can a language model keep facts with their time, and use what it has kept?

Zhao et al. 2022 (aclanthology.org/2022.findings-emnlp.147). Facts in; statements with a blank for the subject, the
object, the start or the end out, each with all answers that the facts give to the same prompt. Which facts is decided
in ``choice.py``, what is asked in ``masks.py`` and ``moments.py``.

Answers stand in three columns: ``answers`` are names, the one that was taken out first; ``answer_ids`` are the ids of
the same, in the same order, with "|" between; ``answer_id`` is the first of them. The id of a time point is its text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, get_args

from asof.benchmarks._account import Account, Omission
from asof.benchmarks._folder import BenchmarkTables, items_of
from asof.benchmarks._item import Item
from asof.benchmarks._relations import relations_to_ask
from asof.benchmarks.lama_tk.choice import LamaTkRules, SelectedFacts, choose
from asof.benchmarks.lama_tk.masks import MaskOmission, MaskSelection, boundary, recite
from asof.benchmarks.lama_tk.moments import implicit
from asof.benchmarks.lama_tk.prompts import Prompts
from asof.benchmarks.lama_tk.statistics import conflicting, notes, statistics
from asof.benchmarks.lama_tk.tables import LamaTkTables
from asof.benchmarks.lama_tk.times import By
from asof.errors import UserError, did_you_mean
from asof.facts import FactStore
from asof.registry import benchmarks
from asof.wording import Wording

Query = Literal["recite", "boundary", "implicit"]


@benchmarks.register("lama-tk")
@dataclass(frozen=True, kw_only=True)
class LamaTk:
    """Can a model keep facts with their time? Statements with a blank for subject, object, start or end.

    Args:
        query: "recite" has the statements themselves; "boundary" asks when a fact began and ended, in other words;
            "implicit" asks for the object at a time strictly inside, in the words of the statement and in others.
        by: Time points are years, months or days.
        conflicts: Keep prompts with several right answers. Without them every prompt has exactly one.
        relations: Ids or names with commas between; all, if not given.
        facts: So many facts, drawn by subject; those of a smaller number are among those of a larger one.
        keep_open_ends: Keep facts that have one end only ("from 1986"), with a blank less.
        plain_labels: Say relations that have no template by their label.
        templates: A TOML file of sentences that go before ours, for these and other relations.
    """

    name: ClassVar[str] = "lama-tk"
    paper: ClassVar[str] = "aclanthology.org/2022.findings-emnlp.147"
    probe: ClassVar[str] = "fill-one"
    probes: ClassVar[tuple[str, ...]] = ("fill-one", "fill-many", "pseudo-likelihood", "write-answer")
    score_with: ClassVar[str] = "lama-tk"
    report_with: ClassVar[str] = "lama-tk"

    query: Query = "recite"
    by: By = "year"  # the paper's time points
    conflicts: bool = True
    relations: str | None = None
    facts: int | None = None
    keep_open_ends: bool = False  # the paper's facts have both ends
    plain_labels: bool = True
    templates: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """See that the choices are known."""
        for name, value, known in (("by", self.by, get_args(By)), ("query", self.query, get_args(Query))):
            if value not in known:
                raise UserError(f"{name}={value!r} is not one of {', '.join(known)}.{did_you_mean(value, known)}")

    def items(self, store: FactStore, say: Wording) -> Iterator[Item]:
        """Make the items, fact by fact in the order of the base."""
        for table in self.made(store, say).tables:
            yield from items_of(table)

    def made(self, store: FactStore, say: Wording) -> BenchmarkTables:
        """Make all items as tables, with the counts of the paper's tables 6 and 8."""
        say = self._wording(store, say)
        relations = relations_to_ask(store, say, self.relations)
        rules = LamaTkRules(
            by=self.by, relations=relations, keep_open_ends=self.keep_open_ends, facts=self.facts, seed=self.seed
        )
        chosen, left_out = choose(rules, store, say)
        prompts = Prompts(chosen, say)
        asked = self._asked(chosen, prompts)
        labels = {id: relation.label for id, relation in store.relations.items()}
        tables = LamaTkTables(chosen=chosen, masks=asked.masks, relation_labels=labels, keep_conflicts=self.conflicts)
        not_asked = list(asked.not_asked)
        if not self.conflicts:
            advice = "Omit --set conflicts=false to keep prompts with several right answers."
            not_asked.append(MaskOmission("of which every prompt has several answers", advice, conflicting(tables)))
        left_out |= {
            reason: Omission(int(which.sum()), chosen.example(which, store), advice)
            for reason, advice, which in not_asked
            if which.any()
        }
        return BenchmarkTables(iter(tables), Account(left_out, notes(tables)), statistics(tables, say))

    def _asked(self, chosen: SelectedFacts, prompts: Prompts) -> MaskSelection:
        if self.query == "implicit":
            return implicit(chosen, prompts, self.by, self.seed)
        return recite(chosen, prompts) if self.query == "recite" else boundary(chosen, prompts)

    def _wording(self, store: FactStore, say: Wording) -> Wording:
        labels = {id: relation.label for id, relation in store.relations.items()} if self.plain_labels else {}
        own = Path(self.templates) if self.templates else say.own
        return dataclasses.replace(say, paper=self.name, own=own, labels=labels)
