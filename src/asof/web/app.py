"""The application: all addresses together, and what is said when something goes wrong."""

from __future__ import annotations

from fastapi import FastAPI

from asof import __version__
from asof.web.explorer import Explorer
from asof.web.problems import told_as
from asof.web.routes import about, changes, facts, proposals, runs


def create_app(explorer: Explorer) -> FastAPI:
    """Make the application of an explorer; ``guard.Guard`` must stand before it."""
    app = FastAPI(
        title="asof explorer",
        version=__version__,
        description="A temporal knowledge graph in the browser. Every page is also JSON: send Accept: "
        "application/json.",
        docs_url=None,  # FastAPI's own pages load scripts from elsewhere; /api is ours
        redoc_url=None,
        exception_handlers=told_as(),
    )
    app.state.explorer = explorer
    for part in (facts, changes, runs, proposals, about):
        app.include_router(part.router)
    return app
