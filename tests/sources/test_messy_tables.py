"""Tables as people keep them: each file of tests/data/messy gives what stands beside it in expected.toml."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from asof.api.own_facts import rejected_rows
from asof.errors import UserError
from asof.facts import FactStore, write_base
from asof.sources import open_source

FOLDER = Path(__file__).parent.parent / "data" / "messy"
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))


def test_every_file_is_expected() -> None:
    assert {path.name for path in FOLDER.iterdir()} - {"expected.toml"} == set(EXPECTED)
    assert len(EXPECTED) >= 40


@pytest.mark.parametrize("name", EXPECTED)
def test_a_messy_table_gives_its_facts(name: str, tmp_path: Path) -> None:
    expected = EXPECTED[name]
    folder = tmp_path / "base"

    def mined() -> tuple[FactStore, list[str]]:
        source = open_source(str(FOLDER / name), **expected.get("options", {}))
        write_base(folder, [source], max_rejects=1.0, all_or_none=True)
        return FactStore(folder), source.notes()  # type: ignore[attr-defined]

    if "error" in expected:
        with pytest.raises(UserError, match=expected["error"]):
            mined()
        assert not folder.exists()
        return
    store, notes = mined()
    found = [
        f"{fact.subject_label} | {fact.relation_label} | {fact.object_label} | {fact.start} | {fact.end}"
        for fact in store.facts()
    ]
    assert sorted(found) == sorted(expected["facts"])
    refused = {str(row["line"]): row["reason"] for row in rejected_rows(store)}
    assert set(refused) == set(expected.get("refused", {}))
    for line, reason in expected.get("refused", {}).items():
        assert reason in refused[line]
    for words in expected.get("told", []):
        assert re.search(re.escape(words), "\n".join(notes))
