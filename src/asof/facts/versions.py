"""Two versions of a base: which facts are new, changed, ended or gone."""

import pyarrow as pa

from asof.facts.store import FACT_COLUMNS, FactStore

CHANGES = ("new", "ended", "changed", "gone")

# A fact is the same in both versions when its statement id is, or, without one, subject, relation, object and start.
# Facts that share all of that are counted off, so that each has one partner at most.
_KEYED = f"""
    SELECT {FACT_COLUMNS},
        coalesce(statement, concat_ws(' ', subject, relation, object, start_precision, start_first)) AS key,
        row_number() OVER (PARTITION BY key ORDER BY end_last NULLS LAST, end_precision, rank, source) AS copy
    FROM {{facts}}
"""
_ENDS = ("start_first", "start_last", "start_precision", "end_first", "end_last", "end_precision")
_OTHER_ENDS = " OR ".join(f"old_{name} IS DISTINCT FROM new_{name}" for name in _ENDS)
_COMPARED = f"""
    WITH old AS ({_KEYED.format(facts="old_facts")}), new AS ({_KEYED.format(facts="new_facts")}), joined AS (
        SELECT old.key IS NOT NULL AS was, new.key IS NOT NULL AS is_now,
            {", ".join(f"coalesce(new.{name}, old.{name}) AS {name}" for name in ("subject", "relation", "statement"))},
            old.object AS old_object, coalesce(new.object, old.object) AS object,
            {", ".join(f"old.{name} AS old_{name}, new.{name} AS new_{name}" for name in _ENDS)}
        FROM old FULL JOIN new ON old.key = new.key AND old.copy = new.copy
    ), judged AS (
        SELECT *, CASE
            WHEN NOT was THEN 'new' WHEN NOT is_now THEN 'gone'
            WHEN old_object IS DISTINCT FROM object OR {_OTHER_ENDS} THEN
                CASE WHEN old_end_first IS NULL AND new_end_first IS NOT NULL AND old_object = object
                    AND old_start_first IS NOT DISTINCT FROM new_start_first
                    AND old_start_last IS NOT DISTINCT FROM new_start_last THEN 'ended' ELSE 'changed' END
            ELSE 'same' END AS change
        FROM joined
    )
    SELECT * EXCLUDE (was, is_now) FROM judged WHERE change <> 'same'
    ORDER BY list_position({list(CHANGES)}, change), subject, relation, object, new_start_first, old_start_first,
        statement
"""


def version_difference(old: FactStore, new: FactStore) -> pa.Table:
    """Compare two bases: one row for each fact that is new, has ended, has changed or is gone."""
    given = f"old_facts AS ({old.table_sql('facts')}), new_facts AS ({new.table_sql('facts')})"
    return new.sql(f"WITH {given} SELECT * FROM ({_COMPARED})")
