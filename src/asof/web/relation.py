"""The page of a relation: who held it when, a hundred facts at a time, by subject or object, on a date or ever."""

from __future__ import annotations

from dataclasses import dataclass

from asof.facts import FactStore, FactTable
from asof.facts.row import FactRow, fact_row
from asof.facts.schema import FOLD_NAME
from asof.facts.store import KNOWN_FACT_COLUMNS, POSSIBLY_MEETS
from asof.web.entity import NotThereError
from asof.web.paging import PAGE, Pages
from asof.web.rows import read_date

# An id, or a part of a name.
_NAMED = f"""({{side}} = ${{side}} OR {{side}} IN (
    SELECT entity FROM names WHERE contains(name, {FOLD_NAME.format("${side}")})
))"""


@dataclass(frozen=True)
class RelationPage:
    """A relation and its facts, those of the best known subjects first; ``rows`` counts all that fit."""

    id: str
    label: str
    aliases: list[str]
    one_at_a_time: bool | None
    subject: str
    object: str
    on: str | None
    page: int
    pages: int
    rows: int
    facts: list[FactRow]


def relation_page(store: FactStore, id: str, *, subject: str, object: str, on: str | None, page: int) -> RelationPage:
    """Collect one page of a relation.

    Args:
        subject: Only facts of the entity with this id, or of those with this in one of their names.
        object: The same for the other end.
        on: Only facts that hold on this date, surely or possibly.
    """
    relation = store.relations.get(id)
    if relation is None:
        raise NotThereError(f"{store.manifest.name} has no relation {id[:200]!r}.")
    date = read_date(on)
    given = {name: text.strip() for name, text in (("subject", subject), ("object", object)) if text.strip()}
    where = ["relation = $relation", *(_NAMED.format(side=side) for side in given)]
    values: dict[str, str | int] = {"relation": id, **given}
    if date is not None:
        where.append(POSSIBLY_MEETS)
        values |= {"first": date.first, "last": date.last}
    # A string's position: the words of a name are folded, so "mérk" finds "Merkel".
    chosen = f"FROM facts WHERE {' AND '.join(where)}"
    count = int(store.sql(f"SELECT count(*) AS n {chosen}", values)["n"][0].as_py())
    pages = Pages(page, count)
    if not pages.is_there:
        raise NotThereError(f"There is no page {page}; the last page for {relation.label!r} is {pages.count}.")
    found = store.sql(
        f"WITH chosen AS (SELECT * {chosen}) SELECT {KNOWN_FACT_COLUMNS} FROM chosen "
        "LEFT JOIN (SELECT id, popularity FROM entities) known ON known.id = subject "
        "ORDER BY popularity DESC NULLS LAST, subject, earliest_start, latest_end, object "
        f"LIMIT {PAGE} OFFSET {pages.first}",
        values,
    )
    facts = FactTable(store.with_labels(found, subject="entity", relation="relation", object="entity"))
    return RelationPage(
        id=id,
        label=relation.label,
        aliases=list(relation.aliases),
        one_at_a_time=relation.one_at_a_time,
        subject=subject,
        object=object,
        on=None if date is None else str(date),
        page=page,
        pages=pages.count,
        rows=count,
        facts=[fact_row(fact, known_to=store.known_by, on=date) for fact in facts],
    )
