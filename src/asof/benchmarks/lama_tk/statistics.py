"""What LAMA-TK counts of itself: facts and prompts by relation, entities by kind, prompts with several answers.

Tables 6, 8 and 9 of Zhao et al. 2022, and its 15 % of statements with several answers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from asof.benchmarks.lama_tk.tables import LamaTkTables
from asof.benchmarks.lama_tk.times import Numbers
from asof.wording import Wording

_MOST_KINDS = 8


def statistics(tables: LamaTkTables, say: Wording) -> pa.Table:
    """Count by relation, the one with most facts last, and in all."""
    chosen = tables.chosen
    facts = tables.facts
    relation = chosen.relation[facts]
    columns = {
        "facts": relation,
        "subjects": _different(relation, chosen.subject[facts], chosen.things.num_rows),
        "objects": _different(relation, chosen.object[facts], chosen.things.num_rows),
        "one_to_one": relation[tables.one_to_one[facts]],
        "items": np.concatenate([chosen.relation[mask.rows] for mask in tables.asked]),
        "multiple": np.concatenate([chosen.relation[mask.rows[mask.count > 1]] for mask in tables.asked]),
    }
    counts = {name: np.bincount(values, minlength=len(chosen.relations)) for name, values in columns.items()}
    order = np.argsort(counts["facts"], kind="stable")
    order = order[counts["facts"][order] > 0]
    every = {name: np.append(values[order], values.sum()) for name, values in counts.items()}
    every["subjects"][-1] = len(np.unique(chosen.subject[facts]))
    every["objects"][-1] = len(np.unique(chosen.object[facts]))
    ids = [chosen.relations[index] for index in order]
    return pa.table(
        {
            "relation": [*ids, "all"],
            "label": [*(tables.relation_labels.get(id, id) for id in ids), ""],
            **{name: pa.array(values) for name, values in every.items()},
            "statement": [*(say.template(id).sentence("past", say.paper) for id in ids), ""],
        }
    )


def notes(tables: LamaTkTables) -> tuple[str, ...]:
    """Say how many entities of which kind and how many time points there are, and how many prompts are in conflict."""
    chosen, facts = tables.chosen, tables.facts
    if not len(facts):
        return ()
    things = np.unique(np.append(chosen.subject[facts], chosen.object[facts]))
    points = np.unique(np.append(chosen.start[facts], chosen.end[facts]))
    points = points[chosen.points.dated[points]]
    items = sum(len(mask.rows) for mask in tables.asked)
    multiple = sum(int((mask.count > 1).sum()) for mask in tables.asked)
    said = [
        f"{len(things):,} entities{_kinds(tables, things)} and {len(points):,} time points.",
        f"{multiple:,} of {items:,} items ({multiple / items:.1%}) have several right answers.",
    ]
    return (*said, *_nameless(tables, things))


def conflicting(tables: LamaTkTables) -> npt.NDArray[np.bool_]:
    """Tell which facts are asked about in no item because all their prompts have several answers."""
    found = np.zeros(len(tables.chosen), bool)
    found[np.concatenate([mask.rows for mask in tables.masks])] = True
    found[tables.facts] = False
    return found


def _different(relation: Numbers, thing: Numbers, things: int) -> Numbers:
    """Return the relation of each different pair of a relation and a thing."""
    pairs = np.sort(relation * things + thing)
    return pairs[np.append(True, pairs[1:] != pairs[:-1])] // things if len(pairs) else pairs


def _kinds(tables: LamaTkTables, things: Numbers) -> str:
    """Name the most frequent kinds: " (person 21,004, office 1,203)"; nothing where the base has none."""
    kinds = tables.chosen.things["kind"].take(pa.array(things)).drop_null()
    counted = pc.value_counts(kinds).to_pylist()
    counted.sort(key=lambda one: (-one["counts"], one["values"]))
    said = ", ".join(f"{one['values']} {one['counts']:,}" for one in counted[:_MOST_KINDS])
    return f" ({said}{', ...' if len(counted) > _MOST_KINDS else ''})" if said else ""


def _nameless(tables: LamaTkTables, things: Numbers) -> tuple[str, ...]:
    some = tables.chosen.things.take(pa.array(things))
    ids = pc.and_(pc.equal(some["id"], some["label"]), pc.match_substring_regex(some["id"], r"^Q[0-9]+$"))
    without = some.filter(ids)
    if not without.num_rows:
        return ()
    return (
        f"Without a name, so that no language model can know them unless it is taught: {without.num_rows:,} entities, "
        f"such as {without['id'][0]}. Mine a source that has names.",
    )
