"""Selections of facts that several recipes and benchmarks make."""

from __future__ import annotations

from collections.abc import Sequence

import ibis
import ibis.expr.types as ir

from asof.facts.definitions.histories import evolving
from asof.facts.definitions.tables import Tables, in_order
from asof.facts.schema import WIKIDATA_ID

PAIR = ["subject", "relation"]
# A number or a date, with or without a unit: what a miner writes for an object that is no entity.
_NUMERIC = r"^[-+]?[0-9][-+0-9.,:/TZ ]*( Q[0-9]+)?$"


def dated(facts: ir.Table) -> ir.Table:
    """Keep facts that state when they start or when they end."""
    return facts.filter(facts.start_first.notnull() | facts.end_first.notnull())


def both_ends(facts: ir.Table) -> ir.Table:
    """Keep facts that state when they start and when they end, not upside down."""
    return facts.filter(facts.start_first.notnull(), facts.end_first.notnull(), facts.end_last >= facts.start_first)


def since(facts: ir.Table, day: int) -> ir.Table:
    """Keep facts that start or end on a day or later."""
    return facts.filter((facts.start_first >= day) | (facts.end_last >= day))


def without_numbers(facts: ir.Table) -> ir.Table:
    """Keep facts whose object is no number and no date."""
    return facts.filter(~facts.object.re_search(_NUMERIC))


def with_pages(facts: ir.Table, tables: Tables) -> ir.Table:
    """Keep facts whose subject and object have a page.

    A base knows of pages what its source says: an entity with a name and some popularity (from a dump: links to
    Wikipedias) has one. Where no source rates popularity, every entity that has a name passes; an id is one, unless it
    is a Wikidata id.
    """
    entities = tables.entities
    named = (entities.label != entities.id) | ~entities.id.re_search(WIKIDATA_ID)
    paged = entities.filter(named, entities.popularity > 0)
    return facts.semi_join(paged.select(subject="id"), "subject").semi_join(paged.select(object="id"), "object")


def that_evolve(facts: ir.Table) -> ir.Table:
    """Keep all facts of the subjects and relations that have several objects over time."""
    return facts.semi_join(evolving(facts), PAIR)


def without_relations(facts: ir.Table, relations: Sequence[str]) -> ir.Table:
    """Leave out facts of some relations."""
    return facts.filter(facts.relation.notin(relations)) if relations else facts


def top_relations(facts: ir.Table, count: int, *, by: str = "facts") -> ir.Table:
    """Keep the relations that have most facts, or most subjects; of equals the first by id."""
    sizes = facts.group_by("relation").agg(size=facts.count() if by == "facts" else facts.subject.nunique())
    first = sizes.order_by(ibis.desc("size"), ibis.asc("relation")).limit(count)
    return facts.semi_join(first, "relation")


def popular_subjects(facts: ir.Table, tables: Tables, count: int) -> ir.Table:
    """Keep, for each relation, the subjects that are most popular; of equals the first by id."""
    pairs = facts.select(*PAIR).distinct()
    rated = pairs.left_join(tables.entities, pairs.subject == tables.entities.id).select(
        pairs.subject, pairs.relation, popularity=ibis.coalesce(tables.entities.popularity, 0.0)
    )
    order = ibis.window(group_by="relation", order_by=[ibis.desc("popularity"), ibis.asc("subject")])
    ranked = rated.mutate(rank=ibis.row_number().over(order))
    return facts.semi_join(ranked.filter(ranked.rank < count), PAIR)


def balanced_pairs(facts: ir.Table, *, per_relation: int, in_all: int, seed: int) -> ir.Table:
    """Draw subjects and relations by chance, at most so many of one relation, all relations in turn."""
    pairs = facts.select(*PAIR).distinct()
    lots = pairs.mutate(lot=drawn(pairs.subject.concat(" ", pairs.relation), seed))
    order = ibis.window(group_by="relation", order_by=in_order("lot", "subject"))
    dealt = lots.mutate(turn=ibis.row_number().over(order))
    kept = dealt.filter(dealt.turn < per_relation).order_by(in_order("turn", "lot", *PAIR)).limit(in_all)
    return facts.semi_join(kept, PAIR)


def drawn(text: ir.StringValue, seed: int) -> ir.StringValue:
    """Return a text to sort by that depends on a text and a seed alone, on every engine."""
    return ibis.literal(f"{seed} ").concat(text).hexdigest("sha256")
