"""What is asked of a whole base, defined once: expressions over its tables, run by any engine of ``facts.engines``.

The expressions are ibis's; they name the tables facts, entities and relations and are bound to a base only when an
engine runs them. What keeps two engines together: days are integers and never DATEs, every order is total, lists are
sorted by value, samples are drawn by SHA-256, and nothing is asked for that one of the engines cannot do.
"""

from asof.facts.definitions.histories import evolving, histories
from asof.facts.definitions.periods import difference, items, snapshot, snapshots, steps
from asof.facts.definitions.tables import Tables, facts_in_order, holding
from asof.facts.definitions.versions import version_difference

__all__ = [
    "Tables",
    "difference",
    "evolving",
    "facts_in_order",
    "histories",
    "holding",
    "items",
    "snapshot",
    "snapshots",
    "steps",
    "version_difference",
]
