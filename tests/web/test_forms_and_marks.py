"""What a stranger trips over: forms that lose what was typed, names without links, marks that cannot be seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from asof.facts import FactStore
from asof.sources.almanac import almanac_base
from asof.web.explorer import Explorer
from tests.browser import Visit, clipped, complaints, needs_chromium
from tests.web.conftest import Site, served

pytestmark = needs_chromium


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(60_000)
    yield opened
    context.close()


def test_every_page_marks_itself_in_the_navigation(page: Any, site: Site) -> None:
    for path, name, kind in (
        ("ask", "Ask", "page"), ("verify", "Verify", "page"),
        ("changes", "Changes", "page"), ("check", "Check", "page"), ("runs", "Runs", "page"),
        ("runs/knows-much", "Runs", "true"), ("compare", "Runs", "true"), ("proposals", "Proposals", "page"),
        ("", "asof", "page"),
    ):  # fmt: skip
        page.goto(site.address + path)
        marked = page.locator("header [aria-current]")
        assert marked.all_inner_texts() == [name], path
        assert marked.get_attribute("aria-current") == kind, path
    page.goto(f"{site.address}check")
    weights = page.locator("header nav a").evaluate_all("all => all.map(one => getComputedStyle(one).fontWeight)")
    assert weights.count("700") == 1  # and it can be seen
    page.goto(f"{site.address}entity/Q38")
    assert page.locator("header [aria-current]").count() == 0


def test_dates_the_wrong_way_round_keep_the_form(page: Any, site: Site) -> None:
    page.goto(f"{site.address}changes?from=2021&to=2020&status=updated&relation=P6")
    assert page.get_by_role("alert").inner_text() == "2021 comes after 2020: give the earlier period first."
    assert page.get_by_label("From").input_value() == "2021"
    assert page.get_by_label("Status").input_value() == "updated"
    assert page.get_by_label("Relation").input_value() == "P6"
    page.get_by_label("To", exact=True).fill("2022")
    page.get_by_role("button", name="Show").click()
    page.get_by_text("From 2021 to 2022").wait_for()
    assert page.get_by_label("Status").input_value() == "updated" and page.get_by_role("alert").count() == 0
    reply = site.client.get("/changes", params={"from": "2021", "to": "2020"}, headers={"Accept": "application/json"})
    assert reply.status_code == 400 and "comes after" in reply.json()["error"]


def test_a_date_that_is_none_stays_in_its_field(page: Any, site: Site) -> None:
    for path in ("relation/P36?subject=italy&on=soon", "entity/Q38?on=soon"):
        page.goto(site.address + path)
        page.get_by_text("'soon' is not").wait_for()
        assert page.get_by_label("As of").input_value() == "soon"
    page.goto(f"{site.address}relation/P36?subject=italy&on=soon")
    assert page.get_by_label("Subject").input_value() == "italy" and page.get_by_role("link", name="Turin").count()


def test_runs_tell_their_size_day_and_score(page: Any, site: Site) -> None:
    page.goto(f"{site.address}runs")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="knows-much"))
    words = dict(
        zip(page.get_by_role("columnheader").all_inner_texts(), row.locator("th, td").all_inner_texts(), strict=True)
    )
    told = next(run for run in site.json("/runs")["runs"] if run["name"] == "knows-much")
    whole = site.json("/runs/knows-much")
    assert words["facts"] == "3" == str(told["facts"]) and int(words["items"].replace(",", "")) == told["items"] > 100
    assert words["score"].split() == ["win-rate", "global", *whole["results"]["win-rate global"]["said"].split()[:3]]
    assert words["last prediction"] == told["date"] and len(told["date"]) == 10


def test_compare_says_what_to_do(page: Any, site: Site) -> None:
    page.goto(f"{site.address}compare")
    assert "Choose two runs of one benchmark" in page.locator("main").inner_text()
    page.get_by_label("Compare").select_option("by-period")
    page.get_by_role("button", name="Compare").click()
    assert "their measures differ" in page.get_by_role("alert").inner_text()
    assert page.get_by_label("Compare").input_value() == "by-period"
    page.get_by_label("Compare").select_option("knows-little")
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("rowheader", name="win-rate global").wait_for()


def test_without_two_runs_compare_says_how_to_get_them() -> None:
    with served(Explorer(almanac_base())) as client:
        assert "asof run BENCHMARK MODEL" in client.get("/compare").text


def test_names_that_may_be_several_are_links_that_ask_again(page: Any, site: Site) -> None:
    page.goto(f"{site.address}ask?q=Which party was Merkle a member of in 1999?")
    assert "has nothing called 'Merkle'" in page.locator(".answer").inner_text()
    page.get_by_role("link", name="Angela Merkel").click()
    assert page.get_by_label("A question").input_value() == "Which party was Angela Merkel a member of in 1999?"
    assert page.locator(".answers").inner_text().startswith("Christian Democratic Union")


def test_the_other_bearers_of_a_name_are_links(page: Any, site: Site) -> None:
    page.goto(f"{site.address}ask?q=Which position did John Smith hold in 1840?&today=2020")
    links = page.get_by_role("list", name="Ask about").get_by_role("link")
    assert links.count() == 3
    assert all("today=2020" in link.get_attribute("href") for link in links.all())


def test_a_name_that_was_taken_for_one_offers_the_others(page: Any, site: Site) -> None:
    page.goto(f"{site.address}ask?q=Which positions did Barry Goldwater hold?")
    assert "1 more is also called so." in page.locator(".answer").inner_text()
    page.get_by_role("list", name="Ask about").get_by_role("link").click()
    page.get_by_text("United States representative for the 20th district of California").first.wait_for()
    assert page.get_by_role("list", name="Ask about").count() == 0


def test_the_asked_year_is_marked_among_the_facts(page: Any, site: Site) -> None:
    page.goto(f"{site.address}ask?q=Who was the pope in 1978?")
    mark = page.locator("#asked rect")
    assert mark.count() == 1
    left, width = (float(mark.get_attribute(name).rstrip("%")) for name in ("x", "width"))
    bars = page.locator("tr.evidence rect.surely")
    paul, john_paul = (
        tuple(float(bars.nth(place).get_attribute(name).rstrip("%")) for name in ("x", "width")) for place in (0, 2)
    )
    assert left < paul[0] + paul[1] < left + width  # he died in that year
    assert left < john_paul[0] < left + width < john_paul[0] + john_paul[1]
    page.goto(f"{site.address}ask?q=Which teams did LeBron James play for?")
    assert page.locator("#asked rect").get_attribute("width") == "0"


@pytest.mark.parametrize("width", [1280, 390])
def test_a_fact_of_a_day_can_be_seen(browser: Any, site: Site, almanac: FactStore, width: int) -> None:
    visit = Visit(browser, f"{site.address}entity/Q19546", width=width)  # 2,000 years of popes
    pope = visit.page.locator("tr.fact").filter(has=visit.page.get_by_role("link", name="Pope John Paul I", exact=True))
    drawn = pope.locator(".drawn line, .drawn rect").evaluate_all(
        """all => all.map(one => one.getBoundingClientRect().width
          + (one.tagName == "line" ? parseFloat(getComputedStyle(one).strokeWidth) : 0))"""
    )
    assert max(drawn) >= 4
    visit.page.context.close()


def test_nothing_stands_over_the_margin_of_a_phone(browser: Any, site: Site) -> None:
    visit = Visit(browser, f"{site.address}entity/Q567?on=1995", width=390)
    main, slider, bar = (
        visit.page.locator(chosen).first.bounding_box() for chosen in ("main", "#slider", "tr.fact .time")
    )
    assert slider["x"] >= main["x"] and slider["x"] + slider["width"] <= main["x"] + main["width"]
    assert abs(slider["x"] + 8 - bar["x"]) < 1  # the middle of its thumb still stands over the year of the bars
    for name in visit.page.locator("svg.scale text").all():
        box = name.bounding_box()
        assert main["x"] <= box["x"] and box["x"] + box["width"] <= main["x"] + main["width"]
    visit.page.context.close()


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_axe_finds_nothing_serious(browser: Any, site: Site, width: int, dark: bool) -> None:
    visit = Visit(browser, site.address, width=width, dark=dark, timeout=60_000)
    for path in (
        "", "?q=united", "entity/Q567?on=1994", "relation/P36?on=1500", "changes?from=2020&to=2021",
        "changes?from=2021&to=2020", "check", "ask?q=Who was the pope in 1978?",
        "ask?q=Which party was Merkle a member of?", "runs", "runs/knows-much", "runs/by-period", "compare",
        "compare?a=knows-little&b=knows-much", "proposals", "api", "nowhere",
    ):  # fmt: skip
        visit.page.goto(site.address + path)
        assert complaints(visit.page) == [], path
        assert clipped(visit.page) == [], path
    visit.page.context.close()
