import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

from asof.errors import UserError
from asof.memorize.architecture import Architecture, bytes_needed, own_size, see_that_it_fits
from asof.memorize.network import Layer, StatementEncoder
from asof.memorize.objectives import Targets, answer_loss, rarity
from asof.memorize.pretrained import open_pretrained
from asof.memorize.words import PAD

SHAPE = Architecture(width=16, layers=2, heads=2, inner=32, out=16)


def test_one_place_attends_as_all_places_do() -> None:
    torch.manual_seed(0)
    layer = Layer(SHAPE)
    words = torch.randn(3, 5, 16)
    there = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]).bool()[:, None, None]
    every = layer(words, words, there)
    for place in range(3):
        one = layer(words, words[:, place : place + 1], there)
        torch.testing.assert_close(one[:, 0], every[:, place])


@pytest.mark.parametrize("rewrites", ["blank", "all"])
def test_padding_changes_nothing(rewrites: str) -> None:
    torch.manual_seed(0)
    encoder = StatementEncoder(Architecture(width=16, heads=2, inner=32, out=16, rewrites=rewrites), 20)  # type: ignore[arg-type]
    tokens, blank = torch.tensor([[5, 2, 7]]), torch.tensor([1])
    padded = torch.tensor([[5, 2, 7, PAD, PAD], [5, 2, 7, 8, 9]])
    torch.testing.assert_close(encoder(padded, torch.tensor([1, 1]))[:1], encoder(tokens, blank))


def test_set_loss_is_cross_entropy_with_an_even_distribution() -> None:
    torch.manual_seed(0)
    query, candidates = torch.randn(3, 4, requires_grad=True), torch.randn(6, 4, requires_grad=True)
    targets = Targets.of_sets(np.array([0, 2, 5, 1]), np.array([0, 2, 3, 4]), np.array([0, 2, 1]))
    even = torch.zeros(3, 6)
    even[targets.row, targets.answer] = targets.weight
    assert even.tolist() == [[0.5, 0, 0.5, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]]
    ours, best = answer_loss("set", query, candidates, targets)
    slopes = torch.autograd.grad(ours, (query, candidates))
    theirs = functional.cross_entropy(query @ candidates.T, even)
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(slopes, torch.autograd.grad(theirs, (query, candidates)))
    assert best.tolist() == (query @ candidates.T).argmax(1).tolist()


def test_each_loss_is_binary_cross_entropy() -> None:
    torch.manual_seed(0)
    query, candidates = torch.randn(2, 4, requires_grad=True), torch.randn(5, 4, requires_grad=True)
    targets = Targets.of_sets(np.array([0, 2, 3]), np.array([0, 2, 3]), np.array([0, 1]))
    right = torch.zeros(2, 5)
    right[targets.row, targets.answer] = 1
    ours, _ = answer_loss("each", query, candidates, targets)
    slopes = torch.autograd.grad(ours, (query, candidates))
    scores = query @ candidates.T - rarity(5)
    theirs = functional.binary_cross_entropy_with_logits(scores, right, reduction="sum") / 2
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(slopes, torch.autograd.grad(theirs, (query, candidates)))


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_pretrained_encoder_gives_the_states_that_transformers_gives(tmp_path: Path, kind: str) -> None:
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    signs = ("[PAD]", "[CLS]", "[SEP]", "[MASK]") if kind == "bert" else ("<s>", "<pad>", "</s>", "<mask>")
    words = [*signs, "[UNK]", "Ann", "led", "in", "2009", "Acme", "."]
    backend = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))  # noqa: S106
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    backend.add_special_tokens(list(signs))
    backend.save(str(tmp_path / "tokenizer.json"))
    shape = {
        "vocab_size": len(words), "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2,
        "intermediate_size": 32, "max_position_embeddings": 40, "type_vocab_size": 1,
        "pad_token_id": 0 if kind == "bert" else 1,
    }  # fmt: skip
    torch.manual_seed(0)
    config = (transformers.BertConfig if kind == "bert" else transformers.RobertaConfig)(**shape)
    model = (transformers.BertModel if kind == "bert" else transformers.RobertaModel)(config)
    model.save_pretrained(tmp_path)
    model.train(False)
    found = open_pretrained(str(tmp_path))
    encoder = StatementEncoder(found.architecture, len(found.tokenizer))
    found.fill(encoder)
    tokens = found.tokenizer.encode(["Ann led _X_ in 2009.", "[MASK] <mask> led _X_"])
    ids = torch.from_numpy(tokens.padded(np.array([0, 1])))
    ours = encoder(ids, torch.from_numpy(tokens.blank))
    own = torch.where(ids == 0, found.tokenizer.pad, torch.where(ids == found.tokenizer.pad, 0, ids))
    with torch.no_grad():
        states = model(input_ids=own, attention_mask=(ids != PAD).long()).last_hidden_state
    torch.testing.assert_close(ours, states[torch.arange(2), torch.from_numpy(tokens.blank)], atol=1e-5, rtol=1e-5)
    assert open_pretrained(f"{tmp_path}-half").architecture.layers == 2


def test_other_architectures_are_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gpt2"}))
    with pytest.raises(UserError, match="is a gpt2; memorising begins with a bert or a roberta"):
        open_pretrained(str(tmp_path))


def test_a_list_of_answers_that_does_not_fit_is_refused_before_it_is_made() -> None:
    small = own_size("small")
    assert small
    needed = bytes_needed(small, tokens=10_000, answers=500_000_000, batch=256, scored=8192)
    assert needed > 1e12  # 16 bytes for each of 128 numbers
    with pytest.raises(UserError, match=r"about 1,0\d\d.\d GB; 16.0 GB are free. There are 500,000,000 answers"):
        see_that_it_fits(needed, 16_000_000_000, answers=500_000_000, width=128)
    see_that_it_fits(needed, None, answers=1, width=1)
    with pytest.raises(UserError, match="multiple of 8"):
        own_size("60x2")
