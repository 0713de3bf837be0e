"""The page of runs on facts by period: every view, from runs whose answers are known."""

import re
from pathlib import Path

import pytest

from asof.benchmarks import Benchmark, build
from asof.facts import FactStore
from asof.reports import write_report
from asof.wording import Wording
from tests.runs.test_cutoff import Offices, candidates_run, knows_up_to, written


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory, tiny: FactStore) -> Benchmark:
    return build(tmp_path_factory.mktemp("offices") / "offices", Offices(changing=60, lasting=10), tiny, Wording())


def test_the_page_has_every_view(offices: Benchmark, tmp_path: Path) -> None:
    texts = written(tmp_path / "texts", offices, knows_up_to(offices, "2017-Q2"))
    scored = candidates_run(tmp_path / "scored", offices, "2017-Q4", heard=6, fame=1)
    page = write_report([texts, scored], tmp_path / "page").read_text(encoding="utf-8")
    ids = re.findall(r'<section id="([a-z-]+)"', page)
    assert ids == ["by-period", "cutoff", "periods", "window", "likelihood", "examples"]
    assert "2017-Q2 (" in page and "outdated, true until 2017-Q" in page
    assert "are not the same" in page  # the two were asked in different ways
    assert "Margatina et al. 2023" in page and "nan" not in re.sub(r"<title>.*?</title>", "", page)
    assert page.count('class="shade"') == 2  # the interval of each


def test_texts_alone_have_no_likelihoods(offices: Benchmark, tmp_path: Path) -> None:
    texts = written(tmp_path / "texts", offices, knows_up_to(offices, "2017-Q2"))
    page = write_report([texts], tmp_path / "page").read_text(encoding="utf-8")
    assert '<section id="likelihood"' not in page and '<section id="cutoff"' in page
