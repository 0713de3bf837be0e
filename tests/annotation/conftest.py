"""A small benchmark with texts, built by the real builder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from asof.benchmarks import Benchmark, build
from asof.benchmarks.timeqa import TimeQa
from asof.facts import FactStore
from asof.wording import Wording
from tests.benchmarks.clubs_and_capitals import FACTS

EVIL = "</script><img src=x onerror=\"document.title='broken'\"> 🏀 "
TEXTS = {
    "LeBron James": "He went to the Cleveland Cavaliers in 2003.\n"
    f"{EVIL}In 2010 he joined the Miami Heat, as people know.\nIn 2018 he went to the Lakers.",
    "Italy": "== Capitals ==\nTurin came first (1861), then Florence.\nRome has been the capital since 1871.",
}


@pytest.fixture
def bench(base_of: Callable[..., FactStore], tmp_path: Path) -> Benchmark:
    pages = tmp_path / "pages"
    pages.mkdir()
    for title, text in TEXTS.items():
        (pages / f"{title}.txt").write_text(text, encoding="utf-8")
    kind = TimeQa(pages=str(pages), levels="easy", unanswerable=0.0)
    return build(tmp_path / "bench", kind, base_of(FACTS), Wording())
