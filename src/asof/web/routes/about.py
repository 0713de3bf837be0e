"""The list of all addresses, and the files that pages load."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from asof.web.api import api_page
from asof.web.entity import NotThereError
from asof.web.rendering import STATIC, json_reply, static_file, wants_json
from asof.web.routes.parameters import reply

router = APIRouter()


@router.get("/api", summary="This list", response_model=None)
async def api(request: Request) -> Response:
    """Every address, what it may be asked and what it gives; the same as OpenAPI: /openapi.json."""
    schema = request.app.openapi()
    return json_reply(schema) if wants_json(request) else reply(request, "api.html", api_page(schema))


@router.get("/static/{name}", include_in_schema=False)
async def static(name: str) -> Response:
    """A style sheet or script, by its name alone."""
    if name not in STATIC:
        raise NotThereError("There is no such file.")
    kept = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(static_file(name), media_type=STATIC[name], headers=kept)


@router.get("/favicon.ico", include_in_schema=False)
async def icon() -> Response:
    """Nothing: pages have their icon inside."""
    return Response(status_code=204)
