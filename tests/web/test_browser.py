"""The explorer in a real browser: every page, the newcomer's way, keyboard, small screens, both colour schemes.

Screenshots are kept in build/screenshots, or where $ASOF_SCREENSHOTS says.
"""

from __future__ import annotations

import csv
import re
from typing import Any
from urllib.parse import quote

import pytest

from asof.facts import FactStore
from asof.timeline import Interval, parse_when, verdict
from tests.browser import Visit, needs_chromium
from tests.web.conftest import SCREENSHOTS, Site

pytestmark = needs_chromium


def visit(browser: Any, site: Site, path: str, **how: Any) -> Visit:
    return Visit(browser, site.address.rstrip("/") + path, timeout=90_000, **how)


def keep(visit: Visit, name: str) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    picture = SCREENSHOTS / f"{name}.png"
    visit.page.screenshot(path=picture)
    assert picture.stat().st_size > 5_000


def quiet(visit: Visit, site: Site) -> None:
    """See that nothing failed and nothing was loaded from elsewhere."""
    assert visit.problems == []
    assert all(url.startswith((site.address, "data:")) for url in visit.requests)
    visit.page.context.close()


def held(page: Any) -> dict[str, list[str]]:
    return {
        worth: page.locator(f"tr.{worth} .name").all_inner_texts() for worth in ("correct", "transitional", "incorrect")
    }


def test_the_newcomers_way(browser: Any, site: Site) -> None:
    """Find Angela Merkel, move to 1995, see what held, go back."""
    opened = visit(browser, site, "/")
    page = opened.page
    keep(opened, "home")
    page.keyboard.press("/")
    page.keyboard.type("merkel")
    options = page.get_by_role("option")
    options.first.wait_for()
    assert options.first.inner_text().startswith("Angela Merkel")
    keep(opened, "search")
    page.keyboard.press("ArrowDown")
    assert options.first.get_attribute("aria-selected") == "true"
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Angela Merkel").wait_for()
    assert page.url.endswith("/entity/Q567")
    assert page.locator("#told").inner_text().startswith("All times.")

    slider = page.get_by_label("Year")
    slider.focus()
    slider.fill("1995")
    assert page.url.endswith("/entity/Q567?on=1995")
    assert page.locator("#told").inner_text() == "1995: 2 hold, 0 transitional, 10 do not"
    environment = "Federal Minister for the Environment (Germany)"
    assert set(held(page)["correct"]) == {environment, "Christian Democratic Union of Germany"}
    assert page.locator("tr.correct .badge").first.inner_text() == "holds"
    keep(opened, "merkel-1995")

    slider.press("ArrowLeft")
    assert page.url.endswith("on=1994")
    assert set(held(page)["transitional"]) == {environment, "Federal Minister for Women and Youth"}
    page.go_back()
    assert page.url.endswith("on=1995") and page.locator("#on").input_value() == "1995"
    assert environment in held(page)["correct"] and slider.input_value() == "1995"
    page.go_back()
    assert page.url.endswith("/entity/Q567") and not page.locator("tr.correct").count()
    page.go_forward()
    page.get_by_role("link", name=re.compile("Christian Democratic")).first.click()  # the date goes along
    page.get_by_role("heading", name=re.compile("Christian Democratic")).wait_for()
    assert page.url.endswith("?on=1995")
    quiet(opened, site)


def test_any_date_can_be_typed_and_stepped(browser: Any, site: Site) -> None:
    opened = visit(browser, site, "/entity/Q38?on=2021-02")
    page = opened.page
    shown = page.locator("tbody").filter(has=page.get_by_role("link", name="head of government", exact=True)).first
    assert shown.locator("tr.transitional .name").all_inner_texts() == ["Giuseppe Conte", "Mario Draghi"]
    keep(opened, "italy-2021-02")
    page.get_by_label("Next change").click()
    assert page.url.endswith("on=2021-03")
    assert shown.locator("tr.correct .name").all_inner_texts() == ["Mario Draghi"]
    assert not page.locator("tr.incorrect").first.is_visible()  # so many facts: only what holds
    page.get_by_label("only what holds").uncheck()
    assert page.locator("tr.incorrect").first.is_visible()
    for typed, kept in (("2021-Q1", "2021-Q1"), ("march 1861", "1861-03"), ("44 BC", "-0044"), ("1990s", "1990s")):
        page.get_by_label("As of").fill(typed)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(f"on={quote(typed).replace('%20', '.')}|on={kept}"))
        assert page.locator("#on").input_value() == kept
    page.get_by_label("As of").fill("soon")
    page.keyboard.press("Enter")
    page.get_by_text("'soon' is not a valid date").wait_for()
    page.go_back()
    page.get_by_role("link", name="all times").click()
    assert page.url.endswith("/entity/Q38") and page.locator("tr.correct").count() == 0
    quiet(opened, site)


