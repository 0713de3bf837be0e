"""The server: a port, of the loopback address unless told otherwise, and the application behind its guards."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from urllib.parse import urlencode

import uvicorn

from asof.errors import UserError
from asof.web.app import create_app
from asof.web.explorer import Explorer
from asof.web.guard import Guard
from asof.web.token import TokenGuard, is_loopback

LOOPBACK = "127.0.0.1"
FIRST_PORT = 8321
_TRIED = 20
_MOST_CONNECTIONS = 400


def open_port(port: int | None, host: str = LOOPBACK) -> socket.socket:
    """Take a port of an address of this machine: the one asked for, or the first free one from 8321 on."""
    wanted = [port] if port is not None else range(FIRST_PORT, FIRST_PORT + _TRIED)
    for number in wanted:
        taken = socket.socket(_family_of(host), socket.SOCK_STREAM)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind((host, number))
            taken.listen(256)
        except OSError as error:
            taken.close()
            if port is not None:
                raise UserError(
                    f"Port {port} cannot be used ({error.strerror}). Omit --port to take the next free one."
                ) from error
            if error.errno == errno.EADDRNOTAVAIL:
                raise UserError(
                    f"{host} is not an address of this machine. Give one with --host, or 0.0.0.0 for all of them."
                ) from error
        else:
            return taken
    raise UserError(f"The ports {FIRST_PORT} to {FIRST_PORT + _TRIED - 1} are all in use. Give another with --port.")


def address_of(host: str, port: int, token: str | None) -> str:
    """Return what to type into a browser; a server on all addresses is named as this machine is.

    >>> address_of("127.0.0.1", 8321, None), address_of("::1", 80, "secret")
    ('http://127.0.0.1:8321/', 'http://[::1]:80/?token=secret')
    """
    name = socket.gethostname() if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host  # noqa: S104
    return f"http://{name}:{port}/" + (f"?{urlencode({'token': token})}" if token else "")


def _family_of(host: str) -> socket.AddressFamily:
    try:
        return socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
    except OSError as error:
        raise UserError(f"{host!r} is not an address of this machine ({error.strerror}). Omit --host.") from error


def guarded(explorer: Explorer, host: str, port: int, token: str | None) -> Guard:
    """Make the application behind its guards: with a token, or for this machine alone."""
    if token is not None:
        return Guard(TokenGuard(create_app(explorer), token), None)
    if not is_loopback(host):
        raise UserError(f"Others can reach {host}: the explorer answers there only with a token.")
    names = {LOOPBACK, "localhost", f"[{host}]" if ":" in host else host}
    return Guard(create_app(explorer), [f"{name}:{port}" for name in names] + (list(names) if port == 80 else []))


def serve(
    explorer: Explorer, listening: socket.socket, *, ready: Callable[[str], None], token: str | None = None
) -> None:
    """Answer requests until Ctrl-C.

    Args:
        ready: Called with the address.
        token: What a request must send; needed where others can reach the port.
    """
    host, port = listening.getsockname()[:2]
    config = uvicorn.Config(
        guarded(explorer, host, port, token),
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=2,
        lifespan="off",
    )
    ready(address_of(host, port, token))
    uvicorn.Server(config).run(sockets=[listening])
