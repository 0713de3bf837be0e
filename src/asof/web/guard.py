"""What every request must pass, and what every reply carries.

Without a token (``token``), the page is for this machine alone: a request that names another host was led here by
somebody (DNS rebinding) and is refused. Addresses and bodies have a largest size. No reply may load or run anything
from elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_ADDRESS = 4_000  # bytes
MOST_BYTES = 20_000  # of a body
_METHODS = ("GET", "HEAD", "POST")
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class TooLargeError(Exception):
    """More bytes came than may; said while the body is read."""


class Guard:
    """Stands before the application.

    Args:
        hosts: How browsers on this machine name it, with the port; None where a token is wanted, whatever the name.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None) -> None:
        self._app = app
        self._hosts = None if hosts is None else frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or say why not."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refused = self._refused(scope)
        if refused:
            await refused(scope, receive, _carrying_headers(send))
            return
        await self._app(scope, _limited(receive), _carrying_headers(send))

    def _refused(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        size = headers.get("content-length", "0")
        if len(hosts) != 1 or (self._hosts is not None and hosts[0].lower() not in self._hosts):
            return PlainTextResponse("This page can be opened only on this machine.", 403)
        if scope["method"] not in _METHODS:
            return PlainTextResponse("Pages are read with GET.", 405)
        if len(scope.get("raw_path", b"")) + len(scope["query_string"]) > LONGEST_ADDRESS:
            return PlainTextResponse(f"An address has {LONGEST_ADDRESS:,} bytes at most. Ask for less at a time.", 414)
        if not size.isdigit() or int(size) > MOST_BYTES:
            return PlainTextResponse(f"A request has {MOST_BYTES:,} bytes at most.", 413)
        return None


def _limited(receive: Receive) -> Receive:
    """Count the bytes of a body, which need not say its length."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST_BYTES:
            raise TooLargeError
        return message

    return counted


def _carrying_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-cache")
        await send(message)

    return sent