def test_the_script_judges_as_the_library_does(browser: Any, site: Site, almanac: FactStore) -> None:
    opened = visit(browser, site, "/entity/Q19546")
    facts = [fact.interval for fact in almanac.facts(subject="Q19546")]
    assert opened.page.locator("tr.fact").count() == len(facts)

    def words(interval: Interval, text: str) -> str:
        return str(verdict(parse_when(text), interval, known_by=almanac.known_by))

    for text in [
        "0033",
        "0067",
        "0235",
        "1059-12",
        "1414",
        "1978",
        "1978-08",
        "2005-Q2",
        "2013",
        "2024",
        "2025",
        "-0010",
    ]:
        opened.page.get_by_label("As of").fill(text)
        opened.page.keyboard.press("Enter")
        seen = opened.page.locator("tr.fact").evaluate_all("rows => rows.map(row => row.classList[2])")
        assert sorted(seen) == sorted(words(one, text) for one in facts), text
    quiet(opened, site)


def test_pages_of_the_base(browser: Any, site: Site) -> None:
    opened = visit(browser, site, "/relation/P6?on=1990")
    page = opened.page
    assert "transitional" in page.locator("tr").filter(has_text="Margaret Thatcher").inner_text()
    keep(opened, "relation")
    page.get_by_label("Subject").fill("germany")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**subject=germany**")
    shown = page.locator("tr.group").all_inner_texts()
    assert len(shown) > 1 and all("german" in name.lower() for name in shown)  # there were several Germanies
    assert page.get_by_role("link", name="Helmut Kohl").is_visible()
    page.goto(f"{site.address}relation/P39")
    page.get_by_role("link", name="Next rows").click()
    page.wait_for_url("**page=2")
    page.get_by_role("link", name="Changes").click()
    page.get_by_label("From").fill("2020-Q1")
    page.get_by_label("To", exact=True).fill("2021-Q1")
    page.get_by_role("button", name="Show").click()
    page.get_by_text("From 2020-Q1 to 2021-Q1").wait_for()
    keep(opened, "changes")
    page.get_by_label("Relation").select_option(label="head of government")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("row").filter(has_text="Mario Draghi").wait_for()
    page.get_by_role("link", name="Check").click()
    page.get_by_role("link", name="two-holders").click()
    page.get_by_role("row").filter(has_text="Peter the Great").wait_for()
    keep(opened, "check")
    quiet(opened, site)


