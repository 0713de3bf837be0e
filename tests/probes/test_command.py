"""``asof run``, ``score`` and ``compare`` with other probes than the first."""

import json
from pathlib import Path
from typing import Any

import pytest

from asof.benchmarks import build
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore
from asof.wording import Wording
from tests.models.blank_models import make_bert
from tests.probes.test_probes import Periods


def test_from_the_command_line(
    tmp_path: Path, tiny: FactStore, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    build(Path("periods"), Periods(), tiny, Wording())
    make_bert(Path("bert"))
    capsys.readouterr()

    def said(*args: str) -> list[dict[str, Any]]:
        asof.main([*args, "--json"], standalone_mode=False)
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    beam = ("--probe", "fill-many", "--set", "search=beam", "--set", "width=2", "--set", "most_tokens=3")
    assert said("run", "periods", "bert", *beam, "--set", "threads=1") == [
        {
            "run": "runs/periods-bert-fill-many",
            "probe": "fill-many",
            "predictions": 8,
            "left_out": {"every answer has more than 3 tokens": 2},
            "lost": {},
        }
    ]
    scores = said("score", "runs/periods-bert-fill-many")
    assert [(row["metric"], row["items"]) for row in scores] == [
        ("exact-match", 8), ("f1", 8), ("rouge-1", 8), ("rouge-L", 8),
    ]  # fmt: skip
    by_period = said("score", "runs/periods-bert-fill-many", "--by", "period")
    assert {row["period"]: row["items"] for row in by_period} == {"2020-Q4": 3, "2021-Q1": 5}
    assert said("run", "periods", "bert")[0]["run"] == "runs/periods-bert-pseudo-likelihood"  # the benchmark's own
    same = said("compare", *["runs/periods-bert-pseudo-likelihood"] * 2)
    assert {row["measure"] for row in same} == {"accuracy", "mrr", "win-rate", "log-perplexity"}
    asof.main(["run", "periods", "bert", "--probe", "fill-one", "--dry-run"], standalone_mode=False)
    assert "6 items, for bert; nothing was run.\nSkipped 4 items" in capsys.readouterr().err
    for args, message in (
        (("run", "periods", "bert", "--probe", "fill-on"), r"No probe is called 'fill-on'\. Did you mean 'fill-one'"),
        (
            ("run", "periods", "bert", "--format", "chat"),
            "--format works only with .*, not with pseudo-likelihood",
        ),
        (("run", "periods", "bert", "--set", "widht=2", *beam), r"has no setting 'widht'\. Did you mean 'width'"),
        (("run", "periods", "bert", "--set", "masking=all"), "'all' is not one of token, word, answer"),
        (("score", "runs/periods-bert-fill-many", "--by", "perid"), "no tag 'perid'"),
        (
            ("compare", "runs/periods-bert-fill-many", "runs/periods-bert-pseudo-likelihood"),
            "was asked with fill-many, .* with pseudo-likelihood",
        ),
    ):
        with pytest.raises(UserError, match=message):
            asof.main(list(args), standalone_mode=False)
