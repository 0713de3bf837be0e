"""Blanks: every kind of model against one sentence, one mask at a time, with plain Transformers."""

import math
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM, AutoTokenizer, BertModel

from asof.errors import UserError
from asof.models import Blank, FilledBlank, Search, open_model
from asof.models._architecture import kind_of_config
from asof.models._left_to_right import paths
from asof.models.transformers_masked import TransformersMasked
from tests.models.blank_models import make_bert, make_roberta, make_t5
from tests.models.tiny_model import make_tiny_model

ITALY = Blank("", " is the head of the government of Italy.")
RONALDO = Blank("Cristiano Ronaldo plays for ", ".")
Hides = Callable[[list[int], int, list[int | None]], list[int]]  # answer, place, words -> places to hide
FILLED = [
    FilledBlank(ITALY, "Mario Draghi"),
    FilledBlank(ITALY, "Giuseppe Conte"),
    FilledBlank(ITALY, "Paris"),
    FilledBlank(RONALDO, "Juventus F.C."),
    FilledBlank(RONALDO, "Manchester United"),
    FilledBlank(Blank("The club ", " leads, and Rome is a club."), "Juventus"),
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("models")
    makers: dict[str, Callable[[Path], Path]] = {
        "bert": make_bert, "roberta": make_roberta, "t5": make_t5, "llama": make_tiny_model,
    }  # fmt: skip
    return {name: make(place / name) for name, make in makers.items()}


def plain(folder: Path, kind: Any) -> tuple[Any, Any]:
    return AutoTokenizer.from_pretrained(folder), kind.from_pretrained(folder).eval()


@torch.inference_mode()
def slow_masked(folder: Path, filled: FilledBlank, hides: Hides) -> list[float]:
    """Mask one token of the answer after the other, and what else is to be hidden; read all logits of one text."""
    tokenizer, model = plain(folder, AutoModelForMaskedLM)
    read = tokenizer(filled.sentence, return_offsets_mapping=True)
    start, end = filled.span
    answer = [i for i, (a, b) in enumerate(read["offset_mapping"]) if a < b and b > start and a < end]
    found = []
    for place in answer:
        ids = torch.tensor([read["input_ids"]])
        ids[0, hides(answer, place, read.word_ids())] = tokenizer.mask_token_id
        found.append(float(torch.log_softmax(model(ids).logits[0, place].double(), -1)[read["input_ids"][place]]))
    return found


HIDES: dict[Any, Hides] = {
    "token": lambda answer, place, words: [place],
    "word": lambda answer, place, words: [i for i in answer if i >= place and words[i] == words[place]],
    "answer": lambda answer, place, words: [i for i in answer if i >= place],
}


@pytest.mark.parametrize(("name", "masking"), list(product(["bert", "roberta"], HIDES)))
def test_pseudo_likelihoods_are_those_of_one_mask_at_a_time(name: str, masking: Any, folders: dict[str, Path]) -> None:
    model: Any = open_model(str(folders[name]))
    found = model.token_logprobs(FILLED, masking=masking)
    for filled, logprobs in zip(FILLED, found, strict=True):
        assert logprobs == pytest.approx(slow_masked(folders[name], filled, HIDES[masking]), abs=1e-4)
    assert model._positions._cut  # the fast way was taken
    again = model.token_logprobs(FILLED[::-1] * 2, masking=masking)
    for one, other in zip(again, found[::-1] * 2, strict=True):
        assert one == pytest.approx(other, abs=1e-4)


def test_tokens_of_answers_counted_by_hand(folders: dict[str, Path]) -> None:
    """Written out: mario dra ##ghi, giu ##sep ##pe con ##te, paris, juventus f . c ., manchester united, juventus."""
    model: Any = open_model(str(folders["bert"]))
    assert model.count_answer_tokens(FILLED) == [3, 5, 1, 5, 2, 1]
    assert model.count_answer_tokens([FilledBlank(ITALY, "Łódź")]) == [0]  # the vocabulary cannot spell it
    by_word = model.token_logprobs(FILLED[:1], masking="word")[0]
    by_token = model.token_logprobs(FILLED[:1], masking="token")[0]
    same = [abs(one - other) < 1e-5 for one, other in zip(by_word, by_token, strict=True)]
    assert same == [True, False, True]  # mario alone; dra hides ##ghi; ##ghi sees dra


def test_a_whole_sentence_has_every_token_but_the_ends(folders: dict[str, Path]) -> None:
    model: Any = open_model(str(folders["bert"]))
    sentence = model.token_logprobs(FILLED[:1], masking="word", of="sentence")[0]
    assert len(sentence) == 12
    assert sentence[:3] == pytest.approx(model.token_logprobs(FILLED[:1], masking="word")[0], abs=1e-5)


@torch.inference_mode()
@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_greedy_and_beam_are_those_of_one_text_at_a_time(name: str, folders: dict[str, Path]) -> None:
    tokenizer, network = plain(folders[name], AutoModelForMaskedLM)
    model: Any = open_model(str(folders[name]))
    special = list(set(tokenizer.all_special_ids))

    def after(blank: Blank, count: int, chosen: tuple[int, ...]) -> torch.Tensor:
        ids = tokenizer(blank.before.rstrip() + tokenizer.mask_token * count + blank.after)["input_ids"]
        masks = [place for place, token in enumerate(ids) if token == tokenizer.mask_token_id]
        assert len(masks) == count
        for place, token in zip(masks, chosen, strict=False):
            ids[place] = token
        found = torch.log_softmax(network(torch.tensor([ids])).logits[0, masks[len(chosen)]].double(), -1)
        found[special] = -math.inf
        return found

    for width in (1, 3):
        search = Search(way="beam" if width > 1 else "greedy", width=width)
        found = model.fill([ITALY, RONALDO], most_tokens=3, search=search)
        for blank, fillings in zip([ITALY, RONALDO], found, strict=True):
            for count, filling in enumerate(fillings, start=1):
                beams: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
                for _ in range(count):
                    grown = [
                        (total + float(logprobs[token]), (*chosen, token))
                        for total, chosen in beams
                        for logprobs in [after(blank, count, chosen)]
                        for token in range(len(logprobs))
                    ]
                    beams = sorted(grown, reverse=True)[:width]
                assert filling.mean == pytest.approx(beams[0][0] / count, abs=1e-4)
                assert filling.text == tokenizer.decode(list(beams[0][1])).strip()


def test_draws_depend_on_the_seed_and_the_text_only(folders: dict[str, Path]) -> None:
    model: Any = open_model(str(folders["roberta"]))

    def drawn(blanks: list[Blank], seed: int) -> list[list[str]]:
        search = Search(way="sample", width=4, among=30, temperature=3.0, seed=seed)
        return [[one.text for one in some] for some in model.fill(blanks, most_tokens=4, search=search)]

    both = drawn([ITALY, RONALDO], 0)
    assert drawn([RONALDO], 0)[0] == both[1]
    assert drawn([RONALDO, ITALY], 0) == both[::-1]
    assert drawn([ITALY, RONALDO], 1) != both


def test_draws_come_as_often_as_their_probabilities_say() -> None:
    chances = [(0, math.log(0.6)), (1, math.log(0.3)), (2, math.log(0.1))]
    search = Search(way="sample", width=1, among=3)
    found = paths([str(n) for n in range(4000)], 1, search, lambda begun, most: [chances] * len(begun))
    counts = [sum(some[0][0].tokens == (token,) for some in found) / 4000 for token in range(3)]
    assert counts == pytest.approx([0.6, 0.3, 0.1], abs=0.03)


@torch.inference_mode()
@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_the_rank_of_a_token_is_that_among_all_but_special_ones(name: str, folders: dict[str, Path]) -> None:
    tokenizer, network = plain(folders[name], AutoModelForMaskedLM)
    model: Any = open_model(str(folders[name]))
    filled = [one for one in FILLED if model.count_answer_tokens([one]) == [1]]
    assert filled
    for one, guess in zip(filled, model.guess_token(filled, best=4), strict=True):
        ids = tokenizer(one.blank.before.rstrip() + tokenizer.mask_token + one.blank.after)["input_ids"]
        logits = network(torch.tensor([ids])).logits[0, ids.index(tokenizer.mask_token_id)]
        order = [i for i in logits.argsort(descending=True).tolist() if i not in tokenizer.all_special_ids]
        assert guess.best == tuple(tokenizer.decode([token]).strip() for token in order[:4])
        gold = (set(tokenizer(one.sentence)["input_ids"]) - set(ids)).pop()
        assert guess.rank == order.index(gold) + 1
        assert guess.logprob == pytest.approx(float(torch.log_softmax(logits, -1)[gold]), abs=1e-4)


@torch.inference_mode()
def test_t5_scores_and_fills_as_one_text_at_a_time(folders: dict[str, Path]) -> None:
    tokenizer, network = plain(folders["t5"], AutoModelForSeq2SeqLM)
    model: Any = open_model(str(folders["t5"]))
    first, end = tokenizer.convert_tokens_to_ids(["<extra_id_0>", "<extra_id_1>"])

    def after(blank: Blank, written: list[int]) -> torch.Tensor:
        text = tokenizer(blank.before.rstrip() + "<extra_id_0>" + blank.after, return_tensors="pt")
        read = network(input_ids=text["input_ids"], decoder_input_ids=torch.tensor([[0, first, *written]]))
        return torch.log_softmax(read.logits[0, -1].double(), -1)

    for one, logprobs in zip(FILLED, model.token_logprobs(FILLED), strict=True):
        ids = tokenizer(one.answer, add_special_tokens=False)["input_ids"]
        slow = [float(after(one.blank, ids[:place])[token]) for place, token in enumerate([*ids, end])]
        assert logprobs == pytest.approx(slow, abs=1e-4)
    special = [*tokenizer.all_special_ids, *tokenizer.convert_tokens_to_ids([f"<extra_id_{n}>" for n in range(3)])]
    filling = model.fill([RONALDO], most_tokens=3, search=Search())[0][-1]
    written: list[int] = []
    for expected in filling.logprobs:
        logits = after(RONALDO, written)
        logits[special] = -math.inf
        written.append(int(logits.argmax()))
        assert expected == pytest.approx(float(logits.max()), abs=1e-4)
    assert filling.text == tokenizer.decode(written).strip()
    assert filling.ends == pytest.approx(float(after(RONALDO, written)[end]), abs=1e-4)
    with pytest.raises(UserError, match="not whole sentences"):
        model.token_logprobs(FILLED, of="sentence")


@torch.inference_mode()
def test_a_causal_model_scores_inside_and_fills_at_the_end(folders: dict[str, Path]) -> None:
    tokenizer, network = plain(folders["llama"], AutoModelForCausalLM)
    model: Any = open_model(str(folders["llama"]))

    def logprobs(ids: list[int]) -> torch.Tensor:
        return torch.log_softmax(network(torch.tensor([ids])).logits[0].double(), -1)

    for one, found in zip(FILLED, model.token_logprobs(FILLED), strict=True):
        read = tokenizer(one.sentence, return_offsets_mapping=True)
        ids = [*([] if one.blank.before else [tokenizer.bos_token_id]), *read["input_ids"]]
        count = sum(end > len(one.blank.before) for _, end in read["offset_mapping"])
        table = logprobs(ids)
        slow = [float(table[place - 1, ids[place]]) for place in range(len(ids) - count, len(ids))]
        assert found == pytest.approx(slow, abs=1e-4)
    filling = model.fill([RONALDO], most_tokens=2, search=Search())[0][1]
    ids = tokenizer("Cristiano Ronaldo plays for")["input_ids"]
    for expected in filling.logprobs:
        row = logprobs(ids)[-1]
        row[tokenizer.all_special_ids] = -math.inf
        ids = [*ids, int(row.argmax())]
        assert expected == pytest.approx(float(row.max()), abs=1e-4)
    stop = tokenizer(".")["input_ids"][0]
    assert filling.ends == pytest.approx(float(logprobs(ids)[-1, stop]), abs=1e-4)
    assert model.cannot_fill(RONALDO) == ""
    assert "reads from left to right" in model.cannot_fill(ITALY)


def test_the_kind_of_a_folder_is_read_from_its_configuration(folders: dict[str, Path]) -> None:
    kinds = {name: open_model(str(folder)).describe()["kind"] for name, folder in folders.items()}
    assert kinds == {
        "bert": "transformers-masked", "roberta": "transformers-masked", "t5": "transformers-seq2seq",
        "llama": "transformers-causal",
    }  # fmt: skip
    assert kind_of_config({"architectures": None}) == "transformers-causal"


def test_what_cannot_be_asked_is_told(tmp_path: Path, folders: dict[str, Path]) -> None:
    with pytest.raises(UserError, match="has no mask token"):
        open_model(str(make_bert(tmp_path / "maskless", mask=False)))
    with pytest.raises(UserError, match="has no <extra_id_0>"):
        open_model(str(make_t5(tmp_path / "plain", sentinels=False)))
    bert = make_bert(tmp_path / "headless")
    BertModel.from_pretrained(bert).save_pretrained(bert)  # an encoder only, as sentence embedders are
    with pytest.raises(UserError, match=r"lack \d+ parts of a BertForMaskedLM .* guess at random"):
        TransformersMasked(str(bert))
    model: Any = open_model(str(folders["bert"]))
    long = FilledBlank(Blank("of " * 50, "."), "Paris")
    with pytest.raises(UserError, match=r"has 54 tokens; .* reads 40"):
        model.token_logprobs([long])
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match=r"config\.json is broken"):
        open_model(str(tmp_path / "broken"))
    with pytest.raises(UserError, match="nowhere does not exist"):
        open_model("transformers-masked:" + str(tmp_path / "nowhere"))
    for wrong in ({"way": "best"}, {"width": 0}, {"temperature": 0.0}):
        with pytest.raises(UserError):
            Search(**wrong)
