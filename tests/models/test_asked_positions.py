"""Cut to one place, a model gives what it gives as a whole; an architecture that cannot be cut runs as a whole."""

from typing import Any

import pytest
import torch
import transformers

from asof.models import _asked_positions
from asof.models._asked_positions import AskedPositions

SMALL: dict[str, Any] = {"vocab_size": 50, "max_position_embeddings": 30, "initializer_range": 0.4, "pad_token_id": 1}
LAYERS: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
}
MODELS = {
    "Bert": LAYERS,
    "Roberta": LAYERS,
    "Electra": LAYERS | {"embedding_size": 16},
    "DebertaV2": LAYERS | {"relative_attention": True, "position_buckets": 8},
    "DistilBert": {"dim": 32, "n_layers": 3, "n_heads": 4, "hidden_dim": 48},
}


def model_of(name: str, **settings: Any) -> Any:
    """Make a small model with random weights."""
    torch.manual_seed(4)
    config = getattr(transformers, f"{name}Config")(**SMALL | MODELS[name] | settings)
    return getattr(transformers, f"{name}ForMaskedLM")(config).eval()


def copies(*, length: int = 9) -> tuple[Any, Any]:
    """Return a sentence with each of its tokens hidden once, and the places that are hidden."""
    sentence = torch.randint(5, 50, (length,), generator=torch.Generator().manual_seed(5))
    texts = sentence.repeat(length, 1)
    places = torch.arange(length)
    texts[places, places] = 4
    return texts, places


@torch.inference_mode()
def whole(model: Any, tokens: Any, places: Any) -> Any:
    """Ask the model as it is, one text at a time."""
    return torch.stack(
        [model(input_ids=text[None]).logits[0, place] for text, place in zip(tokens, places, strict=True)]
    )


@pytest.mark.parametrize("name", MODELS)
def test_one_place_has_the_logits_of_the_whole_model(name: str) -> None:
    model, (tokens, places) = model_of(name), copies()
    expected = whole(model, tokens, places)
    asked = AskedPositions(model, padding=1)
    with torch.inference_mode():
        asked.settle(tokens[:3], places[:3])
        found = asked.logits(tokens, places)
        assert asked._cut
        assert torch.allclose(found, expected, atol=1e-4)
        assert torch.allclose(whole(model, tokens, places), expected, atol=1e-6)  # others may use the model as ever


@pytest.mark.parametrize(
    ("name", "settings", "way"),
    [("Bert", {}, "_like_bert"), ("DebertaV2", {}, "_last_attention"), ("DistilBert", {}, "_base")],
)
def test_an_architecture_is_cut_as_early_as_it_can_be(
    name: str, settings: dict[str, Any], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []
    for other in ("_like_bert", "_last_attention", "_base"):
        real: Any = getattr(_asked_positions, other)

        def way_of(model: Any, name: str = other, real: Any = real) -> Any:
            tried.append(name)
            return real(model)

        monkeypatch.setattr(_asked_positions, other, way_of)
    tokens, places = copies()
    asked = AskedPositions(model_of(name, **settings))
    asked.settle(tokens, places)
    assert asked._cut and tried[-1] == way


def test_few_places_are_read_in_the_first_and_the_last_layer() -> None:
    model, (tokens, places) = model_of("Bert"), copies()
    rows: dict[str, int] = {}
    for name in ("0.attention.self.key", "1.attention.self.key", "2.attention.self.query", "2.intermediate.dense"):
        model.bert.encoder.layer.get_submodule(name).register_forward_hook(
            lambda module, given, output, name=name: rows.update({name: output.numel() // output.shape[-1]})
        )
    counted: list[int] = []
    key = model.bert.encoder.layer[0].attention.self.key
    linear = key.forward
    key.forward = lambda states: (counted.append(states.numel() // states.shape[-1]), linear(states))[1]
    asked = AskedPositions(model)
    asked.settle(tokens, places)
    with torch.inference_mode():
        asked.logits(tokens, places)
    assert counted[-1] == 9 + 9  # each token and each mask at its position, instead of 81
    assert rows == {
        "0.attention.self.key": 81, "1.attention.self.key": 81, "2.attention.self.query": 9, "2.intermediate.dense": 9,
    }  # fmt: skip


def test_a_head_that_looks_at_all_places_is_left_whole() -> None:
    model, (tokens, places) = model_of("Bert"), copies()
    head = model.cls.forward
    model.cls.forward = lambda states: head(states - states.mean(1, keepdim=True))
    expected = whole(model, tokens, places)
    asked = AskedPositions(model)
    asked.settle(tokens, places)
    assert not asked._cut
    with torch.inference_mode():
        assert torch.allclose(asked.logits(tokens, places), expected, atol=1e-4)
    assert "forward" not in vars(model.bert)


def test_a_padding_token_in_a_text_moves_its_neighbours() -> None:
    """RoBERTa counts positions without padding, so the same token in the same column may stand at two positions."""
    model, (tokens, places) = model_of("Roberta"), copies()
    asked = AskedPositions(model, padding=1)
    asked.settle(tokens, places)
    tokens[2, 5] = 1
    with torch.inference_mode():
        assert torch.allclose(asked.logits(tokens, places), whole(model, tokens, places), atol=1e-4)


@pytest.mark.parametrize("layers", [1, 2])
def test_a_model_of_few_layers(layers: int) -> None:
    model, (tokens, places) = model_of("Bert", num_hidden_layers=layers), copies()
    expected = whole(model, tokens, places)
    asked = AskedPositions(model)
    asked.settle(tokens, places)
    with torch.inference_mode():
        assert torch.allclose(asked.logits(tokens, places), expected, atol=1e-4)
