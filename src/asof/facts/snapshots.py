"""The world in a period, and what changed from one period to another.

A snapshot has one row for each subject and relation, with all objects that hold at any time in the period: where the
object changes inside the period, both are right (Margatina et al. 2023, section 3.1).
"""

import pyarrow as pa

from asof.errors import UserError
from asof.facts.store import POSSIBLY_MEETS, SURELY_MEETS, FactStore, When, as_span
from asof.timeline import Date, Period

STATUSES = ("updated", "new", "deleted", "unchanged")

_SNAPSHOT = """
    SELECT subject, relation, list_sort(list(DISTINCT object)) AS objects
    FROM facts WHERE {holds} {selected} GROUP BY subject, relation
"""
_DIFFERENCE = f"""
    WITH earlier AS ({{earlier}}), later AS ({{later}}), joined AS (
        SELECT subject, relation, earlier.objects AS before, later.objects AS after
        FROM earlier FULL JOIN later USING (subject, relation)
    ), judged AS (
        SELECT *, CASE WHEN before IS NULL THEN 'new' WHEN after IS NULL THEN 'deleted'
            WHEN before = after THEN 'unchanged' ELSE 'updated' END AS status
        FROM joined
    )
    SELECT subject, relation, status, coalesce(before, []) AS before, coalesce(after, []) AS after FROM judged
    WHERE list_contains($statuses, status)
    ORDER BY list_position({list(STATUSES)}, status), subject, relation
"""


def snapshot(store: FactStore, period: When, *, relation: str | None = None, surely: bool = False) -> pa.Table:
    """Return subject, relation and the list of objects that hold at any time in a period."""
    query = f"{_snapshot_sql('', relation=relation, surely=surely)} ORDER BY subject, relation"
    return store.sql(query, _params("", as_span(period)) | _selection(relation, None))


def difference(
    store: FactStore,
    earlier: When,
    later: When,
    *,
    relation: str | None = None,
    subject: str | None = None,
    surely: bool = False,
    statuses: tuple[str, ...] = STATUSES,
) -> pa.Table:
    """Compare two periods: subject, relation, status, objects before, objects after.

    Unchanged: the same objects. Updated: other objects. New: nothing held before. Deleted: nothing holds any more.
    """
    before, after = as_span(earlier), as_span(later)
    if before.first > after.first:
        raise UserError(f"{earlier} comes after {later}: give the earlier period first.")
    query = _DIFFERENCE.format(
        earlier=_snapshot_sql("1", relation=relation, subject=subject, surely=surely),
        later=_snapshot_sql("2", relation=relation, subject=subject, surely=surely),
    )
    params = _params("1", before) | _params("2", after) | _selection(relation, subject)
    return store.sql(query, params | {"statuses": list(statuses)})


def _snapshot_sql(which: str, *, relation: str | None, subject: str | None = None, surely: bool) -> str:
    holds = (
        (SURELY_MEETS if surely else POSSIBLY_MEETS)
        .replace("$first", f"$first{which}")
        .replace("$last", f"$last{which}")
    )
    selected = "".join(f" AND {name} = ${name}" for name in _selection(relation, subject))
    return _SNAPSHOT.format(holds=holds, selected=selected)


def _params(which: str, span: Date | Period) -> dict[str, int]:
    return {f"first{which}": span.first, f"last{which}": span.last}


def _selection(relation: str | None, subject: str | None) -> dict[str, str]:
    given = {"relation": relation, "subject": subject}
    return {name: value for name, value in given.items() if value is not None}
