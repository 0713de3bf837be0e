"""Which facts are in DynamicTempLAMA, whose history they make, and how many are left out by which rule.

Margatina et al. 2023 (arXiv:2302.12297), section 3.1 and appendix A.1. Facts are chosen by expressions that run on any
engine; what comes out is small enough for one machine. Kept beside its only caller, ``dynamic_templama.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import ibis.expr.types as ir
import pyarrow as pa

from asof.benchmarks._account import NEEDS_DATE, Omission, Step, left_out_by
from asof.benchmarks._relations import RelationsToAsk
from asof.benchmarks.dynamic_templama.histories import PairHistories, read_histories
from asof.facts import FactStore
from asof.facts import definitions as define
from asof.facts.definitions.selections import PAIR, dated, popular_subjects
from asof.facts.definitions.tables import Tables, in_order
from asof.facts.engines import Engine
from asof.facts.recipes.dynamic_templama import DynamicTempLamaRecipe
from asof.timeline import Date, Period

_FROM_JUNE_TO_DECEMBER = 184  # days from 30 June to 31 December


@dataclass(frozen=True, kw_only=True)
class DynamicTempLamaRules:
    """The settings of ``DynamicTempLama`` on which the choice depends.

    Args:
        of_paper: Choose as the paper's recipe does.
        by_name: Answers with the same name are one answer, as in the paper.
        merge_subjects: Subjects with the same name are one subject, as in the published program.
        june_ends: What ends in a year ends in its June, as in the published program.
    """

    first: Period
    last: Period
    relations: RelationsToAsk
    subjects: int
    surely: bool
    of_paper: bool
    by_name: bool
    merge_subjects: bool
    june_ends: bool


def choose(rules: DynamicTempLamaRules, store: FactStore, engine: Engine) -> tuple[PairHistories, dict[str, Omission]]:
    """Choose facts; return their histories, counted in periods, and what was left out by which rule."""
    tables = _Some(relations=rules.relations.ids)
    steps = list(_steps(rules, tables, store))
    left_out = left_out_by(steps, store, engine)
    facts = steps[-1].facts
    found = engine.table(define.histories(_ends(facts, rules)).order_by(in_order(*PAIR)), store)
    things = engine.table(_mentioned(facts, tables).order_by(in_order("id")), store)
    read = read_histories(
        found, things, rules.first.granularity, by_name=rules.by_name, merge_subjects=rules.merge_subjects
    )
    return read, left_out


def _steps(rules: DynamicTempLamaRules, tables: Tables, store: FactStore) -> Iterator[Step]:
    """Give the choices one after the other, each with the words for what it leaves out."""
    for rule in rules.relations.rules:
        facts = Tables().facts
        yield Step(rule.drops, rule.advice, facts.filter(facts.relation.isin(sorted(rule.keeps))))
    facts = tables.facts
    if rules.of_paper:
        for selection in DynamicTempLamaRecipe(subjects=rules.subjects).rules(tables):
            facts = selection.facts
            advice = "This is a rule of the paper; --protocol corrected has other rules."
            yield Step(selection.drops or f"other than those that {selection.keeps}", advice, facts)
    else:
        facts = dated(facts)
        yield Step("without any date", NEEDS_DATE, facts)
    span = _Days(rules.first.first, rules.last.last)
    there = define.holding(_ends(facts, rules), span)
    facts = facts.semi_join(there.select(*PAIR).distinct(), PAIR)
    yield Step(
        f"of a subject and relation of which nothing holds from {rules.first} to {rules.last}",
        f"Choose another time with --from and --until.{_earliest_and_latest(store, rules)}",
        facts,
    )
    if not rules.of_paper:
        facts = popular_subjects(facts, tables, rules.subjects)
        yield Step(
            f"of others than the {rules.subjects:,} most popular subjects of their relation",
            "To include more: --set subjects=N",
            facts,
        )


@dataclass(frozen=True)
class _Some(Tables):
    """The tables of a base with the facts of some relations."""

    relations: tuple[str, ...] = ()

    @cached_property
    def facts(self) -> ir.Table:
        every = super().facts
        return every.filter(every.relation.isin(self.relations))


@dataclass(frozen=True)
class _Days:
    first: int
    last: int


def _ends(facts: ir.Table, rules: DynamicTempLamaRules) -> ir.Table:
    """Let facts begin and end where the settings say; as they stand, at their earliest start and latest end."""
    if rules.surely:
        return facts.mutate(earliest_start=facts.latest_start, latest_end=facts.earliest_end)
    if rules.june_ends:
        june = facts.latest_end - _FROM_JUNE_TO_DECEMBER
        return facts.mutate(latest_end=(facts.end_precision == "year").ifelse(june, facts.latest_end))
    return facts


def _mentioned(facts: ir.Table, tables: Tables) -> ir.Table:
    ids = facts.select(id=facts.subject).union(facts.select(id=facts.object), distinct=True)
    return tables.entities.semi_join(ids, "id").select("id", "label", "aliases", "popularity")


def _earliest_and_latest(store: FactStore, rules: DynamicTempLamaRules) -> str:
    """Say from when to when the facts of the relations are, for a person who asked for another time."""
    named = pa.table({"relation": pa.array(rules.relations.ids, pa.string())})
    row = store.sql(
        "SELECT min(start_first) AS first, max(coalesce(end_last, start_last)) AS last FROM facts JOIN named "
        "USING (relation)",
        tables={"named": named},
    ).to_pylist()[0]
    if row["first"] is None or row["last"] is None:
        return ""
    first, last = (Date.from_day(row[name]).year for name in ("first", "last"))
    return f" The base has facts of these relations from {Date.of(first)} to {Date.of(last)}."
