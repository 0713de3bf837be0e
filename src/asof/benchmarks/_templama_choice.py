"""Which facts are in DynamicTempLAMA, whose history they make, and how many are left out by which rule.

Margatina et al. 2023 (arXiv:2302.12297), section 3.1 and appendix A.1. Facts are chosen by expressions that run on any
engine; what comes out is small enough for one machine. Kept beside its only caller, ``dynamic_templama.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import ibis.expr.types as ir
import pyarrow as pa

from asof.benchmarks._templama_histories import Histories, read_histories
from asof.facts import FactStore
from asof.facts import definitions as define
from asof.facts.definitions.tables import Tables, in_order
from asof.facts.engines import Engine
from asof.facts.recipes import Rule, count_left
from asof.facts.recipes._rules import PAIR, dated, popular_subjects
from asof.facts.recipes.dynamic_templama import DynamicTempLama as Recipe
from asof.timeline import Date, Period

_FROM_JUNE_TO_DECEMBER = 184  # days from 30 June to 31 December


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The settings of ``DynamicTempLama`` on which the choice depends.

    Args:
        of_paper: Choose as the paper's recipe does.
        by_name: Answers with the same name are one answer, as in the paper.
        merge_subjects: Subjects with the same name are one subject, as in the published program.
        june_ends: What ends in a year ends in its June, as in the published program.
    """

    first: Period
    last: Period
    relations: tuple[str, ...]
    named: bool  # by the user
    subjects: int
    surely: bool
    of_paper: bool
    by_name: bool
    merge_subjects: bool
    june_ends: bool


def choose(rules: Rules, store: FactStore, engine: Engine) -> tuple[Histories, dict[str, int]]:
    """Choose facts; return their histories, counted in periods, and how many were left out by which rule."""
    tables = _Some(relations=rules.relations)
    steps = list(_steps(rules, tables))
    counts = count_left(steps, store, engine)
    told = {words: before - after for words, before, after in _pairwise(counts, store.manifest.rows("facts"))}
    facts = steps[-1].facts
    found = engine.table(define.histories(_ends(facts, rules)).order_by(in_order(*PAIR)), store)
    things = engine.table(_mentioned(facts, tables).order_by(in_order("id")), store)
    read = read_histories(
        found, things, rules.first.granularity, by_name=rules.by_name, merge_subjects=rules.merge_subjects
    )
    return read, {words: count for words, count in told.items() if count}


def _pairwise(counts: dict[str, int], total: int) -> Iterator[tuple[str, int, int]]:
    before = total
    for words, after in counts.items():
        yield words, before, after
        before = after


def _steps(rules: Rules, tables: Tables) -> Iterator[Rule]:
    """Give the choices one after the other, each with the words for what it leaves out."""
    facts = tables.facts
    yield Rule("of other relations" if rules.named else "of relations without wording, or that do not last", facts)
    if rules.of_paper:
        chosen = list(Recipe(subjects=rules.subjects).rules(tables))
        yield from (Rule(f"other than those that {rule.keeps}", rule.facts) for rule in chosen)
        facts = chosen[-1].facts
    else:
        facts = dated(facts)
        yield Rule("without any date", facts)
    span = _Days(rules.first.first, rules.last.last)
    there = define.holding(_ends(facts, rules), span)
    facts = facts.semi_join(there.select(*PAIR).distinct(), PAIR)
    yield Rule(f"of a subject and relation of which nothing holds from {rules.first} to {rules.last}", facts)
    if not rules.of_paper:
        facts = popular_subjects(facts, tables, rules.subjects)
        yield Rule(f"of others than the {rules.subjects:,} most popular subjects of their relation", facts)


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


def _ends(facts: ir.Table, rules: Rules) -> ir.Table:
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


def earliest_and_latest(store: FactStore, relations: Sequence[str]) -> str:
    """Say from when to when the facts of some relations are, for a person who asked for another time."""
    named = pa.table({"relation": pa.array(relations, pa.string())})
    row = store.sql(
        "SELECT min(start_first) AS first, max(coalesce(end_last, start_last)) AS last FROM facts JOIN named "
        "USING (relation)",
        tables={"named": named},
    ).to_pylist()[0]
    if row["first"] is None or row["last"] is None:
        return "Its facts of these relations have no dates."
    first, last = (Date.from_day(row[name]).year for name in ("first", "last"))
    return f"Its facts of these relations are from {Date.of(first)} to {Date.of(last)}."
