"""What cannot be in a base, and what is suspicious: the kinds of ``problem_row.EXPLAINED``.

One pass over the base, sorted by subject and relation; each fact is compared with the one that lasted longest before
it, so the time grows with the number of facts and not with its square.

A length is unlikely where it is surely outside the middle half of the lengths of its relation by more than twice the
width of that half, in logarithms, and by a factor of four at least. That needs thirty facts with both ends; where more
than three facts and more than one in a hundred are outside, lengths of the relation are simply uneven, and none is
unlikely. What is ongoing may be too long, too.
"""

from collections.abc import Sequence

import pyarrow as pa

from asof.facts.alike_names import alike_names
from asof.facts.problem_row import CONTRADICTIONS, EXPLAINED, PROBLEMS, USUAL_PROBLEMS, ProblemRow, problem_row
from asof.facts.store import FactStore

__all__ = [
    "CONTRADICTIONS",
    "EXPLAINED",
    "PROBLEMS",
    "USUAL_PROBLEMS",
    "ProblemRow",
    "find_problems",
    "problem_row",
]

LEAST_LENGTHS = 30
_WIDTHS = 2  # of the middle half, beyond it
_MOST_UNLIKELY, _FEW_UNLIKELY = 0.01, 3  # of the facts of a relation; in any case a few

_COLUMNS = "problem, subject, relation, object, other, first, last, why, proposed"
_RIGHT_WAY_ROUND = "NOT coalesce(end_last < start_first, false)"
_INVERTED = """
    SELECT 'inverted' AS problem, subject, relation, object, object AS other,
        end_last AS first, start_first AS last, NULL AS why, false AS proposed
    FROM facts WHERE end_last < start_first
"""
_REPEATED = """
    SELECT 'repeated' AS problem, subject, relation, object, object AS other,
        min(start_first) AS first, max(end_last) AS last,
        CASE WHEN count(*) > 2 THEN count(*) || ' times' END AS why, false AS proposed
    FROM facts
    GROUP BY subject, relation, object, start_first, start_last, start_precision, end_first, end_last, end_precision
    HAVING count(*) > 1
"""
_ALONE = f"""
    SELECT facts.*, coalesce(list_contains(r.proposed, 'one_at_a_time'), false) AS proposed
    FROM facts JOIN relations r ON r.id = relation WHERE one_at_a_time AND {_RIGHT_WAY_ROUND}
"""
_ONLY_PROPOSED = "CASE WHEN proposed THEN 'one at a time is proposed, not confirmed' END AS why"
_TWO_HOLDERS = f"""
    SELECT 'two-holders' AS problem, subject, relation, holder AS object, object AS other,
        latest_start AS first, least(holder_end, earliest_end) AS last, {_ONLY_PROPOSED}, proposed
    FROM (
        SELECT *, max(earliest_end) OVER earlier AS holder_end, arg_max(object, earliest_end) OVER earlier AS holder
        FROM ({_ALONE})
        WINDOW earlier AS (PARTITION BY subject, relation ORDER BY latest_start, earliest_end, object, source, statement
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ) WHERE latest_start < least(holder_end, earliest_end) AND holder <> object
"""
_GAPS = f"""
    SELECT 'gap' AS problem, subject, relation, holder AS object, object AS other,
        TRY_CAST(holder_end + 1 AS INT) AS first, TRY_CAST(earliest_start - 1 AS INT) AS last,
        {_ONLY_PROPOSED}, proposed
    FROM (
        SELECT * REPLACE (CAST(earliest_start AS BIGINT) AS earliest_start),  -- the ends of time plus one fit no INT
            max(CAST(latest_end AS BIGINT)) OVER earlier AS holder_end,
            arg_max(object, latest_end) OVER earlier AS holder
        FROM ({_ALONE})
        WINDOW earlier AS (PARTITION BY subject, relation ORDER BY earliest_start, latest_end, object, source, statement
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ) WHERE earliest_start > holder_end + 1
"""
# The same fact in two times that overlap, or that touch: what is the same to the day is repeated.
_AGAIN = f"""
    FROM (
        SELECT *, max(CAST(earliest_end AS BIGINT)) OVER earlier AS ended,
            arg_max(latest_start, earliest_end) OVER earlier AS began
        FROM facts WHERE {_RIGHT_WAY_ROUND}
        WINDOW earlier AS (PARTITION BY subject, relation, object ORDER BY latest_start, earliest_end, source, statement
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ) WHERE ended IS NOT NULL AND NOT (began = latest_start AND ended = earliest_end)
"""
_OVERLAPPING = f"""
    SELECT 'overlapping' AS problem, subject, relation, object, object AS other, latest_start AS first,
        CAST(least(ended, earliest_end) AS INT) AS last, NULL AS why, false AS proposed
    {_AGAIN} AND latest_start < least(ended, earliest_end)
"""
_ADJACENT = f"""
    SELECT 'adjacent' AS problem, subject, relation, object, object AS other, CAST(ended AS INT) AS first,
        latest_start AS last, NULL AS why, false AS proposed
    {_AGAIN} AND latest_start >= least(ended, earliest_end) AND latest_start BETWEEN ended AND ended + 1
"""
_IN_WORDS = """
    CASE WHEN {0} < 60 THEN round({0}) || CASE round({0}) WHEN 1 THEN ' day' ELSE ' days' END
        WHEN {0} < 730 THEN round({0} / 30.44) || ' months'
        WHEN {0} < 3652 THEN printf('%.1f years', {0} / 365.25) ELSE printf('%.0f years', {0} / 365.25) END
""".replace("round({0})", "CAST(round({0}) AS INT)").replace("round({0} / 30.44)", "CAST(round({0} / 30.44) AS INT)")
_UNLIKELY = f"""
    SELECT 'unlikely-length' AS problem, subject, relation, object, object AS other, start_first AS first,
        CASE WHEN end_last IS NULL THEN CAST(earliest_end AS INT) ELSE end_last END AS last,
        CASE WHEN end_last IS NULL THEN 'ongoing for ' ELSE '' END || {_IN_WORDS.format("lasted")}
            || '; half of ' || dated || ' last ' || {_IN_WORDS.format("exp(low)")}
            || coalesce(' to ' || nullif({_IN_WORDS.format("exp(high)")}, {_IN_WORDS.format("exp(low)")}), '') AS why,
        false AS proposed
    FROM (
        SELECT *, count(*) OVER (PARTITION BY relation) AS unlikely,
            CASE WHEN shortest > exp(high) THEN shortest ELSE longest END AS lasted
        FROM (
            SELECT *, CAST(earliest_end AS BIGINT) - latest_start + 1 AS shortest,
                CAST(latest_end AS BIGINT) - earliest_start + 1 AS longest
            FROM facts JOIN (
                SELECT relation, count(*) AS dated, quantile_cont(days, 0.25) AS low, quantile_cont(days, 0.75) AS high
                FROM (
                    SELECT relation, ln(1 + (CAST(end_first AS BIGINT) + end_last - start_first - start_last) / 2.0)
                        AS days
                    FROM facts WHERE end_last >= start_first AND start_last <= end_last
                ) GROUP BY relation HAVING count(*) >= {LEAST_LENGTHS}
            ) USING (relation)
            WHERE start_first IS NOT NULL AND {_RIGHT_WAY_ROUND} AND (end_last IS NOT NULL OR earliest_end > start_last)
        ) WHERE shortest > exp(high + {_WIDTHS} * greatest(ln(2), high - low))
            OR (end_last IS NOT NULL AND longest < exp(low - {_WIDTHS} * greatest(ln(2), high - low)))
    ) WHERE unlikely <= greatest({_FEW_UNLIKELY}, {_MOST_UNLIKELY} * dated)
"""
_ALIKE = """
    SELECT 'alike-names' AS problem, one AS subject, NULL AS relation, other AS object, other, NULL AS first,
        NULL AS last, why, false AS proposed
    FROM alike
"""
_QUERIES = {
    "inverted": _INVERTED,
    "two-holders": _TWO_HOLDERS,
    "repeated": _REPEATED,
    "overlapping": _OVERLAPPING,
    "unlikely-length": _UNLIKELY,
    "alike-names": _ALIKE,
    "adjacent": _ADJACENT,
    "gap": _GAPS,
}

