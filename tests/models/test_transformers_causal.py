"""Answer probabilities: the token border by hand, a tiny real model and SmolLM2 against the slow way."""

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GPT2Config,
    MambaConfig,
    MistralConfig,
    PretrainedConfig,
)

from asof.errors import UserError
from asof.models import AnswerRequest, ScoresAnswers, open_model
from asof.models._shared_beginnings import TokenTree, tree_batches
from asof.models._token_border import Statement, answer_tokens
from asof.models.transformers_causal import TransformersCausal
from asof.weights.package_index import fetch, fetched_folder
from tests.models.tiny_model import make_tiny_model

REQUESTS = [
    AnswerRequest("In 2011, who was the president of the United States?", " Barack Obama"),
    AnswerRequest("On March 21, 1983, who was the spouse of Betty Ford?", " Gerald Ford"),
    AnswerRequest("Was Gerald Ford or Gerald Ford there?", " Gerald Ford"),  # the answer also stands in the question
    AnswerRequest("In May 1759, to which state did Beirut belong?", " Ottoman Empire"),
    AnswerRequest("Qui était là en 44 av. J.-C. ?", " Jules César 🏛"),
] * 3


def slow_way(folder: str, request: AnswerRequest) -> float:
    """One statement, all logits, one token after the other, on what the tokenizer gives for the whole text."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    ids = tokenizer(request.text)["input_ids"]
    prompt_ids = tokenizer(request.prompt + " ")["input_ids"]  # where the space is a token of its own
    if ids[: len(prompt_ids)] != prompt_ids:
        prompt_ids = tokenizer(request.prompt)["input_ids"]
    assert ids[: len(prompt_ids)] == prompt_ids
    with torch.inference_mode():
        logits = model(torch.tensor([ids])).logits[0].double()
    return float(
        sum(torch.log_softmax(logits[place - 1], -1)[ids[place]] for place in range(len(prompt_ids), len(ids)))
    )


class Letters:
    """A tokenizer that can be followed by hand: one token per letter."""

    @staticmethod
    def offsets(text: str) -> list[tuple[int, int]]:
        return [(place, place + 1) for place in range(len(text))]


@pytest.mark.parametrize(
    ("prompt", "answer", "expected"),
    [("ab?", " cd", 2), ("ab?", "cd", 2), ("cd?", " cd", 2), ("a", "b", 1)],
)
def test_the_border_with_one_token_per_letter(prompt: str, answer: str, expected: int) -> None:
    """The space before an answer is a token of its own here, and not the answer's."""
    text = prompt + answer
    assert answer_tokens(Letters.offsets(text), len(prompt), text) == expected


def test_a_token_across_the_border_belongs_to_the_answer() -> None:
    text = "who? Bo"
    assert answer_tokens([(0, 3), (3, 6), (6, 7)], 4, text) == 2
    assert answer_tokens([(0, 0), (0, 3), (3, 4), (4, 7)], 4, text) == 1


def test_an_empty_answer_is_refused() -> None:
    for answer in ("", "  "):
        with pytest.raises(UserError, match="is empty: there is nothing to score"):
            answer_tokens(Letters.offsets("who?" + answer), 4, "who?" + answer)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


def test_a_tiny_model_gives_what_the_slow_way_gives(tiny: Path) -> None:
    model: ScoresAnswers = open_model(str(tiny))  # type: ignore[assignment]
    fast = model.answer_logprob(REQUESTS)
    for request, score in zip(REQUESTS, fast, strict=True):
        assert score == pytest.approx(slow_way(str(tiny), request), abs=1e-4)
    assert model.answer_logprob(list(reversed(REQUESTS))) == pytest.approx(list(reversed(fast)), abs=1e-5)
    assert model.answer_logprob([]) == []


