"""Who may ask a server that others can reach: whoever has its token.

A program sends it with each request (``Authorization: Bearer TOKEN``). A person opens the address that has it once
(``?token=TOKEN``); from then on the browser sends it as a cookie that no script can read, and it is not in the address
any more. On the loopback address a server needs none.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from asof.errors import UserError

VARIABLE = "ASOF_TOKEN"
_SHORTEST = 16  # characters
_COOKIE, _PARAMETER = "asof_token", "token"
_REFUSED = (
    "This server answers whoever sends its token, as the header 'Authorization: Bearer TOKEN'. In a browser, open the "
    "address with ?token=TOKEN at its end once.\n"
)


def is_loopback(host: str) -> bool:
    """Tell whether only programs of this machine can reach a host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def token_for(host: str, given: str | None) -> str | None:
    """Return the token that a server wants to see: the given one, a new one where others can reach it, else none."""
    if given is not None and (len(given) < _SHORTEST or not given.isascii() or not given.isprintable() or " " in given):
        raise UserError(
            f"The token has {len(given)} characters; it needs {_SHORTEST} or more, without spaces. Leave it out, and "
            f"one is made, or set ${VARIABLE} to a long random text."
        )
    return given if given is not None or is_loopback(host) else secrets.token_urlsafe(24)


class TokenGuard:
    """Stands before an application and lets those through who have the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or say what it lacks."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            reply = self._instead(scope)
            await (self._app if reply is None else reply)(scope, receive, send)

    def _instead(self, scope: Scope) -> Response | None:
        """Return what is replied in place of the application; None for a request that may pass."""
        headers, query = (
            Headers(scope=scope),
            parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True),
        )
        in_address = [value for name, value in query if name == _PARAMETER]
        if in_address and scope["method"] in ("GET", "HEAD") and self._is_right(in_address[-1]):
            return self._without_token(scope, [pair for pair in query if pair[0] != _PARAMETER], in_address[-1])
        kind, _, sent = headers.get("authorization", "").partition(" ")
        if (kind.lower() == "bearer" and self._is_right(sent.strip())) or self._is_right(_cookie_in(headers)):
            return None
        return PlainTextResponse(_REFUSED, 401, {"WWW-Authenticate": "Bearer"})

    def _without_token(self, scope: Scope, query: list[tuple[str, str]], token: str) -> Response:
        path = scope.get("raw_path", scope["path"].encode()).decode("latin-1").partition("?")[0]
        path = "/" + path.lstrip("/")  # two slashes would lead to another host
        reply = RedirectResponse(f"{path}?{urlencode(query)}" if query else path, 303)
        reply.set_cookie(_COOKIE, token, httponly=True, samesite="strict")
        return reply

    def _is_right(self, sent: str) -> bool:
        """Compare in a time that does not depend on how much of it is right."""
        return hmac.compare_digest(sent.encode("utf-8", "surrogateescape"), self._token)


def _cookie_in(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(_COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""
