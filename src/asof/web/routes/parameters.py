"""What addresses share: their parameters, and how a page is sent back."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from asof.web.explorer import Explorer
from asof.web.paging import LAST_PAGE
from asof.web.rendering import LONGEST_ID, html_reply, json_reply, shared_by_pages, wants_json
from asof.web.rows import LONGEST_DATE
from asof.web.suggestions import LONGEST

_A_DATE = "A date: 1995, 1995-03, 1995-03-20, 2021-Q1, 44 BC, 1990s."

Format = Annotated[Literal["html", "json"] | None, Query(description="HTML or JSON; overrides the Accept header.")]
On = Annotated[str | None, Query(max_length=LONGEST_DATE, description=_A_DATE)]
Period = Annotated[str, Query(max_length=LONGEST_DATE, description="A period: 2021, 2021-Q1, 2021-03, or any date.")]
PageNumber = Annotated[int, Query(ge=1, le=LAST_PAGE, description="The page of a hundred rows, from 1.")]
Name = Annotated[str, Query(max_length=LONGEST, description="An id, or a part of a name.")]
Id = Annotated[str, Path(max_length=LONGEST_ID, description="The id, as in the base.")]


def page_of(model: Any) -> dict[str, Any]:
    """Document what a page gives: this as JSON, the same as HTML."""
    return {"responses": {200: {"model": model, "content": {"text/html": {}}}}, "response_model": None}


def explorer_of(request: Request) -> Explorer:
    """Return what the pages draw on."""
    found: Explorer = request.app.state.explorer
    return found


def reply(request: Request, template: str, page: object, /, *, status: int = 200, **more: object) -> Response:
    """Send a page as JSON, or as HTML made of a template."""
    if wants_json(request):
        return json_reply(page, status)
    return html_reply(template, status, page=page, **shared_by_pages(request), **more)