# The last day is no part of an id: of what is ongoing, it is the day up to which the base is known.
_KEY = "substr(md5(concat_ws(chr(31), problem, subject, coalesce(relation, ''), object, other, first)), 1, 12)"


def find_problems(
    store: FactStore,
    *,
    problems: Sequence[str] = USUAL_PROBLEMS,
    subject: str | None = None,
    relation: str | None = None,
    with_fine: bool = False,
) -> pa.Table:
    """Return one row for each problem: its id, kind, subject, relation, object, the other object, first and last day.

    Two holders and gaps are looked for in relations that have one object at a time, also where that is only proposed.

    Args:
        with_fine: Also those of which somebody noted that they are none.
    """
    selected = store.ids(subject=subject, relation=relation)
    either = {"subject": "$subject IN (subject, CASE problem WHEN 'alike-names' THEN object END)"}
    where = " AND ".join(either.get(name, f"{name} = ${name}") for name in selected) or "true"
    union = " UNION ALL ".join(f"SELECT {_COLUMNS} FROM ({_QUERIES[problem]})" for problem in problems)
    fine = store.manifest.fine
    tables = {
        "noted": pa.table({"id": pa.array(list(fine), pa.string()), "fine": pa.array(list(fine.values()), pa.string())})
    }
    if "alike-names" in problems:
        tables["alike"] = alike_names(store)
    found = store.sql(
        f"""
        WITH found AS (SELECT * FROM ({union}) WHERE {where}), keyed AS (
            SELECT *, row_number() OVER (PARTITION BY {_KEY} ORDER BY last, why) AS number FROM found
        ), named AS (
            SELECT {_KEY} || CASE WHEN number > 1 THEN '-' || number ELSE '' END AS id, * EXCLUDE (number) FROM keyed
        )
        SELECT named.*, fine FROM named LEFT JOIN noted ON noted.id = named.id
        WHERE {"true" if with_fine else "fine IS NULL"}
        ORDER BY list_position({list(PROBLEMS)}, problem), relation, subject, first, object, other, last
        """,
        selected,
        tables=tables,
    )
    return store.with_labels(found, subject="entity", relation="relation", object="entity", other="entity")
