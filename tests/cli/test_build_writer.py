"""``asof build --writer``: a model writes, the checks refuse, the person is told; and settings that are no settings."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from asof.benchmarks import read_benchmark
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore
from asof.weights.package_index import fetched_folder
from tests.models.tiny_model import make_tiny_model

Make = Callable[..., FactStore]

FACTS = [
    ("United Nations", "P3975", "Kofi Annan", "1997-01-01", "2006-12-31"),
    ("Mahatma Gandhi", "P551", "South Africa", "1893", "1914"),
]


def build(store: FactStore, folder: Path, *options: str) -> Result:
    argv = ["build", "timestress", "--base", str(store.folder), "--to", str(folder), *options]
    return CliRunner().invoke(asof, argv, catch_exceptions=False)


def test_a_model_writes_and_the_count_is_told(base_of: Make, tmp_path: Path) -> None:
    if fetched_folder("gemma3-270m") is None:
        pytest.skip("the weights are not here: asof models get gemma3-270m")
    ran = build(base_of(FACTS), tmp_path / "made", "--writer", "gemma3-270m")
    rejects = tmp_path / "made" / "questions.rejects.tsv"
    assert f"1 of 2 facts have a question; 1 was rejected, see {rejects}." in ran.stderr.replace("\n", "")
    prompts = {item.prompt.split(", ", 1)[1] for item in read_benchmark(tmp_path / "made").items()}
    assert "who was the general secretary of the United Nations?" in prompts
    assert "Mahatma Gandhi P551 South Africa 1893..1914\t" in rejects.read_text()
    record = tomllib.loads((tmp_path / "made" / "benchmark.toml").read_text())
    assert record["writer"]["architecture"] == "gemma3_text"
    assert record["questions"]["with_question"] == 1


def test_a_model_that_writes_nonsense_is_told_and_our_wording_is_used_only_when_asked(
    base_of: Make, tmp_path: Path
) -> None:
    model = str(make_tiny_model(tmp_path / "tiny", positions=2048))
    store = base_of(FACTS)
    with pytest.raises(
        UserError, match=r"None of 2 facts has a question: all that .*tiny wrote was rejected, see .*tsv"
    ):
        build(store, tmp_path / "none", "--writer", model)
    assert not (tmp_path / "none" / "items.parquet").exists()
    ran = build(store, tmp_path / "own", "--writer", model, "--set", "own_wording=true", "--json")
    told = json.loads(ran.stdout)
    assert (told["facts"], told["questions"]["facts"], told["questions"]["with_question"]) == (2, 2, 0)


def test_what_cannot_be_is_told(base_of: Make, tmp_path: Path) -> None:
    store, model = base_of(FACTS), str(make_tiny_model(tmp_path / "tiny"))
    for options, message in [
        (["--writer", model, "--language", "fr"], "English questions only"),
        (["--writer", model, "--set", "questions=x.tsv"], "either from --writer or from --set questions"),
        (["--set", "protocol=progam"], r"'progam' is not one of paper, program\. Did you mean 'program'"),
        (["--set", "own_wording=perhaps"], "write true or false"),
        (["--set", "longer_than=long"], "'long' is not a number"),
        (["--set", "last_year=2020.5"], "'2020.5' is not a whole number"),
    ]:
        with pytest.raises(UserError, match=message):
            build(store, tmp_path / "made", *options)
