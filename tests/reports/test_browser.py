"""The page in a real browser, opened from disk: nothing is loaded, nothing fails, facts sort, filter and open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from asof.reports import write_report
from tests.browser import Visit, chromium, needs_chromium
from tests.reports.conftest import MakeRun

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


class PageVisit(Visit):
    """A report that is open."""

    def __init__(self, browser: Any, path: Path, *, width: int = 1280, dark: bool = False) -> None:
        super().__init__(browser, path.resolve().as_uri(), width=width, dark=dark)

    def column(self, number: int) -> list[str]:
        rows = self.page.locator("#fact-table tbody tr[data-fact]:visible")
        return [row.locator("th, td").nth(number).inner_text() for row in rows.all()]


@pytest.fixture
def two_runs(make_run: MakeRun, tmp_path: Path) -> Path:
    runs = [make_run("a", knows=0.5), make_run("b", format="chat", knows=2)]
    return write_report(runs, tmp_path / "page")


def test_facts_sort_filter_and_open(browser: Any, two_runs: Path) -> None:
    visit = PageVisit(browser, two_runs)
    page = visit.page
    assert page.locator("#shown").inner_text() == "9 of 9 facts"

    sort = page.get_by_role("button", name="A win rate")
    sort.click()
    rates = visit.column(2)
    assert rates == sorted(rates, reverse=True) and len(set(rates)) > 1
    sort.press("Enter")
    assert visit.column(2) == sorted(rates)
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("A win rate")

    page.get_by_label("Show facts with").fill("roman EMPEROR")
    names = visit.column(0)
    assert len(names) == 2 and all("Roman emperor" in name for name in names)
    assert page.locator("#shown").inner_text() == "2 of 9 facts"

    opener = page.get_by_role("button", name="Roman emperor · position holder · Augustus")
    opener.press("Enter")
    assert opener.get_attribute("aria-expanded") == "true"
    detail = page.locator("tr.detail")
    assert detail.locator("svg").count() == 6  # three precisions, two runs
    assert detail.locator("h3").all_inner_texts() == ["A small", "B small (chat)"]
    assert detail.locator("path.v-c").count() > 0 and detail.locator("path.v-i").count() > 0
    summary = detail.locator("summary").first
    summary.click()
    dates = detail.locator("details").first.locator("tbody tr")
    assert f"All {dates.count()} dates" in summary.inner_text()
    assert dates.count() == detail.locator("svg path").count() / 2  # each date has a mark in one strip of its run
    assert dates.first.locator("td").nth(2).inner_text() == "incorrect"

    page.get_by_label("Show facts with").fill("ramesses")
    assert not detail.is_visible()
    page.get_by_label("Show facts with").fill("")
    page.get_by_role("button", name="fact", exact=True).click()
    assert detail.is_visible()
    assert "Augustus" in detail.evaluate("row => row.previousElementSibling.textContent")  # it went along
    opener.click()
    assert detail.count() == 0

    assert visit.problems == []
    assert visit.requests == [visit.address]


@pytest.mark.parametrize(
    ("name", "width", "dark"), [("desktop", 1280, False), ("phone", 380, False), ("dark", 1280, True)]
)
def test_it_fits_wide_narrow_and_dark(
    browser: Any, two_runs: Path, tmp_path: Path, name: str, width: int, dark: bool
) -> None:
    visit = PageVisit(browser, two_runs, width=width, dark=dark)
    visit.page.locator("button.open").first.click()
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(20, 24, 28)" if dark else "rgb(251, 251, 249)"
    )
    letters = visit.page.locator("figure svg text").first.evaluate("text => text.getBoundingClientRect().height")
    assert letters >= 10
    picture = tmp_path / f"{name}.png"
    visit.page.screenshot(path=picture, full_page=True)
    assert picture.stat().st_size > 50_000
    assert visit.problems == [] and visit.requests == [visit.address]


def test_names_that_look_like_markup_run_nothing(browser: Any, make_run: MakeRun, tmp_path: Path) -> None:
    evil = "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">"
    visit = PageVisit(browser, write_report([make_run(model="org/x", format=evil)], tmp_path / "page"))
    visit.page.locator("button.open").first.click()
    assert evil in visit.page.locator("tr.detail h3").inner_text()
    assert visit.page.title().startswith("When do models know?")
    assert visit.page.locator("img").count() == 0
    assert visit.problems == [] and visit.requests == [visit.address]


def test_without_script_the_facts_can_be_read(browser: Any, two_runs: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(two_runs.resolve().as_uri())
    assert page.locator("#fact-table tbody tr").count() == 9
    assert page.locator("button.open:enabled").count() == 0
    assert not page.locator(".controls").is_visible()
