"""Histories of a base: those that the recipe ``timeqa`` draws.

Each comes with *all* facts of its subject and relation: one without a date may hold at any time, and then nobody can
say which answers are right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import pyarrow as pa

from asof.benchmarks._account import NEEDS_DATE, Omission, Step, left_out_by
from asof.benchmarks._relations import RelationsToAsk
from asof.benchmarks.timeqa.history import History, TimedObject, sure_bounds
from asof.facts import Fact, FactStore, FactTable
from asof.facts.definitions.tables import Tables, facts_in_order
from asof.facts.engines import Engine
from asof.facts.recipes.timeqa import TimeQaRecipe
from asof.timeline import Date, Interval
from asof.wording import Wording

_PAIR = ("subject", "relation")
_ALL = 2**31


@dataclass(frozen=True, kw_only=True)
class HistoryQuota:
    """Which histories: so many of one relation, so many in all, drawn by seed."""

    relations: RelationsToAsk
    per_relation: int
    in_all: int
    seed: int


def read_histories(
    wanted: HistoryQuota, store: FactStore, say: Wording, engine: Engine
) -> tuple[list[History], dict[str, Omission]]:
    """Return the histories that the recipe ``timeqa`` draws from a base, in order, and what it does not."""
    steps = list(
        _steps(wanted, TimeQaRecipe(per_relation=wanted.per_relation, histories=wanted.in_all, seed=wanted.seed))
    )
    found = engine.table(facts_in_order(steps[-1].facts), store)
    return list(_histories(found, store, say)), left_out_by(steps, store, engine)


def evolving_pairs(wanted: HistoryQuota, store: FactStore, engine: Engine) -> tuple[pa.Table, dict[str, Omission]]:
    """Return subject and relation of all histories that may be asked for, before any are drawn, and what may not."""
    steps = list(_steps(wanted, TimeQaRecipe(per_relation=_ALL, histories=_ALL, seed=wanted.seed)))[:-1]
    pairs = steps[-1].facts.select(*_PAIR).distinct().order_by(list(_PAIR))
    return engine.table(pairs, store), left_out_by(steps, store, engine)


def _steps(wanted: HistoryQuota, recipe: TimeQaRecipe) -> Iterator[Step]:
    """Give the rules of the recipe for whole histories: a fact without a date is in the history of the others."""
    every = Tables().facts
    for rule in wanted.relations.rules:
        yield Step(rule.drops, rule.advice, every.filter(every.relation.isin(sorted(rule.keeps))))
    advice = (
        NEEDS_DATE,
        "TimeQA asks for things with names.",
        "Add what came before or after, with its dates: TimeQA asks about what changes.",
        "To include more: --limit N, --set per_relation=N",
    )
    rules = recipe.rules(_Askable(Tables(), wanted.relations.ids))  # type: ignore[arg-type]
    for selection, told in zip(rules, advice, strict=True):
        yield Step(selection.drops, told, every.semi_join(selection.facts.select(*_PAIR).distinct(), list(_PAIR)))


def histories_of(pairs: pa.Table, store: FactStore, say: Wording) -> list[History]:
    """Return the histories of some subjects and relations."""
    query = "SELECT facts.* FROM facts JOIN pairs USING (subject, relation) ORDER BY ALL"
    return list(_histories(store.sql(query, tables={"pairs": pairs}), store, say))


class _Askable:
    """The tables of a base, without the relations that cannot be asked for."""

    def __init__(self, tables: Tables, relations: tuple[str, ...]) -> None:
        self.facts = tables.facts.filter(tables.facts.relation.isin(list(relations)))


def _histories(table: pa.Table, store: FactStore, say: Wording) -> Iterator[History]:
    labelled = store.with_labels(table, subject="entity", relation="relation", object="entity")
    names = _names(store, labelled["object"].unique().to_pylist())
    for (subject, relation), facts in groupby(FactTable(labelled), key=lambda fact: (fact.subject, fact.relation)):
        instant = say.can_say(relation) and say.template(relation).instant
        found = list(facts)
        yield History(
            subject=subject,
            relation=relation,
            subject_label=found[0].subject_label or subject,
            relation_label=found[0].relation_label or relation,
            held=tuple(
                sorted(
                    (_held(fact, names, store, instant=instant) for fact in _once(found)),
                    key=lambda held: (held.bounds, held.object),
                )
            ),
        )


def _names(store: FactStore, objects: list[str]) -> dict[str, tuple[str, ...]]:
    query = "SELECT id, label, aliases FROM entities JOIN wanted USING (id)"
    rows = store.sql(query, tables={"wanted": pa.table({"id": pa.array(objects, pa.string())})}).to_pylist()
    return {row["id"]: (row["label"], *row["aliases"]) for row in rows}


def _once(facts: Iterable[Fact]) -> Iterator[Fact]:
    """Leave out a fact that is there twice, from two sources."""
    seen = set()
    for fact in facts:
        if (fact.object, fact.interval) not in seen:
            seen.add((fact.object, fact.interval))
            yield fact


def _held(fact: Fact, names: dict[str, tuple[str, ...]], store: FactStore, *, instant: bool) -> TimedObject:
    interval = fact.interval
    if instant:  # what happens at one moment is over when it has begun
        moment = interval.start if isinstance(interval.start, Date) else interval.end
        interval = Interval(moment, moment) if isinstance(moment, Date) else interval
    called = names.get(fact.object, (fact.object_label or fact.object,))
    return TimedObject(fact.object, called, interval, sure_bounds(interval, store.known_by))
