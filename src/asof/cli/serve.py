"""``asof serve``: the explorer, a local page for a base and for runs."""

import os
import webbrowser
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import click

from asof.cli.options import (
    NOT_ENCRYPTED,
    host_option,
    known_on_option,
    live_budget_option,
    live_hours_option,
    live_option,
    token_option,
)
from asof.cli.output import counted, talk
from asof.errors import UserError
from asof.facts.mirror import is_base, local_base
from asof.places import remote_address
from asof.sources.almanac import almanac_base
from asof.timeline import Date

_EXAMPLES = """\b
Examples:
  asof serve
  asof serve wikidata-2024 runs/timestress-smollm2-raw runs/timestress-gemma3-270m-raw --open
  asof serve --live wikidata
  asof serve --proposals proposals.tsv --review decisions.tsv
"""


@click.command("serve", epilog=_EXAMPLES)
@click.argument("locations", metavar="[BASE] [RUN]...", nargs=-1)
@click.option(
    "--port", type=click.IntRange(0, 65535), help="The port (default: the first free one from 8321 on; 0: any)."
)
@host_option
@token_option
@live_option
@live_hours_option
@live_budget_option
@click.option("--open", "in_browser", is_flag=True, help="Open the page in the browser.")
@click.option("--proposals", type=click.Path(path_type=Path), help="A table from 'asof complete' to show.")
@click.option(
    "--review", type=click.Path(path_type=Path), help="A table for your decisions, to accept and reject proposals."
)
@known_on_option
def command(
    locations: tuple[str, ...],
    port: int | None,
    host: str,
    token: str | None,
    live: str | None,
    live_hours: float,
    live_budget: int,
    in_browser: bool,
    proposals: Path | None,
    review: Path | None,
    known_on: Date | None,
) -> None:
    """Explore a base and the runs of models in the browser.

    Shows search, timelines, the facts of any date, changes, and what models know. BASE is a folder that 'asof mine'
    wrote (default: the almanac, or $ASOF_BASE); RUN is a folder of 'asof run'; both may lie at a place such as s3://.
    Only this machine can open the page, unless --host says otherwise; others need the token. With --live, entities
    that the base has not are looked up at a Wikibase. Nothing is changed: decisions on proposals go to the table of
    --review.
    """
    if not all(find_spec(name) for name in ("fastapi", "uvicorn", "jinja2")):
        raise UserError("asof serve needs fastapi, uvicorn and Jinja2. Install them with: pip install 'asof[web]'")
    if review and not proposals:
        raise UserError("--review needs --proposals: give the table to review.")
    from asof.live import open_live
    from asof.web.decisions import open_decisions, read_proposals
    from asof.web.explorer import Explorer
    from asof.web.proposals import ProposalReview
    from asof.web.server import open_port, serve
    from asof.web.token import is_loopback, token_for

    wanted = token_for(host, token)
    base, runs = _base_and_runs(locations)
    with ExitStack() as kept:
        decisions = kept.enter_context(open_decisions(review)) if review else None
        read = ProposalReview(proposals.name, read_proposals(proposals), decisions) if proposals else None
        listening = kept.enter_context(open_port(port, host))
        explorer = Explorer(base, runs, review=read, known_on=known_on)
        if live:
            explorer.live = open_live(live, explorer.desks.first.store, hours=live_hours, budget=live_budget)

        def ready(address: str) -> None:
            shown = f" and {counted(len(runs), 'run')}" if runs else ""
            talk(f"{explorer.base.name}: {counted(explorer.base.facts, 'fact')}{shown} at {address}  Stop with Ctrl-C.")
            if not is_loopback(host):
                talk(NOT_ENCRYPTED)
            if in_browser:
                webbrowser.open(address)

        try:
            serve(explorer, listening, ready=ready, token=wanted)
        except KeyboardInterrupt:
            talk("Stopped." if not review else f"Stopped. All decisions are in {review}.")


def _base_and_runs(locations: tuple[str, ...]) -> tuple[Path, list[Path]]:
    """Tell the base from the runs by what lies in the folders."""
    bases = [location for location in locations if _is_base(location)]
    runs = [Path(location) for location in locations if not _is_base(location)]
    for run in runs:
        if remote_address(run) is None and not (run / "settings.toml").is_file():
            raise UserError(f"{run} is neither a base (asof mine ... --to {run}) nor a run (asof run ... --to {run}).")
    if len(bases) > 1:
        raise UserError(f"{bases[0]} and {bases[1]} are two bases. Give only one of them.")
    base = bases[0] if bases else os.environ.get("ASOF_BASE", "almanac")
    return almanac_base() if base == "almanac" else local_base(base), runs


def _is_base(location: str) -> bool:
    return location == "almanac" or is_base(location)
