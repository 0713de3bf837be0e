"""The site of the docs builds without a warning, loads nothing from elsewhere, and has every verb and every figure."""

import os
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import click
import pytest

from asof.cli import asof
from asof.reproductions import read_entries
from tests.browser import Visit, chromium, complaints, needs_chromium

ROOT = Path(__file__).parents[1]
LOADS = {
    "script": "src",
    "img": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "object": "data",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built by the very command of ``make docs``: with other options, warnings may not count."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    words = shlex.split(re.search(r"^docs:.*\n\t(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1])  # type: ignore[index]
    settings = dict(word.split("=", 1) for word in words[: words.index("$(BIN)/mkdocs")])
    options = words[words.index("$(BIN)/mkdocs") + 1 :]
    assert "--strict" in options
    ran = subprocess.run(
        [sys.executable, "-m", "mkdocs", *options, "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | settings,
        capture_output=True,
        text=True,
    )
    said = ran.stdout + ran.stderr
    assert ran.returncode == 0, said
    assert [line for line in said.splitlines() if line.startswith(("WARNING", "ERROR"))] == [], said
    return folder


class Page(HTMLParser):
    """What a page loads, and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self._words: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))
        self.text = " ".join(" ".join(self._words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in LOADS and values.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(values.get(LOADS[tag]) or "")

    def handle_data(self, data: str) -> None:
        self._words.append(data)


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 20
    for path in pages:
        outside = [place for place in Page(path).loads if re.match(r"(https?:)?//", place)]
        assert not outside, f"{path.name} loads {outside}"
    for path in site.rglob("*.css"):
        outside = re.findall(r"(?:@import|url\()\s*[\"']?((?:https?:)?//[^\"')\s]+)", path.read_text(encoding="utf-8"))
        assert not outside, f"{path.name} loads {outside}"


def commands(command: click.Command, context: click.Context) -> list[tuple[str, click.Command]]:
    found = [(context.command_path, command)]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner
            found += commands(inner, click.Context(inner, info_name=name, parent=context))
    return found


def test_every_verb_and_option_is_in_the_reference(site: Path) -> None:
    html = (site / "commands.html").read_text(encoding="utf-8")
    parts = re.split(r'<h[23] id="', html)
    sections = {part.partition('"')[0]: part for part in parts[1:]}
    known = commands(asof, click.Context(asof, info_name="asof"))[1:]
    for file in (ROOT / "src" / "asof" / "cli").glob("*_*.py"):  # train_memorize.py is asof train memorize
        form = getattr(import_module(f"asof.cli.{file.stem}"), "command", None)
        known += [(f"asof {file.stem.replace('_', ' ')}", form)] if isinstance(form, click.Command) else []
    for path, command in known:
        section = sections[path.replace(" ", "-")]
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                for name in [*option.opts, *option.secondary_opts]:
                    assert f"<code>{name}</code>" in section, f"{path} {name}"


def test_every_figure_is_in_the_grid(site: Path) -> None:
    text = Page(site / "reproductions.html").text
    for entry in read_entries(ROOT / "reproductions"):
        for row in entry.rows:
            assert row.name in text
            assert " ".join(row.not_run.split()).replace("`", "") in text
            assert all(command in text for command in row.commands)
            for figure in row.figures:
                assert figure.name in text and (figure.ours is None or f"{figure.ours:,.4f}".rstrip("0")[:5] in text)


def test_every_page_of_the_docs_is_in_the_navigation(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        address = page.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        assert f'href="{address}"' in home, f"mkdocs.yml has no {address} in its nav"


def test_examples_of_docstrings_are_code(site: Path) -> None:
    html = (site / "python.html").read_text(encoding="utf-8")
    assert "asof.facts.FactStore" in html and "<blockquote>" not in html
    assert "18671" in Page(site / "tour.html").text and html.count("&gt;&gt;&gt;") > 10


# Words of tables that stand on two lines although no space is in them.
BROKEN = """() => [...document.querySelectorAll(".md-typeset table code, .md-typeset table a")].filter(one =>
  !/[\\s/.,-]/.test(one.textContent) && one.getClientRects().length > 1).map(one => one.textContent)"""


@needs_chromium
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False)])
def test_pages_can_be_read_on_any_screen(site: Path, width: int, dark: bool) -> None:
    with chromium() as browser:
        for name in ("index", "tour", "commands", "python", "reproductions", "benchmarks", "architecture", "changelog"):
            visit = Visit(browser, (site / f"{name}.html").as_uri(), width=width, dark=dark)
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert complaints(visit.page) == [], name
            assert visit.page.evaluate(BROKEN) == [], name
            visit.page.context.close()
