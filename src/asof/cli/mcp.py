"""``asof mcp``: a base as tools for assistants, over the Model Context Protocol."""

from importlib.util import find_spec

import click

from asof.cli.options import (
    NOT_ENCRYPTED,
    host_option,
    known_on_option,
    live_budget_option,
    live_hours_option,
    live_option,
    open_base,
    token_option,
)
from asof.cli.output import counted, talk
from asof.errors import UserError
from asof.timeline import Date

_EXAMPLES = """\b
Examples:
  asof mcp
  asof mcp wikidata-2024 --http --port 8322
  asof mcp --live wikidata
"""


@click.command("mcp", epilog=_EXAMPLES)
@click.argument("base", metavar="[BASE]", envvar="ASOF_BASE", default="almanac")
@click.option("--http", is_flag=True, help="Serve HTTP instead of standard input and output.")
@click.option("--port", type=click.IntRange(1, 65535), default=8322, show_default=True, help="The port for --http.")
@host_option
@token_option
@live_option
@live_hours_option
@live_budget_option
@known_on_option
def command(
    base: str,
    http: bool,
    port: int,
    host: str,
    token: str | None,
    live: str | None,
    live_hours: float,
    live_budget: int,
    known_on: Date | None,
) -> None:
    """Start an MCP server for AI assistants.

    Assistants can look up facts for any date, with evidence. The assistant's program starts this command and talks to
    it; docs/agents.md shows what to write into its settings. Tools: as_of, timeline, changes, check,
    ask, query, verify, search, relations.
    With --live there is one more, live, and as_of and timeline look up there what the base has not. Nothing is written,
    and only the base is read. With --http, only this machine can reach the server, unless --host
    says otherwise; then requests need a token: "Authorization: Bearer TOKEN".
    """
    if not find_spec("mcp"):
        raise UserError("asof mcp needs mcp. Install it with: pip install 'asof[agents]'")
    from asof.agents.server import make_server
    from asof.live import open_live

    store = open_base(base, known_on)
    elsewhere = open_live(live, store, hours=live_hours, budget=live_budget) if live else None
    server = make_server(store, elsewhere)
    facts = counted(store.facts_count, "fact") + (f", live look-ups at {elsewhere.name}" if elsewhere else "")
    if http:
        from asof.agents.over_http import address_over_http, serve_http
        from asof.web.token import is_loopback, token_for

        wanted = token_for(host, token)
        talk(f"{store.manifest.name}: {facts} at {address_over_http(host, port)}  Stop with Ctrl-C.")
        if wanted and not token:
            talk(f"Requests need the header  Authorization: Bearer {wanted}")
        if not is_loopback(host):
            talk(NOT_ENCRYPTED)
        serve_http(server, host=host, port=port, token=wanted)
    else:
        talk(f"{store.manifest.name}: {facts}, MCP server on standard input and output. Stop with Ctrl-C.")
        server.run("stdio")
