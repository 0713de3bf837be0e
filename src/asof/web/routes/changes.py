"""What changed in the base between two periods, and what contradicts itself."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from asof.errors import UserError
from asof.facts.problem_row import EXPLAINED, Problem
from asof.timeline import Date
from asof.web.changes import ChangesPage, changes_page, refused_page
from asof.web.check import CheckPage, check_page
from asof.web.rendering import wants_json
from asof.web.routes.parameters import Format, PageNumber, explorer_of, page_of, reply
from asof.web.rows import LONGEST_DATE
from asof.web.suggestions import LONGEST

router = APIRouter()


@router.get("/changes", summary="What changed between two periods", **page_of(ChangesPage))
async def changes(
    request: Request,
    earlier: Annotated[str, Query(alias="from", max_length=LONGEST_DATE, description="The earlier period.")] = "",
    later: Annotated[str, Query(alias="to", max_length=LONGEST_DATE, description="The later period.")] = "",
    relation: Annotated[str, Query(max_length=LONGEST, description="Only this relation: its id.")] = "",
    status: Annotated[Literal["", "new", "updated", "deleted"], Query(description="Only this status.")] = "",
    page: PageNumber = 1,
    format: Format = None,
) -> Response:
    """Subjects and relations whose objects are not the same in two periods. Without periods: the last full year."""
    explorer = explorer_of(request)
    if not earlier and not later:
        earlier, later = _last_years(explorer.known_by)
    given = {"earlier": earlier, "later": later, "relation": relation, "status": status}
    try:
        found = await explorer.desks.run(lambda desk: changes_page(desk.store, explorer.shelf, **given, page=page))
    except UserError as error:
        if wants_json(request):
            raise
        kept = await explorer.desks.run(lambda desk: refused_page(desk.store, **given))
        return reply(request, "changes.html", kept, status=400, wrong=str(error))
    return reply(request, "changes.html", found, wrong="")


@router.get("/check", summary="Contradictions", **page_of(CheckPage))
async def check(
    request: Request,
    problem: Annotated[Literal[""] | Problem, Query(description="Only these.")] = "",
    page: PageNumber = 1,
    format: Format = None,
) -> Response:
    """What contradicts itself, and what is suspicious: all kinds but adjacent facts and gaps, or one kind."""
    explorer = explorer_of(request)
    found = await explorer.desks.run(lambda desk: check_page(desk.store, explorer.shelf, problem=problem, page=page))
    return reply(request, "check.html", found, explained=EXPLAINED)


def _last_years(known_by: Date | None) -> tuple[str, str]:
    """Return the last two years that the base knows."""
    year = known_by.year if known_by else Date.today().year
    return str(Date.of(year - 1)), str(Date.of(year))
