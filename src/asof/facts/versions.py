"""Two versions of a base: the definition of ``facts.definitions.versions``, asked of two folders."""

import pyarrow as pa

from asof.facts import definitions
from asof.facts.definitions.tables import Tables
from asof.facts.definitions.versions import CHANGES
from asof.facts.engines import Engine, open_engine
from asof.facts.store import FactStore

__all__ = ["CHANGES", "version_difference"]


def version_difference(old: FactStore, new: FactStore, *, engine: Engine | None = None) -> pa.Table:
    """Compare two bases: one row for each fact that is new, has ended, has changed or is gone."""
    compared = definitions.version_difference(Tables("old_").facts, Tables("new_").facts)
    return (engine or open_engine()).table(compared, {"old_": old, "new_": new})
