"""Pages in a real browser: Chromium as the tests start it, and a page with all that it asked for and complained of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path("/usr/bin/chromium")
_QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run", "--disable-quic",
)  # fmt: skip

needs_chromium = pytest.mark.skipif(not CHROMIUM.exists(), reason="no /usr/bin/chromium: apt-get install chromium")


@contextmanager
def chromium() -> Iterator[Any]:
    """Start the browser, and end it."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=str(CHROMIUM), args=list(_QUIET))
        yield opened
        opened.close()


def clipped(page: Any) -> list[str]:
    """Return the words of charts that run over an edge of their drawing."""
    found: list[str] = page.evaluate(_CLIPPED)
    return found


def complaints(page: Any) -> list[str]:
    """Return what axe finds that is serious or worse: the rule, and where it is broken."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pip install axe-playwright-python")
    return [
        f"{one['impact']} {one['id']}: {node['target']} {node['failureSummary']}"
        for one in axe.Axe().run(page).response["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


_CLIPPED = """() => [...document.querySelectorAll("figure svg")].flatMap(svg =>
  [...svg.querySelectorAll("text")].filter(text => {
    const box = text.getBBox();
    return box.x < -0.5 || box.x + box.width > svg.viewBox.baseVal.width;
  }).map(text => text.textContent))"""


class Visit:
    """A page that is open, with all that it asked for and complained of."""

    def __init__(
        self, browser: Any, address: str, *, width: int = 1280, dark: bool = False, timeout: int = 30_000
    ) -> None:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        self.address = address
        self.page = context.new_page()
        self.page.set_default_timeout(timeout)
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(address)
