"""The releases and their facts, made once for all tests of watches; and a count of what models are asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from asof.facts import FactStore, write_base
from asof.models.transformers_masked import TransformersMasked
from asof.sources import open_source
from tests.conftest import KNOWN_BY
from tests.watches.releases import rows, trained

ENDS = {"1.0": 3, "2.0": 7, "3.0": 10}
DAYS = {"1.0": "2019-03-01", "2.0": "2020-02-01", "3.0": "2020-11-01"}
Releases = list[tuple[str, str, Path]]


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Releases:
    """Three releases: label, day, folder."""
    folder = tmp_path_factory.mktemp("releases")
    return [(name, DAYS[name], trained(folder / name, end)) for name, end in ENDS.items()]


@pytest.fixture(scope="session")
def offices(tmp_path_factory: pytest.TempPathFactory) -> FactStore:
    """A base with the facts that the releases know up to different quarters."""
    return base_with(rows(), tmp_path_factory.mktemp("offices"))


def base_with(facts: Sequence[tuple[str, ...]], folder: Path) -> FactStore:
    """Write a base; again in the same folder, it is a new version of it."""
    table = folder / "facts.tsv"
    lines = ["\t".join(row) for row in [("subject", "relation", "object", "start", "end"), *facts]]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_base(folder / "base", [open_source(str(table))], known_by=KNOWN_BY)
    return FactStore(folder / "base")


class AskedModels:
    """What the masked models were asked, counted where they answer.

    Attributes:
        stop_after: Stop as Ctrl-C does when so many calls were answered.
    """

    def __init__(self) -> None:
        self.blanks: Counter[tuple[str, str]] = Counter()
        self.calls = 0
        self.stop_after: int | None = None


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> AskedModels:
    """Count what is put to the real masked models."""
    counts = AskedModels()
    really = TransformersMasked.guess_token

    def counted(self: TransformersMasked, filled: Sequence[Any], **more: Any) -> Any:
        if counts.stop_after is not None and counts.calls >= counts.stop_after:
            raise KeyboardInterrupt
        counts.calls += 1
        counts.blanks.update((self.name, f"{one.blank.before}{one.answer}{one.blank.after}") for one in filled)
        return really(self, filled, **more)

    monkeypatch.setattr(TransformersMasked, "guess_token", counted)
    return counts
