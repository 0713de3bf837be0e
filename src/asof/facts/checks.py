"""Contradictions inside a base: ends before it starts, two holders at a time, the same fact twice, gaps.

One pass over the base, sorted by subject and relation; each fact is compared with the one that lasted longest before
it, so the time grows with the number of facts and not with its square.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa

from asof.facts.row import said
from asof.facts.store import FactStore
from asof.timeline import Date

PROBLEMS = ("inverted", "two-holders", "repeated", "gap")
USUAL_PROBLEMS = ("inverted", "two-holders", "repeated")

_INVERTED = """
    SELECT 'inverted' AS problem, subject, relation, object, object AS other,
        end_last AS first, start_first AS last
    FROM facts WHERE end_last < start_first
"""
_REPEATED = """
    SELECT 'repeated' AS problem, subject, relation, object, object AS other,
        min(start_first) AS first, max(end_last) AS last
    FROM facts
    GROUP BY subject, relation, object, start_first, start_last, start_precision, end_first, end_last, end_precision
    HAVING count(*) > 1
"""
_ONE_AT_A_TIME = (
    "relation IN (SELECT id FROM relations WHERE one_at_a_time) AND NOT coalesce(end_last < start_first, false)"
)
_TWO_HOLDERS = f"""
    SELECT 'two-holders' AS problem, subject, relation, holder AS object, object AS other,
        latest_start AS first, least(holder_end, earliest_end) AS last
    FROM (
        SELECT *, max(earliest_end) OVER earlier AS holder_end, arg_max(object, earliest_end) OVER earlier AS holder
        FROM facts WHERE {_ONE_AT_A_TIME}
        WINDOW earlier AS (PARTITION BY subject, relation ORDER BY latest_start, earliest_end, object, source, statement
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ) WHERE latest_start < least(holder_end, earliest_end) AND holder <> object
"""
_GAPS = f"""
    SELECT 'gap' AS problem, subject, relation, holder AS object, object AS other,
        TRY_CAST(holder_end + 1 AS INT) AS first, TRY_CAST(earliest_start - 1 AS INT) AS last
    FROM (
        SELECT * REPLACE (CAST(earliest_start AS BIGINT) AS earliest_start),  -- the ends of time plus one fit no INT
            max(CAST(latest_end AS BIGINT)) OVER earlier AS holder_end,
            arg_max(object, latest_end) OVER earlier AS holder
        FROM facts WHERE {_ONE_AT_A_TIME}
        WINDOW earlier AS (PARTITION BY subject, relation ORDER BY earliest_start, latest_end, object, source, statement
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ) WHERE earliest_start > holder_end + 1
"""
_QUERIES = {"inverted": _INVERTED, "two-holders": _TWO_HOLDERS, "repeated": _REPEATED, "gap": _GAPS}


@dataclass(frozen=True, kw_only=True)
class ProblemRow:
    """A contradiction, as every door gives it; between the first and the last day it is one."""

    problem: Literal["inverted", "two-holders", "repeated", "gap"]
    subject: str = field(metadata=said("The label of the subject."))
    relation: str = field(metadata=said("The label of the relation."))
    object: str = field(metadata=said("The label of the object."))
    other: str | None = field(metadata=said("The label of the object that does not go with it; null where it is one."))
    first: str | None = field(metadata=said("The first day, as a date; null where open."))
    last: str | None = field(metadata=said("The last day, as a date; null where open."))
    subject_id: str
    relation_id: str
    object_id: str
    other_id: str | None


def problem_row(row: Mapping[str, Any]) -> ProblemRow:
    """Return a row of ``find_problems`` as doors give it."""
    another = row["other"] != row["object"]
    first, last = (None if row[side] is None else str(Date.from_day(row[side])) for side in ("first", "last"))
    return ProblemRow(
        problem=row["problem"],
        subject=row["subject_label"],
        relation=row["relation_label"],
        object=row["object_label"],
        other=row["other_label"] if another else None,
        first=first,
        last=last,
        subject_id=row["subject"],
        relation_id=row["relation"],
        object_id=row["object"],
        other_id=row["other"] if another else None,
    )


def find_problems(
    store: FactStore,
    *,
    problems: Sequence[str] = USUAL_PROBLEMS,
    subject: str | None = None,
    relation: str | None = None,
) -> pa.Table:
    """Return one row for each contradiction: problem, subject, relation, object, the other object, first and last day.

    Two holders and gaps are looked for in relations that are known to have one object at a time.
    """
    given = {"subject": subject, "relation": relation}
    selected = {name: value for name, value in given.items() if value is not None}
    where = " AND ".join(f"{name} = ${name}" for name in selected) or "true"
    union = " UNION ALL ".join(f"SELECT * FROM ({_QUERIES[problem]})" for problem in problems)
    found = store.sql(
        f"SELECT * FROM ({union}) WHERE {where} "
        f"ORDER BY list_position({list(PROBLEMS)}, problem), relation, subject, first, object, other",
        selected,
    )
    return store.with_labels(found, subject="entity", relation="relation", object="entity", other="entity")
