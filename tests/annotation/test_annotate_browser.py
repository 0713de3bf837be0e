"""The page of ``asof annotate`` in a real browser: mouse and keyboard, hostile text, and what is on the disk then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from asof.annotation.server import AnnotationServer, Session
from asof.annotation.work import open_work, read_spans, read_work, words_at
from asof.benchmarks import Benchmark, documents
from tests.annotation.conftest import EVIL
from tests.browser import Visit, chromium, complaints, needs_chromium

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def address(bench: Benchmark) -> Iterator[str]:
    with open_work(bench, "anna") as work:
        server = AnnotationServer(Session("anna", list(bench.items()), documents(bench), work), 0)
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.address
        server.shutdown()
        server.server_close()


class ItemVisit(Visit):
    """The page of an annotator, open at an item."""

    def __init__(self, browser: Any, address: str, *, width: int = 1280, dark: bool = False) -> None:
        super().__init__(browser, address, width=width, dark=dark, timeout=10_000)
        self.page.locator("#state").filter(has_text="Item").wait_for()

    def select(self, words: str) -> None:
        """Select words of the passage, as a mouse would."""
        found = self.page.evaluate(
            """words => {
              for (const paragraph of document.querySelectorAll('#text p')) {
                const at = paragraph.textContent.indexOf(words);
                if (at < 0) continue;
                const range = document.createRange();
                const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
                let seen = 0, node, begun = false;
                while ((node = walker.nextNode())) {
                  const end = seen + node.length;
                  if (!begun && at < end) { range.setStart(node, at - seen); begun = true; }
                  if (begun && at + words.length <= end) { range.setEnd(node, at + words.length - seen); break; }
                  seen = end;
                }
                getSelection().removeAllRanges();
                getSelection().addRange(range);
                return true;
              }
              return false;
            }""",
            words,
        )
        assert found, words

    def answers(self) -> list[str]:
        return self.page.locator("#answers .jump").all_inner_texts()

    def at(self, number: int) -> None:
        self.page.locator("#state").filter(has_text=f"Item {number} of").wait_for()


def test_a_person_corrects_adds_and_sets_unanswerable(
    browser: Any, bench: Benchmark, address: str, tmp_path: Path
) -> None:
    items = list(bench.items())
    visit = ItemVisit(browser, address)
    page = visit.page
    assert page.locator("#question").inner_text() == items[0].prompt
    assert page.locator("#question .time").inner_text() == items[0].tags["time"]
    text = documents(bench)["Italy"]
    proposed = [words_at(text, span) for span in read_spans(str(items[0].tags["spans"]))]
    assert visit.answers() == proposed
    assert page.locator("mark.proposed").first.inner_text() == proposed[0]
    assert "1861" in page.locator("mark.date").all_inner_texts()
    assert page.locator("h4").inner_text() == "Capitals"

    page.locator("#confirm").click()  # as proposed
    visit.at(2)
    page.get_by_role("button", name="Unanswerable").click()
    assert page.locator("#none").is_visible() and visit.answers() == []
    page.locator("#confirm").click()
    visit.at(3)

    page.get_by_role("button", name="Remove Rome").click()
    visit.select("since 1871")
    page.get_by_role("button", name="Add selection").click()
    visit.select("Turin")
    page.keyboard.press("a")
    assert visit.answers() == ["Turin", "since 1871"]
    page.locator("#note").fill("not sure")
    page.locator("#confirm").click()
    visit.at(4)
    assert page.locator("#progress").inner_text() == f"anna: 3 of {len(items)} done"

    found = read_work(bench, "anna")
    assert found[items[0].id].spans == read_spans(str(items[0].tags["spans"]))
    assert found[items[1].id].spans == ()
    assert [words_at(text, span) for span in found[items[2].id].spans] == ["Turin", "since 1871"]
    assert found[items[2].id].note == "not sure"

    page.get_by_role("button", name="Back").click()
    visit.at(3)
    assert visit.answers() == ["Turin", "since 1871"]  # what was decided, not what was proposed
    page.screenshot(path=tmp_path / "page.png", full_page=True)
    assert visit.problems == []
    assert all(url.startswith(address) for url in visit.requests)


def test_hostile_text_is_shown_as_text_and_letters_are_counted_as_python_does(
    browser: Any, bench: Benchmark, address: str
) -> None:
    items = list(bench.items())
    place = next(at for at, item in enumerate(items) if item.answers == ("Miami Heat",))
    visit = ItemVisit(browser, f"{address}#{place + 1}")
    visit.at(place + 1)
    assert EVIL.strip() in visit.page.locator("#text").inner_text()
    assert visit.page.locator("#text img").count() == 0 and visit.page.title() == "asof annotate"
    assert visit.answers() == ["Miami Heat"]  # behind a character of two halves
    visit.select("as people know")
    visit.page.keyboard.press("a")
    visit.page.keyboard.press("Enter")
    visit.at(place + 2)
    spans = read_work(bench, "anna")[items[place].id].spans
    assert [words_at(documents(bench)["LeBron James"], span) for span in spans] == ["Miami Heat", "as people know"]
    assert visit.problems == []


def test_everything_can_be_done_with_the_keyboard(browser: Any, bench: Benchmark, address: str) -> None:
    items = list(bench.items())
    visit = ItemVisit(browser, address)
    keys = visit.page.keyboard
    keys.press("u")
    keys.press("f")
    keys.type("florence")
    keys.press("Enter")
    assert visit.page.locator("mark.found").inner_text() == "Florence"
    keys.press("Escape")
    keys.press("a")
    assert visit.answers() == ["Florence"]
    visit.page.locator("#answers .jump").focus()
    keys.press("[")
    assert visit.answers() == ["then Florence"]
    keys.press("]")
    keys.press("}")
    assert visit.answers()[0].startswith("Florence")
    keys.press("Delete")
    assert visit.answers() == []
    keys.press("p")
    assert visit.answers() == [str(items[0].answers[0])]
    keys.press("ArrowRight")
    visit.at(2)
    keys.press("u")
    keys.press("n")
    visit.at(3)
    keys.press("ArrowLeft")
    visit.at(2)
    assert visit.answers() == [] and "not confirmed" in visit.page.locator("#state").inner_text()  # it is still there
    assert read_work(bench, "anna") == {}  # nothing was confirmed
    assert visit.problems == []


def test_a_server_that_is_gone_is_told(browser: Any, bench: Benchmark) -> None:
    with open_work(bench, "bo") as work:
        server = AnnotationServer(Session("bo", list(bench.items()), documents(bench), work), 0)
        Thread(target=server.serve_forever, daemon=True).start()
        visit = ItemVisit(browser, server.address)
        server.shutdown()
        server.server_close()
        visit.page.route("**/decide", lambda route: route.abort())
        visit.page.locator("#confirm").click()
        visit.page.get_by_text("Not saved. asof annotate does not respond").wait_for()


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (380, False), (1280, True)])
def test_it_fits_wide_narrow_and_dark(browser: Any, address: str, width: int, dark: bool) -> None:
    visit = ItemVisit(browser, address, width=width, dark=dark)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert complaints(visit.page) == []
    assert visit.problems == []