def test_what_cannot_be_scored_is_told(tmp_path: Path, tiny: Path) -> None:
    short: ScoresAnswers = open_model(str(make_tiny_model(tmp_path / "short", positions=4)))  # type: ignore[assignment]
    with pytest.raises(UserError, match=r"has [0-9]+ tokens; .* reads 4"):
        short.answer_logprob(REQUESTS[:1])
    model: ScoresAnswers = open_model(str(tiny))  # type: ignore[assignment]
    with pytest.raises(UserError, match="nothing stands before the answer"):
        model.answer_logprob([AnswerRequest("", "Bo")])
    with pytest.raises(UserError, match=r"has no chat template\. Run it with --format raw"):
        model.chat("who?")
    with pytest.raises(UserError, match="nowhere does not exist"):
        open_model(str(tmp_path / "nowhere"))
    with pytest.raises(UserError, match=r"asof knows no weights called 'smolm2'\. Did you mean 'smollm2'"):
        fetch("smolm2")


def test_smollm2_gives_what_the_slow_way_gives() -> None:
    folder = fetched_folder("smollm2")
    if folder is None:
        pytest.skip("SmolLM2 is not here: asof models get smollm2")
    model: ScoresAnswers = open_model("smollm2")  # type: ignore[assignment]
    paris = AnswerRequest("The capital of France is", " Paris")
    scores = model.answer_logprob([paris, *REQUESTS[:2]])
    assert scores[0] == pytest.approx(-0.26, abs=0.02)
    assert scores[1] == pytest.approx(slow_way(str(folder), REQUESTS[0]), abs=1e-3)
    assert "assistant" in model.chat("who?")


@given(statements=st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=6), min_size=1, max_size=12))
def test_a_token_tree_has_every_beginning_once(statements: list[list[int]]) -> None:
    tree = TokenTree.of(sorted(statements))
    read = [
        tree.tokens[row[: len(tokens)]].tolist() for row, tokens in zip(tree.nodes, sorted(statements), strict=True)
    ]
    assert read == sorted(statements)
    beginnings = {tuple(tokens[:end]) for tokens in statements for end in range(1, len(tokens) + 1)}
    assert len(tree.tokens) == len(beginnings)
    assert torch.equal(tree.nodes.view(-1)[tree.homes], torch.arange(len(beginnings)))
    batches = tree_batches([Statement(tokens, 1) for tokens in statements], most_nodes=8)
    assert sorted(place for batch in batches for place in batch) == list(range(len(statements)))
    for batch in batches:
        assert len(batch) == 1 or len(TokenTree.of([statements[place][:-1] for place in batch]).tokens) <= 8


GPT2 = GPT2Config(vocab_size=400, n_embd=32, n_layer=2, n_head=4, n_positions=128)
NARROW = MistralConfig(
    vocab_size=400, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, head_dim=8, sliding_window=12, initializer_range=0.3,
)  # fmt: skip
MAMBA = MambaConfig(vocab_size=400, hidden_size=32, num_hidden_layers=2, state_size=8)


@pytest.mark.parametrize(
    ("config", "reads_trees"), [(GPT2, True), (NARROW, True), (MAMBA, False)], ids=["gpt2", "narrow", "mamba"]
)
def test_other_architectures_give_what_the_slow_way_gives(
    config: PretrainedConfig, reads_trees: bool, tiny: Path, tmp_path: Path
) -> None:
    """Learnt positions, a window shorter than the statements, and a network without attention."""
    torch.manual_seed(0)
    AutoModelForCausalLM.from_config(config).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(tiny).save_pretrained(tmp_path)
    model = TransformersCausal(str(tmp_path))
    short = [AnswerRequest("ab", "c")]  # is in sight of any window
    assert model.answer_logprob(short) == pytest.approx([slow_way(str(tmp_path), short[0])], abs=1e-4)
    for request, score in zip(REQUESTS, model.answer_logprob(REQUESTS), strict=True):
        assert score == pytest.approx(slow_way(str(tmp_path), request), abs=1e-4)
    assert model._reads_trees is reads_trees
