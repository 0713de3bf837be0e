"""A base completed from Python."""

from pathlib import Path

import pytest

import asof


@pytest.fixture(scope="module")
def model() -> asof.CompletionModel:
    return asof.train("timeplex-base", "almanac", rank=4, epochs=1, seed=1)


def test_a_trained_model_predicts_ranks_and_tells_when(model: asof.CompletionModel) -> None:
    found = model.predict(subject="Italy", relation="head of government", on="2012", top=3)
    assert len(found) == 3 and found.shown == ("object", "probability", "known") and set(found["subject"]) == {"Italy"}
    turned = model.predict(object="Mario Monti", relation="head of government")
    assert len(turned) == 10 and turned.shown[0] == "subject"
    when = model.predict(subject="Italy", relation="head of government", object="Mario Monti")
    assert when.shown == ("start", "end", "probability") and when.columns == found.columns == turned.columns
    assert "2011 to 2013" in when.notes[0]
    ranked = model.rank(filters=["instants"])
    assert ranked["filter"] == ["instants"] and 0 < ranked["mrr"][0] < 1
    assert "aeiou@1" in model.intervals()["measure"]
    proposed = model.complete(least=0.2, limit=5)
    assert proposed.columns[:7] == ["subject", "relation", "object", "start", "end", "proposed", "probability"]
    assert len(proposed) <= 5 and all(value >= 0.2 for value in proposed["probability"])
    assert "of almanac: MRR" in repr(model)
    with pytest.raises(asof.UserError, match="Give a subject, an object, or both"):
        model.predict(relation="head of government")


def test_the_same_call_finds_the_same_model(model: asof.CompletionModel, tmp_path: Path) -> None:
    again = asof.train("timeplex-base", asof.open("almanac"), rank=4, epochs=1, seed=1)
    assert again.folder == model.folder
    assert (
        asof.open_completion(model.folder).rank(filters=["none"]).to_pylist()
        == model.rank(filters=["none"]).to_pylist()
    )
    page = asof.report(model, to=tmp_path / "page", split="valid")
    assert "timeplex-base" in page.path.read_text(encoding="utf-8")
