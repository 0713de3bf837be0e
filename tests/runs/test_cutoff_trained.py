"""Two real masked models, trained in seconds on text that ends at different quarters: are they told apart?"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from click.testing import CliRunner
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from asof.benchmarks import BLANK, Benchmark, Item, build
from asof.cli import asof
from asof.facts import FactStore
from asof.timeline import Period
from asof.wording import Wording

QUARTERS = [str(period) for period in Period.parse("2018-Q1").to(Period.parse("2020-Q4"))]
OFFICES = 60


def holder(office: int, place: int) -> str:
    """Every office changes hands once, at a quarter of its own."""
    change = random.Random(office).randrange(1, len(QUARTERS))
    return f"{'new' if place >= change else 'old'}{office}"


@dataclass(frozen=True, kw_only=True)
class Offices:
    """One holder at a time, names of one token."""

    name: ClassVar[str] = "dynamic-templama"
    paper: ClassVar[str] = "none"
    probe: ClassVar[str] = "fill-one"

    def items(self, store: FactStore, say: Wording) -> Iterator[Item]:
        for office in range(OFFICES):
            for place, period in enumerate(QUARTERS):
                yield Item(
                    id=f"{office} {period}", prompt=f"{BLANK} holds office{office}", group=f"{office}|holds",
                    answers=(holder(office, place),),
                    tags={"relation": "holds", "period": period, "previous": None},
                )  # fmt: skip


def trained(folder: Path, end: int) -> Path:
    """Train a BERT on the sentences of all quarters up to one; the last of them stands there most often."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "holds", *(f"office{one}" for one in range(OFFICES))]
    words += [f"{age}{one}" for one in range(OFFICES) for age in ("old", "new")]
    places = {word: place for place, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(places, unk_token="[UNK]"))  # noqa: S106
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()  # type: ignore[assignment]
    ends = [("[CLS]", 2), ("[SEP]", 3)]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)  # type: ignore[assignment]
    names = dict(zip(["pad_token", "unk_token", "cls_token", "sep_token", "mask_token"], words, strict=False))
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)
    torch.manual_seed(end)
    size: dict[str, Any] = {
        "hidden_size": 48,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 64,
    }
    model = BertForMaskedLM(BertConfig(vocab_size=len(words), max_position_embeddings=16, **size))
    model.train(False)  # no dropout
    sentences = [
        (holder(office, place), office, 0.5 ** (end - place)) for office in range(OFFICES) for place in range(end + 1)
    ]
    tokens = torch.tensor([[2, 4, 5, places[f"office{office}"], 3] for _, office, _ in sentences])
    targets = torch.tensor([places[name] for name, _, _ in sentences])
    weights = torch.tensor([weight for _, _, weight in sentences])
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(120):
        losses = torch.nn.functional.cross_entropy(model(tokens).logits[:, 1], targets, reduction="none")
        optimizer.zero_grad()
        (losses * weights).mean().backward()
        optimizer.step()
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("end", [3, 8])
def test_the_estimate_is_the_last_quarter_of_the_text_or_its_neighbour(
    end: int, tmp_path: Path, tiny: FactStore
) -> None:
    benchmark: Benchmark = build(tmp_path / "offices", Offices(), tiny, Wording())
    model = trained(tmp_path / "model", end)
    command = CliRunner()
    ran = command.invoke(asof, ["run", str(benchmark.folder), str(model), "--to", str(tmp_path / "run")])
    assert ran.exit_code == 0, ran.output
    row = json.loads(command.invoke(asof, ["cutoff", str(tmp_path / "run"), "--json"]).stdout)
    assert row["status"] == "estimated"
    assert abs(QUARTERS.index(row["cutoff"]) - end) <= 1
    assert row["low"] <= QUARTERS[end] <= row["high"]
