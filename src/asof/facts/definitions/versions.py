"""Two versions of a base: which facts are new, have ended, have changed or are gone."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from asof.facts.definitions.tables import in_order, rank_in
from asof.facts.schema import FACTS

CHANGES = ("new", "ended", "changed", "gone")

_ENDS = ("start_first", "start_last", "start_precision", "end_first", "end_last", "end_precision")
_TOLD_BY_ANY = ("subject", "relation", "object", "statement")


def version_difference(old: ir.Table, new: ir.Table) -> ir.Table:
    """Compare the facts of two versions: one row for each that is new, has ended, has changed or is gone.

    A fact is the same in both when its statement id is, or, without one, subject, relation, object and start. Facts
    that share all of that are counted off, so that each has one partner at most. Ended means: it got an end date and
    is the same otherwise.
    """
    was, now = _keyed(old), _keyed(new)
    joined = was.outer_join(now, ["key", "copy"]).select(
        was=was.key.notnull(),
        now=now.key.notnull(),
        old_object=was.object,
        **{name: ibis.coalesce(now[name], was[name]) for name in _TOLD_BY_ANY},
        **{f"old_{name}": was[name] for name in _ENDS},
        **{f"new_{name}": now[name] for name in _ENDS},
    )
    judged = joined.mutate(
        change=ibis.cases(
            (~joined.was, "new"), (~joined.now, "gone"), (_same(joined), "same"), (_ended(joined), "ended"),
            else_="changed",
        )
    )  # fmt: skip
    changed = judged.filter(judged.change != "same").drop("was", "now")
    first = ("subject", "relation", "object", "new_start_first", "old_start_first", "statement")
    rest = tuple(name for name in changed.columns if name not in (*first, "change"))
    return changed.order_by(rank_in(changed.change, CHANGES), *in_order(*first, *rest))


def _keyed(facts: ir.Table) -> ir.Table:
    start = ibis.coalesce(facts.start_first.cast("string"), "")
    by_content = facts.subject.concat(" ", facts.relation, " ", facts.object, " ", facts.start_precision, " ", start)
    keyed = facts.select(*FACTS.names, key=ibis.coalesce(facts.statement, by_content))
    order = ("end_last", "end_precision", "rank", "source")
    rest = tuple(name for name in FACTS.names if name not in order)
    copies = ibis.window(group_by="key", order_by=in_order(*order, *rest))
    return keyed.mutate(copy=ibis.row_number().over(copies))


def _same(joined: ir.Table) -> ir.BooleanValue:
    same = joined.old_object == joined.object
    for name in _ENDS:
        same &= joined[f"old_{name}"].identical_to(joined[f"new_{name}"])
    return same


def _ended(joined: ir.Table) -> ir.BooleanValue:
    starts_alike = joined.old_start_first.identical_to(joined.new_start_first) & joined.old_start_last.identical_to(
        joined.new_start_last
    )
    got_an_end = joined.old_end_first.isnull() & joined.new_end_first.notnull()
    return got_an_end & starts_alike & (joined.old_object == joined.object)
