"""Runs of models, and two of them compared."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from asof.errors import UserError
from asof.web.rendering import json_reply, wants_json
from asof.web.routes.parameters import Format, Id, explorer_of, page_of, reply
from asof.web.runs import ComparePage, RunPage, RunsPage
from asof.web.suggestions import LONGEST

router = APIRouter()


@router.get("/runs", summary="Runs of models", **page_of(RunsPage))
async def all_runs(request: Request, format: Format = None) -> Response:
    """The runs that the explorer was started with, each with its day, its size and its first measure."""
    explorer = explorer_of(request)
    return reply(request, "runs.html", await explorer.computed(explorer.runs.list_page))


@router.get("/runs/{name}", summary="What a model knows", **page_of(RunPage))
async def run(
    request: Request, name: Id, fact: Annotated[str | None, Query(max_length=2000, description="A fact's id.")] = None,
    format: Format = None,
) -> Response:  # fmt: skip
    """The numbers of a run with their intervals, its cutoff, its facts; with ``fact`` each date of that fact."""
    explorer = explorer_of(request)
    found = await explorer.computed(lambda: explorer.runs.page(name, fact))
    if wants_json(request):
        return json_reply(found)
    drawn = await explorer.computed(lambda: explorer.runs.drawn(name))
    return reply(request, "run.html", found, drawn=drawn)


@router.get("/compare", summary="Two runs", **page_of(ComparePage))
async def compare(
    request: Request,
    a: Annotated[str, Query(max_length=LONGEST, description="The first run.")] = "",
    b: Annotated[str, Query(max_length=LONGEST, description="The second run.")] = "",
    format: Format = None,
) -> Response:
    """Two runs on the facts that both have: second minus first, paired by fact."""
    explorer = explorer_of(request)
    if not (a and b) and not wants_json(request):
        return reply(request, "compare.html", None, drawn=None, chosen={"a": a, "b": b}, wrong="")
    try:
        found = await explorer.computed(lambda: explorer.runs.compared(a, b))
    except UserError as error:
        if wants_json(request):
            raise
        return reply(request, "compare.html", None, status=400, drawn=None, chosen={"a": a, "b": b}, wrong=str(error))
    if wants_json(request):
        return json_reply(found)
    drawn = await explorer.computed(lambda: explorer.runs.drawn(a, b) if a != b else explorer.runs.drawn(a))
    return reply(request, "compare.html", found, drawn=drawn, chosen={"a": a, "b": b}, wrong="")
