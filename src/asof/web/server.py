"""The server: a port of the loopback address, and the application behind its guard."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from asof.errors import UserError
from asof.web.app import create_app
from asof.web.explorer import Explorer
from asof.web.guard import Guard

LOOPBACK = "127.0.0.1"
FIRST_PORT = 8321
_TRIED = 20
_MOST_CONNECTIONS = 400


def open_port(port: int | None) -> socket.socket:
    """Take a port of this machine: the one that is asked for, or the first free one from 8321 on."""
    wanted = [port] if port is not None else range(FIRST_PORT, FIRST_PORT + _TRIED)
    for number in wanted:
        taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind((LOOPBACK, number))
            taken.listen(256)
        except OSError as error:
            taken.close()
            if port is not None:
                raise UserError(
                    f"Port {port} cannot be used ({error.strerror}). Omit --port to take the next free one."
                ) from error
        else:
            return taken
    raise UserError(f"The ports {FIRST_PORT} to {FIRST_PORT + _TRIED - 1} are all in use. Give another with --port.")


def serve(explorer: Explorer, listening: socket.socket, *, ready: Callable[[str], None]) -> None:
    """Answer requests until Ctrl-C.

    Args:
        ready: Called with the address.
    """
    port = listening.getsockname()[1]
    hosts = [f"{name}:{port}" for name in (LOOPBACK, "localhost")] + ([LOOPBACK, "localhost"] if port == 80 else [])
    config = uvicorn.Config(
        Guard(create_app(explorer), hosts),
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=2,
        lifespan="off",
    )
    ready(f"http://{LOOPBACK}:{port}/")
    uvicorn.Server(config).run(sockets=[listening])
