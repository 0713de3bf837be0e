"""``asof mcp``: a base as tools for assistants, over the Model Context Protocol."""

from importlib.util import find_spec

import click

from asof.cli.options import known_on_option, open_base
from asof.cli.output import counted, talk
from asof.errors import UserError
from asof.timeline import Date

_EXAMPLES = """\b
Examples:
  asof mcp
  asof mcp wikidata-2024 --http --port 8322
"""


@click.command("mcp", epilog=_EXAMPLES)
@click.argument("base", metavar="[KB]", envvar="ASOF_BASE", default="almanac")
@click.option("--http", is_flag=True, help="Serve HTTP on this machine instead of standard input and output.")
@click.option("--port", type=click.IntRange(1, 65535), default=8322, show_default=True, help="The port for --http.")
@known_on_option
def command(base: str, http: bool, port: int, known_on: Date | None) -> None:
    """Start an MCP server for AI assistants.

    Assistants can look up facts for any date, with evidence. The assistant's program starts this command and talks to
    it; docs/agents.md shows what to write into its settings. Tools: as_of, timeline, changes, ask, search, relations.
    Nothing is written, and only the base is read.
    """
    if not find_spec("mcp"):
        raise UserError("asof mcp needs mcp. Install it with: pip install 'asof[agents]'")
    from asof.agents.server import make_server

    store = open_base(base, known_on)
    server = make_server(store)
    facts = counted(store.facts_count, "fact")
    if http:
        talk(f"{store.manifest.name}: {facts} at http://127.0.0.1:{port}/mcp  Stop with Ctrl-C.")
        server.run("streamable-http", host="127.0.0.1", port=port, stateless_http=True, json_response=True)
    else:
        talk(f"{store.manifest.name}: {facts}, MCP server on standard input and output. Stop with Ctrl-C.")
        server.run("stdio")
