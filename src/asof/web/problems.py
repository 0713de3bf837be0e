"""What is said when a request cannot be answered: in a page, or as ``{"error": ...}``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from asof.errors import UserError
from asof.places.place import BusyPlaceError
from asof.web.desks import TooBusyError, TooLongError
from asof.web.entity import NotThereError
from asof.web.guard import MOST_BYTES, TooLargeError
from asof.web.rendering import html_reply, json_reply, shared_by_pages, wants_json


class RequestRefusedError(Exception):
    """A request that may not be made."""


def _reply(request: Request, status: int, said: str) -> Response:
    if wants_json(request) or request.method == "POST":
        return json_reply({"error": said}, status)
    return html_reply("problem.html", status, page=None, said=said, status=status, **shared_by_pages(request))


def _of_user(request: Request, error: Exception) -> Response:
    return _reply(request, 400, str(error))


def _not_there(request: Request, error: Exception) -> Response:
    return _reply(request, 404, str(error))


def _elsewhere(request: Request, error: Exception) -> Response:
    return _reply(request, 504, str(error))


def _refused(request: Request, error: Exception) -> Response:
    return _reply(request, 403, str(error))


def _too_large(request: Request, error: Exception) -> Response:
    return _reply(request, 413, f"A request has {MOST_BYTES:,} bytes at most.")


def _busy(request: Request, error: Exception) -> Response:
    reply = _reply(request, 503, "Too many requests at a time. Try again in a moment.")
    reply.headers["Retry-After"] = "2"
    return reply


def _too_long(request: Request, error: Exception) -> Response:
    return _reply(request, 503, "This took too long and was stopped. Ask for less: a narrower period, one relation.")


def _of_http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return _reply(request, status, {404: "There is nothing here.", 405: "Pages are read with GET."}.get(status, "No."))


def _not_valid(request: Request, error: Exception) -> Response:
    """Say which parameter is wrong, and why, without sending its value back."""
    found = error.errors()[0] if isinstance(error, RequestValidationError) else {"loc": ("?",), "msg": "is wrong"}
    return _reply(request, 422, f"{found['loc'][-1]}: {found['msg']}.")


def _ours(request: Request, error: Exception) -> Response:
    return _reply(request, 500, "This is a fault of asof, not yours; the terminal of asof serve says more.")


def told_as() -> dict[int | type[Exception], Callable[[Request, Any], Any]]:
    """Return what is to be done for each kind of error."""
    return {
        UserError: _of_user,
        NotThereError: _not_there,
        RequestRefusedError: _refused,
        BusyPlaceError: _elsewhere,
        TooLargeError: _too_large,
        TooBusyError: _busy,
        TooLongError: _too_long,
        HTTPException: _of_http,
        RequestValidationError: _not_valid,
        Exception: _ours,
    }
