"""The MCP server over HTTP: to this machine alone, or to whoever has the token."""

from __future__ import annotations

import socket

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from asof.errors import UserError
from asof.web.token import TokenGuard, is_loopback

PATH = "/mcp"


def http_app(server: MCPServer[None], *, host: str, token: str | None) -> ASGIApp:
    """Make the application: without a token, requests under other host names than those of this machine are refused."""
    if token is None and not is_loopback(host):
        raise UserError(f"Others can reach {host}: asof mcp answers there only with a token.")
    names = [f"{name}:*" for name in ("127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host)]
    here = TransportSecuritySettings(
        enable_dns_rebinding_protection=token is None,  # with a token, it does not matter how a request calls the host
        allowed_hosts=names,
        allowed_origins=[f"http://{name}" for name in names],
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH, transport_security=here, stateless_http=True, json_response=True
    )
    return app if token is None else TokenGuard(app, token)


def serve_http(server: MCPServer[None], *, host: str, port: int, token: str | None) -> None:
    """Answer requests until Ctrl-C."""
    app = http_app(server, host=host, token=token)
    uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False, server_header=False)


def address_over_http(host: str, port: int) -> str:
    """Return the address for the settings of an assistant.

    >>> address_over_http("127.0.0.1", 8322)
    'http://127.0.0.1:8322/mcp'
    """
    name = socket.gethostname() if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host  # noqa: S104
    return f"http://{name}:{port}{PATH}"
