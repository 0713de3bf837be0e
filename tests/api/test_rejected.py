"""What a person has rejected is not proposed again, from Python either."""

from pathlib import Path

import pytest

import asof
from asof.api.base import open_base
from asof.facts.rewrite import note_decisions


def test_what_the_base_remembers_as_rejected_is_not_proposed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "cache"))
    rows = [
        {"subject": f"Ship {n}", "relation": "captain", "object": f"Captain {n}-{term}", "start": str(year), "end": end}
        for n in range(8)
        for term, year in enumerate(range(1950, 1970, 4))
        for end in ["" if (n, term) in {(1, 2), (3, 1)} else str(year + 4)]
    ]
    base = open_base(rows)
    model = asof.train("timeplex-base", base, rank=4, epochs=1, to=tmp_path / "model")
    before = model.complete(least=0.0)
    assert len(before) == 2
    first = before.to_pylist()[0]
    keys = ("subject_id", "relation_id", "object_id", "start", "end", "proposed")
    note_decisions(base.store.folder, rejected=["|".join(first[key] for key in keys)], accepted=[])
    after = model.complete(least=0.0).to_pylist()
    assert [one["subject"] for one in after] == [before.to_pylist()[1]["subject"]]
