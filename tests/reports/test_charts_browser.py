"""Charts in a browser: no word is cut, a run has one colour, equal numbers look the same, axes have titles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from asof.benchmarks import Benchmark, build
from asof.facts import FactStore
from asof.reports import write_report
from asof.reports.charts import Bar, bars
from asof.reports.html import figure
from asof.wording import Wording
from tests.browser import Visit, chromium, clipped, complaints, needs_chromium
from tests.reports.conftest import MakeRun
from tests.runs.test_cutoff import Offices, candidates_run

pytestmark = needs_chromium

# The colour of every line, dot and bar of a section's charts, chart by chart.
COLOURS = """id => [...document.querySelectorAll(`#${id} figure svg`)].map(svg => [...new Set(
  [...svg.querySelectorAll(".line")].map(line => getComputedStyle(line).stroke))])"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory, tiny: FactStore) -> Benchmark:
    return build(tmp_path_factory.mktemp("offices") / "offices", Offices(changing=24, lasting=4), tiny, Wording())


@pytest.fixture
def page(browser: Any, offices: Benchmark, make_run: MakeRun, tmp_path: Path) -> Iterator[Any]:
    """Two runs on TimeStress and two on facts by period, which know until different times."""
    runs = [make_run("a", knows=0.5), make_run("b", format="chat", knows=2)]
    runs += [candidates_run(tmp_path / end, offices, end, heard=6, fame=1) for end in ("2016-Q4", "2017-Q4")]
    visit = Visit(browser, write_report(runs, tmp_path / "page").resolve().as_uri())
    yield visit.page
    assert visit.problems == []
    visit.page.context.close()


def test_no_word_is_cut_and_axe_finds_nothing_serious(page: Any) -> None:
    page.locator("button.open").first.click()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert clipped(page) == []
        assert complaints(page) == []


def test_wide_letters_and_long_names_are_not_cut(browser: Any, tmp_path: Path) -> None:
    groups = [("a relation with a very long name indeed, such as some bases have (n = 1,234)", 0.4948), ("b", 1.0)]
    drawn = bars("T", "D", [(name, [Bar("A", 0, value, 0.4044, 0.6346, 9)]) for name, value in groups])
    small = bars("T", "D", [("c", [Bar("A", 0, 0.1234, 0.1023, 0.1456, 9)])], highest=0.2)
    style = "svg text { font: 12px 'DejaVu Sans', Verdana, sans-serif } svg text.name { font-weight: 600 }"
    path = tmp_path / "bars.html"
    path.write_text(
        f"<meta charset=utf-8><style>{style}</style><div style='width: 360px'>{figure('F', drawn)}{figure('F', small)}"
    )
    page = Visit(browser, path.as_uri()).page
    assert "0.49 [0.40, 0.63]" in page.content() and "12.3 % [10.2, 14.6]" in page.content()
    assert clipped(page) == []


def test_a_run_has_one_colour_in_all_charts(page: Any) -> None:
    cards = page.locator("#by-period .swatch").evaluate_all("all => all.map(one => getComputedStyle(one).background)")
    first, second = page.evaluate(COLOURS, "cutoff")
    assert len(first) == len(second) == 1  # new and previous answers of a run: one colour, the latter dashed
    assert first[0] in cards[0] and second[0] in cards[1]
    assert page.locator("#cutoff .line.dashed").count() == 2


def test_equal_numbers_have_equal_colours(page: Any) -> None:
    cells = page.locator("#likelihood g.cell").evaluate_all(
        "all => all.map(one => [one.lastChild.textContent, getComputedStyle(one.querySelector('rect')).fill])"
    )
    assert len(cells) > 4
    # A step of the scale is two wide: colours that differ tell numbers that do.
    for number, colour in cells:
        same = {other for other, painted in cells if painted == colour}
        assert all(int(float(other) / 2) == int(float(number) / 2) for other in same)
        assert {painted for other, painted in cells if other == number} == {colour}


def test_charts_of_a_fact_name_their_axes(page: Any) -> None:
    page.locator("button.open").first.click()
    for strip in page.locator("tr.detail svg").all():
        words = strip.locator("text").all_text_contents()
        assert "log-probability" in words and "α, position of the date" in words
