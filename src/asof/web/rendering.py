"""A page as HTML or as JSON: the same content, as the request wants it.

Templates escape everything by themselves; the only HTML that comes in ready is that of the reports' figures.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from asof.reports.html import PagePart
from asof.web.guard import LONGEST_ADDRESS
from asof.web.rows import shown_end

LONGEST_ID = 1000  # characters
_LONGEST_NAME = 160  # characters that are shown of a name; its own page has all of it
_OF_REPORTS = {"report.css": "page.css", "report.js": "page.js"}
STATIC = {
    "report.css": "text/css",
    "explorer.css": "text/css",
    "report.js": "text/javascript",
    "suggest.js": "text/javascript",
    "timeline.js": "text/javascript",
    "proposals.js": "text/javascript",
}


def wants_json(request: Request) -> bool:
    """Tell whether a program is asking: by ``?format=json``, or by an Accept header that has JSON and no HTML."""
    asked = request.query_params.get("format")
    if asked in ("json", "html"):
        return asked == "json"
    accepted = request.headers.get("accept", "")
    return "application/json" in accepted and "text/html" not in accepted


def json_reply(content: Any, status: int = 200) -> Response:
    """Return content as JSON."""
    return Response(msgspec.json.encode(content), status, {"Vary": "Accept"}, "application/json")


def html_reply(template: str, status: int = 200, /, **content: Any) -> Response:
    """Return a page made of a template."""
    made = _templates().get_template(template).render(**content)
    # A lone half of a character cannot be sent; it is shown as a question mark.
    return HTMLResponse(made.encode("utf-8", "replace"), status, {"Vary": "Accept"})


def shared_by_pages(request: Request) -> dict[str, Any]:
    """Return what the frame of every page shows: the base, the runs, the proposals, and which page this is."""
    explorer = request.app.state.explorer
    return {
        "base": explorer.base,
        "runs": explorer.runs.names,
        "review": explorer.review,
        "live": explorer.live.name if explorer.live else None,
        "here": request.url.path,
    }


def link(path: str, *parts: str, **query: object) -> str:
    """Return an address; what stands in ids and questions is quoted, and a list is given value by value.

    >>> link("/entity", "us:A/B", on="44 BC", page=None)
    '/entity/us%3AA%2FB?on=44+BC'
    """
    address = "/".join([path.rstrip("/"), *(quote(part, safe="", errors="replace") for part in parts)]) or "/"
    given = {name.rstrip("_"): value for name, value in query.items() if value not in (None, "", [])}
    return f"{address}?{urlencode(given, doseq=True, errors='replace')}" if given else address


def fits(id: str) -> bool:
    """Tell whether an address can name an id; a name of a hundred thousand letters may be one."""
    return len(id) <= LONGEST_ID and len(quote(id, safe="", errors="replace")) <= LONGEST_ADDRESS - 500


def ready(part: PagePart) -> Markup:
    """Let the HTML of a report's figure through: ``asof.reports`` has escaped all text in it."""
    return Markup(part.content)  # noqa: S704


@cache
def static_file(name: str) -> bytes:
    """Return a style sheet or script."""
    if name in _OF_REPORTS:
        return files("asof.reports").joinpath(_OF_REPORTS[name]).read_bytes()
    return files(__package__).joinpath(name).read_bytes()


@cache
def static_link(name: str) -> str:
    """Return the address of a style sheet or script, which changes with its content."""
    return f"/static/{name}?v={hashlib.sha256(static_file(name)).hexdigest()[:12]}"


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def _counted(number: int, singular: str, many: str = "") -> str:
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("asof.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"link": link, "static": static_link, "fits": fits, "ready": ready, "counted": _counted}
    made.filters |= {"short": _shortened, "end": shown_end}
    made.globals["parts"] = made.get_template("parts.html").module
    return made
