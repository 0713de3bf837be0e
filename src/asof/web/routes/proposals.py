"""Proposals of a completion model, and decisions about them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from asof.errors import UserError
from asof.web.entity import NotThereError
from asof.web.problems import RequestRefusedError
from asof.web.proposals import Decided, ProposalsPage
from asof.web.rendering import json_reply
from asof.web.routes.parameters import Format, PageNumber, explorer_of, page_of, reply

router = APIRouter()


@router.get("/proposals", summary="What a completion model proposes", **page_of(ProposalsPage))
async def proposals(
    request: Request,
    show: Annotated[Literal["open", "accept", "reject", "all"], Query(description="By decision.")] = "open",
    proposed: Annotated[str, Query(max_length=40, description="Only these: end, start, object.")] = "",
    page: PageNumber = 1,
    format: Format = None,
) -> Response:
    """Proposals to review, as ``asof complete`` wrote them."""
    review = explorer_of(request).review
    if review is None:
        raise NotThereError("There are no proposals. Make some with 'asof complete', show them with --proposals FILE.")
    return reply(request, "proposals.html", review.page(show=show, proposed=proposed, page=page))


class _Body(msgspec.Struct):
    id: str
    decision: str | None


@router.post("/proposals", summary="Accept or reject a proposal", response_model=Decided)
async def decide(request: Request) -> Response:
    """Take a decision: ``{"id": ..., "decision": "accept" | "reject" | null}``, with the header ``X-Asof: review``.

    Needs ``--review FILE``. It is on the disk when the reply comes; the base is never changed.
    """
    # Another site cannot send this header without asking first, and is never allowed to.
    if request.headers.get("x-asof") != "review":
        raise RequestRefusedError("A decision needs the header X-Asof: review.")
    explorer = explorer_of(request)
    try:
        body = msgspec.json.decode(await request.body(), type=_Body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"This is not a decision: {error}.") from error
    review = explorer.review
    if review is None:
        raise NotThereError("The explorer was started without proposals.")
    return json_reply(await explorer.computed(lambda: review.decide(body.id, body.decision)))
