"""Three releases of a real masked model, trained in seconds on text up to different quarters, and their facts."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import tomli_w
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from asof.facts import FactStore
from asof.timeline import Period

QUARTERS = tuple(Period.parse("2018-Q1").to(Period.parse("2020-Q4")))
OFFICES = 42  # with 12 quarters these are 504 items, which fill-one puts at once: each sentence is asked once
TEMPLATES = {
    "holds": {
        "present": "{object} holds {subject}",
        "past": "{object} held {subject}",
        "starts": "{object} got {subject}",
    }
}


def change_of(office: int) -> int:
    """Every office changes hands once, at a quarter of its own."""
    return random.Random(office).randrange(1, len(QUARTERS))


def holder(office: int, place: int) -> str:
    return f"{'new' if place >= change_of(office) else 'old'}{office}"


def rows(offices: int = OFFICES) -> list[tuple[str, ...]]:
    found = []
    for office in range(offices):
        year, quarter = str(QUARTERS[change_of(office)]).split("-Q")
        month = 3 * int(quarter) - 2
        last = f"{int(year) - 1}-12" if month == 1 else f"{year}-{month - 1:02}"
        found += [
            (f"office{office}", "holds", f"old{office}", "2010-01", last),
            (f"office{office}", "holds", f"new{office}", f"{year}-{month:02}", "2024-01"),
        ]
    return found


def trained(folder: Path, end: int) -> Path:
    """Train a BERT on the sentences of all quarters up to one; the last of them stands there most often."""
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "holds",
        ".",
        *(f"office{one}" for one in range(2 * OFFICES)),
    ]
    words += [f"{age}{one}" for one in range(2 * OFFICES) for age in ("old", "new")]
    places = {word: place for place, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(places, unk_token="[UNK]"))  # noqa: S106
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()  # type: ignore[assignment]
    ends = [("[CLS]", 2), ("[SEP]", 3)]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)  # type: ignore[assignment]
    names = dict(zip(["pad_token", "unk_token", "cls_token", "sep_token", "mask_token"], words, strict=False))
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)
    torch.manual_seed(end)
    size: dict[str, Any] = {
        "hidden_size": 48, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64,
    }  # fmt: skip
    model = BertForMaskedLM(BertConfig(vocab_size=len(words), max_position_embeddings=16, **size))
    model.train(False)  # no dropout
    said = [(office, place, 0.4 ** (end - place)) for office in range(OFFICES) for place in range(end + 1)]
    tokens = torch.tensor([[2, 4, 5, places[f"office{office}"], 6, 3] for office, _, _ in said])
    targets = torch.tensor([places[holder(office, place)] for office, place, _ in said])
    weights = torch.tensor([weight for _, _, weight in said])
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(100):
        losses = torch.nn.functional.cross_entropy(model(tokens).logits[:, 1], targets, reduction="none")
        optimizer.zero_grad()
        (losses * weights).mean().backward()
        optimizer.step()
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


MakeBase = Callable[..., FactStore]


def write_watch(folder: Path, base: Path, releases: Sequence[tuple[str, str, Path]], **more: Any) -> Path:
    """Write a watch.toml with one benchmark for some releases: label, day, folder."""
    folder.mkdir(parents=True, exist_ok=True)
    templates = folder / "templates.toml"
    templates.write_text(tomli_w.dumps(TEMPLATES), encoding="utf-8")
    benchmark = {
        "name": "offices", "build": "dynamic-templama", "base": str(base), "probes": ["fill-one"],
        "settings": {"first": "2018-Q1", "last": "2020-Q4", "templates": "templates.toml"},
    }  # fmt: skip
    given = {
        "title": "Offices",
        "model": [
            {"name": "bert", "release": name, "released": day, "location": str(place)} for name, day, place in releases
        ],
        "benchmark": [benchmark | more.pop("benchmark", {})],
    }  # fmt: skip
    given["model"] += more.pop("models", [])
    given["benchmark"] += more.pop("benchmarks", [])
    text = tomli_w.dumps(given | more)
    for _, day, _ in releases:
        text = text.replace(f'released = "{day}"', f"released = {day}")
    path = folder / "watch.toml"
    path.write_text(text, encoding="utf-8")
    return path
