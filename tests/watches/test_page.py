"""The dashboard in a real browser, opened from disk, and the files beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from click.testing import CliRunner

import asof as door
from asof.cli import asof
from asof.cli.schema import schema
from asof.facts import FactStore
from tests.browser import Visit, chromium, clipped, complaints, needs_chromium
from tests.watches.conftest import Releases
from tests.watches.releases import write_watch

TITLE = "Who <holds> what?"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory, releases: Releases, offices: FactStore) -> Path:
    """A watch that was run over three releases, one bound of which is broken, with a model that cannot be opened."""
    bounds = [
        {"benchmark": "offices", "models": ["bert"], "cutoff_not_older_than": "2020-Q1"},
        {"benchmark": "offices", "models": ["bert"], "metric": "accuracy", "at_least": 0.9},
    ]
    gone = [{"name": "gone", "location": "no/such-folder/at-all", "release": "1"}]
    path = write_watch(
        tmp_path_factory.mktemp("watched"), offices.folder, releases, bound=bounds, models=gone, title=TITLE
    )  # fmt: skip
    assert CliRunner().invoke(asof, ["watch", "run", str(path)]).exit_code == 3
    return path


@pytest.fixture(scope="module")
def page(watched: Path) -> Path:
    made = CliRunner().invoke(asof, ["watch", "page", str(watched), "--to", str(watched.parent / "page"), "--json"])
    assert made.exit_code == 0, made.output
    return watched.parent / "page"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@needs_chromium
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, False), (1280, True)])
def test_the_page_opens_from_disk_and_everybody_can_read_it(browser: Any, page: Path, width: int, dark: bool) -> None:
    visit = Visit(browser, (page / "index.html").resolve().as_uri(), width=width, dark=dark)
    assert not visit.problems and visit.requests == [visit.address]
    assert complaints(visit.page) == [] and clipped(visit.page) == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert visit.page.locator("h1").inner_text() == TITLE
    bounds = visit.page.locator("#bounds tbody tr").all_inner_texts()
    assert bounds[0].startswith("✗ broken") and "accuracy at least 0.9" in bounds[0]
    assert bounds[1].startswith("✓ holds") and len(bounds) == 2
    assert visit.page.locator("#cutoff circle").count() == 3
    assert "no/such-folder" in visit.page.locator("#checks").inner_text()


@needs_chromium
def test_a_keyboard_reaches_the_parts_and_opens_the_facts(browser: Any, page: Path) -> None:
    visit = Visit(browser, (page / "index.html").resolve().as_uri())
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate("document.activeElement.className") == "skip"
    closed = visit.page.locator("#turned details:not([open]) summary").first
    closed.focus()
    visit.page.keyboard.press("Enter")
    newest = visit.page.locator("#turned details", has_text="Newly right").first.locator("tbody tr").first
    assert newest.locator("td").nth(0).inner_text().startswith("office")
    assert "2020-Q4 (so since 20" in newest.inner_text()


def test_what_lies_beside_the_page(watched: Path, page: Path) -> None:
    cutoffs = json.loads((page / "knowledge_cutoff.json").read_text(encoding="utf-8"))
    jsonschema.validate(cutoffs, schema("knowledge-cutoff"))
    assert [one["release"] for one in cutoffs["estimates"]] == ["1.0", "2.0", "3.0"]
    assert [one["newest"] for one in cutoffs["estimates"]] == [False, False, True]
    newest = cutoffs["estimates"][-1]
    badge = (page / "badge.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(badge).tag.endswith("svg")  # noqa: S314
    assert f"{newest['cutoff']} ({newest['low']} to {newest['high']})" in badge and "#b3243f" in badge
    assert badge == (page / "badge-bert.svg").read_text(encoding="utf-8")
    entries = ElementTree.parse(page / "feed.xml").findall(f"{ATOM}entry")  # noqa: S314
    titles = [str(one.findtext(f"{ATOM}title")) for one in entries]
    assert len(titles) == 4 and "Broken: bert 3.0, accuracy at least 0.9" in titles
    facts = (page / "changed_facts.tsv").read_text(encoding="utf-8").splitlines()
    assert len(facts) - 1 == len(door.watch(watched).changed())


def test_a_page_is_put_over_no_other(watched: Path, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>mine</p>", encoding="utf-8")
    ran = CliRunner().invoke(asof, ["watch", "page", str(watched), "--to", str(tmp_path)])
    assert "is not a page that asof wrote" in str(ran.exception)
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == "<p>mine</p>"


def test_a_notebook_holds_a_watch(watched: Path, tmp_path: Path) -> None:
    watch = door.watch(watched)
    status = watch.status()
    assert status["state"][:3] == ["up to date"] * 3 and "no/such-folder" in str(status)
    assert watch.bounds()["state"] == ["kept", "broken"]
    assert watch.page(tmp_path / "page").path.is_file()