def test_a_question_with_evidence_and_a_choice(browser: Any, site: Site) -> None:
    opened = visit(browser, site, "/ask")
    page = opened.page
    page.get_by_label("A question").fill("Who was the pope in 1978?")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Evidence").wait_for()
    assert page.locator(".answers a").all_inner_texts() == ["Pope Paul VI", "Pope John Paul I", "Pope John Paul II"]
    assert page.locator("tr.evidence").count() == 3
    keep(opened, "ask")
    page.get_by_label("A question").fill("Which position did John Smith hold in 1840?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="Which one?").wait_for()
    keep(opened, "which-one")
    page.get_by_role("link", name="John Smith").first.click()
    page.get_by_text("United States representative for the 4th district of Vermont").first.wait_for()
    quiet(opened, site)


def test_runs_and_two_of_them_compared(browser: Any, site: Site) -> None:
    opened = visit(browser, site, "/runs")
    page = opened.page
    page.get_by_role("link", name="knows-much").click()
    page.get_by_role("heading", name="Every fact").wait_for()
    page.locator("button.open").first.click()  # each date of a fact
    assert page.locator("tr.detail path.v-c").count() > 0
    keep(opened, "run-timestress")
    page.goto(f"{site.address}runs/by-period")
    page.get_by_role("heading", name="Knowledge cutoff: until when do the models know the world?").wait_for()
    assert page.locator("#cutoff svg .shade").count() == 1
    keep(opened, "run-by-period")
    page.goto(f"{site.address}compare")
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("rowheader", name="win-rate global").wait_for()
    assert page.url.endswith("a=knows-little&b=knows-much")
    keep(opened, "compare")
    quiet(opened, site)


def test_proposals_are_decided_by_click_and_by_key(browser: Any, site: Site) -> None:
    opened = visit(browser, site, "/proposals?show=all")
    page = opened.page
    italy = page.get_by_role("row").filter(has_text="Turin")
    italy.get_by_role("button", name="Accept").click()
    page.get_by_text("3 open, 1 accepted, 0 rejected").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("r")
    page.get_by_text("2 open, 1 accepted, 1 rejected").wait_for()
    keep(opened, "proposals")
    with site.review.open(encoding="utf-8", newline="") as file:
        made = {row["object"]: row["decision"] for row in csv.DictReader(file, delimiter="\t")}
    assert made["Turin"] == "accept" and sorted(made.values()) == ["accept", "reject"]
    assert "document.title" in page.locator("tbody tr").last.inner_text() and "Proposals" in page.title()
    italy.get_by_role("button", name="Accept").click()  # once more takes it back
    page.get_by_text("3 open, 0 accepted, 1 rejected").wait_for()
    page.locator("tr.reject").focus()
    page.keyboard.press("u")
    page.get_by_text("4 open, 0 accepted, 0 rejected").wait_for()
    page.context.set_offline(True)
    page.keyboard.press("a")
    page.get_by_text("Not saved: asof serve does not respond").wait_for()
    opened.problems.clear()  # the browser tells of the request that we broke
    quiet(opened, site)


CONTRAST = """() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(Number).map(v => v / 255)
      .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      const parts = colour.match(/[\\d.]+/g).map(Number);
      if (parts.length < 4 || parts[3] === 1) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!text || element.closest("svg, [hidden], .hidden, option") || element.disabled) continue;
    if (!element.checkVisibility()) continue;
    const [one, other] = [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => b - a);
    if ((one + 0.05) / (other + 0.05) < 4.5) poor.push(`${element.className}: ${element.textContent.slice(0, 40)}`);
  }
  return poor;
}"""


@pytest.mark.parametrize(("width", "dark"), [(360, False), (1280, True)])
def test_every_page_fits_and_can_be_read(browser: Any, site: Site, width: int, dark: bool) -> None:
    opened = visit(browser, site, "/", width=width, dark=dark)
    paths = [
        "", "?q=united", "entity/Q567?on=1994", "relation/P36?on=1500", "changes?from=2020&to=2021",
        "check", "ask?q=Who was the pope in 1978?", "runs", "runs/by-period", "compare?a=knows-little&b=knows-much",
        "proposals", "api", "nowhere",
    ]  # fmt: skip
    for path in paths[2:10] if dark else paths:
        opened.page.goto(site.address + path)
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert opened.page.evaluate(CONTRAST) == [], path
        if not dark or path.startswith(("entity", "runs/")):
            name = re.sub(r"\W+", "-", path.partition("?")[0]) or "home"
            keep(opened, f"{name}-{'dark' if dark else 'phone'}")
    opened.problems = [said for said in opened.problems if "404" not in said]
    quiet(opened, site)


def test_without_script_pages_can_be_read(browser: Any, site: Site) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.address}entity/Q567?on=1995")
    assert page.locator("#told").inner_text() == "1995: 2 hold, 0 transitional, 10 do not"
    assert page.locator("tr.correct").count() == 2 and not page.locator("#slider").is_visible()
    page.get_by_label("Previous change").click()
    assert page.url.endswith("on=1994")
    page.get_by_label("Search names").fill("mario dra")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Mario Draghi").click()
    page.get_by_role("heading", name="Mario Draghi").wait_for()
    context.close()
