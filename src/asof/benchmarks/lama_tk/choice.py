"""Which facts are in LAMA-TK, as numbers, and how many are left out by which rule.

A fact needs a start and an end, or one date where its relation happens at a moment. Two facts that say the same in
years are one. A sample takes whole subjects, in an order that depends on the seed and their ids alone: so a smaller
sample is a part of a larger one, and the subjects in it keep all that could be mixed up.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from asof.benchmarks._account import NEEDS_DATE, Omission, facts_left_out
from asof.benchmarks._item import BLANK
from asof.benchmarks._relations import RelationsToAsk
from asof.benchmarks.lama_tk.times import By, Numbers, Points, time_points
from asof.facts import Fact, FactStore
from asof.timeline import Interval
from asof.wording import Wording

Truths = npt.NDArray[np.bool_]

_COLUMNS = (
    "subject, relation, object, statement, start_first, start_last, start_precision, end_first, end_last, end_precision"
)
SEPARATOR = "|"  # between the ids of answers


@dataclass(frozen=True, kw_only=True)
class LamaTkRules:
    """The settings of ``LamaTk`` on which the choice depends."""

    by: By
    relations: RelationsToAsk
    keep_open_ends: bool
    facts: int | None
    seed: int


@dataclass(frozen=True, kw_only=True)
class SelectedFacts:
    """Facts in the order of the base; subject and object are places in ``things``, start and end in ``points``.

    Args:
        group: The id of each fact.
        instant: Whether it happens at a moment, or starts and ends at the same time point: then both ends are one.
        things: Id, label and kind of the entities.
    """

    group: pa.Array
    subject: Numbers
    relation: Numbers
    object: Numbers
    start: Numbers
    end: Numbers
    instant: Truths
    relations: Sequence[str]
    things: pa.Table
    points: Points

    def __len__(self) -> int:
        return len(self.subject)

    def example(self, which: Truths, store: FactStore) -> str:
        """Say the first of some facts in names, with its time points as they are told apart here."""
        if not which.any():
            return ""
        index = int(np.argmax(which))
        labels, relation = self.things["label"], self.relations[self.relation[index]]
        fact = Fact(
            subject=str(labels[int(self.subject[index])]),
            relation=store.relations[relation].label,
            object=str(labels[int(self.object[index])]),
            interval=Interval(self.points.ends[self.start[index]], self.points.ends[self.end[index]]),
        )
        return fact.in_names

    def some(self, which: Truths) -> SelectedFacts:
        """Return some of the facts."""
        columns = ("subject", "relation", "object", "start", "end", "instant")
        kept = {name: getattr(self, name)[which] for name in columns}
        return dataclasses.replace(self, group=self.group.filter(pa.array(which)), **kept)


def choose(rules: LamaTkRules, store: FactStore, say: Wording) -> tuple[SelectedFacts, dict[str, Omission]]:
    """Choose facts, and tell which are left out by each rule."""
    facts = store.sql(f"SELECT {_COLUMNS} FROM facts")  # in the order of the base, which is total
    moments = np.array([say.template(id).instant for id in rules.relations.ids], bool)
    left_out: dict[str, Omission] = {}

    def keep(table: pa.Table, fits: pa.Array, otherwise: str, advice: str) -> pa.Table:
        kept = table.filter(fits)
        if kept.num_rows < table.num_rows:
            left_out[otherwise] = facts_left_out(table.filter(pc.invert(fits)), advice, store)
        return kept

    def keep_chosen(facts: SelectedFacts, fits: Truths, otherwise: str, advice: str) -> SelectedFacts:
        if not fits.all():
            left_out[otherwise] = Omission(int((~fits).sum()), facts.example(~fits, store), advice)
        return facts.some(fits)

    for rule in rules.relations.rules:
        fits = pc.is_in(facts["relation"], value_set=pa.array(sorted(rule.keeps), pa.string()))
        facts = keep(facts, fits, rule.drops, rule.advice)
    said = pa.array(rules.relations.ids, pa.string())
    facts = keep(facts, _has_date(facts), "without any date", NEEDS_DATE)
    if not rules.keep_open_ends:
        advice = "To include facts with one end: --set keep_open_ends=true"
        facts = keep(facts, _closed(facts, said, moments), "without a start or an end", advice)
    advice = "Swap their ends when you mine the base: asof mine --inverted swap"
    facts = keep(facts, _not_inverted(facts), "that end before they start", advice)
    facts, things = _numbered(facts, store)
    advice = "Change these names and ids in the source of the base: the characters have a special meaning here."
    facts = keep(facts, _can_be_read(facts, things), f"with {BLANK} in a name or {SEPARATOR} in an id", advice)
    chosen = _chosen(facts, things, rules, moments, say.language)
    same = f"that say the same as another one, by {rules.by}"
    advice = "Use finer times: --set by=month, --set by=day"
    chosen = keep_chosen(chosen, _first_of_equals(chosen), same, advice)
    if rules.facts is not None and rules.facts < len(chosen):
        sample = _sample(chosen, rules.facts, rules.seed)
        chosen = keep_chosen(chosen, sample, f"beyond a sample of {rules.facts:,}", "To include more: --limit N")
    return chosen, left_out


def _has_date(facts: pa.Table) -> pa.Array:
    return pc.or_(pc.is_valid(facts["start_first"]), pc.is_valid(facts["end_first"]))


def _closed(facts: pa.Table, relations: pa.Array, moments: Truths) -> pa.Array:
    """Tell which facts have both ends; what happens at a moment needs one date only."""
    both = pc.and_(pc.is_valid(facts["start_first"]), pc.is_valid(facts["end_first"]))
    moment = pc.is_in(facts["relation"], value_set=relations.filter(pa.array(moments)))
    return pc.or_(both, moment)


def _not_inverted(facts: pa.Table) -> pa.Array:
    return pc.fill_null(pc.greater_equal(facts["end_last"], facts["start_first"]), True)


def _numbered(facts: pa.Table, store: FactStore) -> tuple[pa.Table, pa.Table]:
    """Put numbers in the place of entities; return facts, and id, label and kind of the entities."""
    both = pa.chunked_array([*facts["subject"].chunks, *facts["object"].chunks], pa.string()).combine_chunks()
    codes = both.dictionary_encode()
    ids = codes.dictionary
    found = store.sql(
        "SELECT id, label, kind FROM entities JOIN wanted USING (id)", tables={"wanted": pa.table([ids], ["id"])}
    )
    index = pc.index_in(ids, value_set=found["id"].combine_chunks())
    label = pc.coalesce(found["label"].combine_chunks().take(index), ids)
    things = pa.table({"id": ids, "label": label, "kind": found["kind"].combine_chunks().take(index)})
    numbers = codes.indices.cast(pa.int64())
    facts = facts.append_column("subject_number", numbers.slice(0, facts.num_rows))
    return facts.append_column("object_number", numbers.slice(facts.num_rows)), things


def _can_be_read(facts: pa.Table, things: pa.Table) -> pa.Array:
    """Tell which facts have names and ids that cannot be taken for ours."""
    bad = pc.or_(pc.match_substring(things["label"], BLANK), pc.match_substring(things["id"], SEPARATOR))
    bad = bad.combine_chunks()
    either = pc.or_(bad.take(facts["subject_number"]), bad.take(facts["object_number"]))
    return pc.invert(either)


def _chosen(facts: pa.Table, things: pa.Table, rules: LamaTkRules, moments: Truths, language: str) -> SelectedFacts:
    """Number relations and ends; what happens at a moment ends when it starts."""
    relation = pc.index_in(facts["relation"], value_set=pa.array(rules.relations.ids, pa.string()))
    relation = relation.to_numpy().astype(np.int64)
    points, ends = time_points(facts, rules.by, language)
    start, end, moment = ends.start, ends.end, moments[relation]
    start = np.where(moment & ~points.dated[start], end, start)
    end = np.where(moment, start, end)
    return SelectedFacts(
        group=_groups(facts),
        subject=facts["subject_number"].to_numpy(),
        relation=relation,
        object=facts["object_number"].to_numpy(),
        start=start,
        end=end,
        instant=start == end,
        relations=rules.relations.ids,
        things=things,
        points=points,
    )


def _groups(facts: pa.Table) -> pa.Array:
    """Write the id of each fact, as ``Fact.id`` does."""
    points, ends = time_points(facts, None, "en")
    interval = pc.binary_join_element_wise(
        points.texts.take(pa.array(ends.start)), points.texts.take(pa.array(ends.end)), ".."
    )
    columns = [facts[name].combine_chunks() for name in ("subject", "relation", "object")]
    plain = pc.binary_join_element_wise(*columns, interval, " ")
    return pc.coalesce(facts["statement"].combine_chunks(), plain)


def _first_of_equals(chosen: SelectedFacts) -> Truths:
    """Tell which facts say what none before them has said."""
    columns = np.stack([chosen.subject, chosen.relation, chosen.object, chosen.start, chosen.end])
    order = np.lexsort(columns[::-1])  # stable: of equals the first comes first
    again = (columns[:, order[1:]] == columns[:, order[:-1]]).all(axis=0)
    first = np.ones(len(chosen), bool)
    first[order[1:][again]] = False
    return first


def _sample(chosen: SelectedFacts, size: int, seed: int) -> Truths:
    """Draw facts, all of a subject one after the other."""
    subjects = np.unique(chosen.subject)
    ids = chosen.things["id"].take(pa.array(subjects)).to_pylist()
    drawn = [hashlib.sha256(f"{seed} {id}".encode()).digest() for id in ids]
    lot = np.zeros(chosen.things.num_rows, np.int64)
    lot[subjects[np.array(sorted(range(len(drawn)), key=drawn.__getitem__), np.int64)]] = np.arange(len(subjects))
    kept = np.zeros(len(chosen), bool)
    kept[np.argsort(lot[chosen.subject], kind="stable")[:size]] = True
    return kept
