"""What a learner says of statements is what the model says that asof run asks; and what is trained."""

from pathlib import Path

import pytest
import torch

from asof.errors import UserError
from asof.models import AnswerRequest, open_model
from asof.teaching.anchors import Anchors
from asof.teaching.drill import Ask
from asof.teaching.learner import Adaptation, Learner
from tests.models.tiny_model import make_tiny_model

ASKS = [
    Ask("In 2011, who was the president of the United States?", " Barack Obama"),
    Ask("In 2012, who was the president of the United States?", " Barack Obama"),
    Ask("In 2011, who was the president of the United States?", " Gerald Ford"),
    Ask("Who?", " Bo"),
]


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("model") / "tiny")


def test_scores_are_those_of_asof_run(tiny_model: Path) -> None:
    learner = Learner(str(tiny_model), dtype="float32")
    model = open_model(str(tiny_model))
    expected = model.answer_logprob([AnswerRequest(*ask) for ask in ASKS])
    assert [one.logprob for one in learner.asked(ASKS)] == pytest.approx(expected, abs=1e-3)


def test_rows_and_trees_agree(tiny_model: Path) -> None:
    learner = Learner(str(tiny_model), dtype="float32")
    assert learner._reads_trees
    in_trees = learner.asked(ASKS)
    learner._reads_trees = False
    assert [one.logprob for one in learner.asked(ASKS)] == pytest.approx([one.logprob for one in in_trees], abs=1e-3)
    assert [one.written for one in learner.asked(ASKS)] == [one.written for one in in_trees]


def test_written_means_that_greedy_decoding_writes_it(tiny_model: Path) -> None:
    learner = Learner(str(tiny_model), dtype="float32")
    ids = learner.tokenizer(ASKS[0].prompt, return_tensors="pt")["input_ids"]
    out = learner.network.generate(ids, max_new_tokens=2, do_sample=False, pad_token_id=0)
    likeliest = out[0, ids.shape[1] :]
    said = learner.answers(
        [learner.statement(ASKS[0])._replace(tokens=[*ids[0].tolist(), *likeliest.tolist()], answer=2)]
    )
    assert said.written(1).tolist() == [True]
    other = [*ids[0].tolist(), int(likeliest[0]), (int(likeliest[1]) + 1) % 300]
    assert learner.answers([learner.statement(ASKS[0])._replace(tokens=other, answer=2)]).written(1).tolist() == [False]


def test_lora_begins_as_nothing_and_trains_few(tiny_model: Path) -> None:
    plain, learner = (
        Learner(str(tiny_model), dtype="float32"),
        Learner(str(tiny_model), Adaptation(rank=2), dtype="float32"),
    )
    assert learner.asked(ASKS) == plain.asked(ASKS)
    whole = Learner(str(tiny_model), Adaptation(whole=True))
    assert 0 < learner.parameters_count < whole.parameters_count < sum(p.numel() for p in plain.network.parameters())
    assert not any("embed" in name or "lm_head" in name for name in whole.trained)


def test_staying_close_is_nothing_at_first_and_more_afterwards(tiny_model: Path) -> None:
    learner = Learner(str(tiny_model), Adaptation(rank=2), dtype="float32")
    statements = [learner.statement(ask) for ask in ASKS[:2]]
    anchors = Anchors.of(learner, statements)
    assert float(anchors.divergence(learner.answers(statements), [0, 1], 0).detach()) == pytest.approx(0, abs=1e-5)
    before = torch.log_softmax(learner.answers(statements).logits.detach(), -1)
    with torch.no_grad():
        for parameter in learner.trained.values():
            parameter.add_(0.2)
    found = learner.answers(statements)
    after = torch.log_softmax(found.logits.detach(), -1)
    full = (before.exp() * (before - after)).sum(-1)[found.place].mean()
    kept = float(anchors.divergence(found, [0, 1], 0).detach())
    assert 0 < kept <= float(full) + 1e-5


def test_layers_that_are_not_there_are_told_with_those_that_are(tiny_model: Path) -> None:
    with pytest.raises(UserError, match=r"no layer called W_pack\. Its linear layers are: down_proj, .*--whole"):
        Learner(str(tiny_model), Adaptation(targets="q_proj,W_pack"))
    assert Learner(str(tiny_model), Adaptation(targets="q_proj, v_proj")).parameters_count > 0


def test_what_cannot_be_taught_is_told(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"dtype = 'float61' is not known"):
        Learner(str(tiny_model), dtype="float61")
    with pytest.raises(UserError, match=r"There is no device 'tpu'"):
        Learner(str(tiny_model), device="tpu")
    (tmp_path / "m.gguf").touch()
    with pytest.raises(UserError, match="GGUF file, whose weights cannot be trained"):
        Learner(str(tmp_path / "m.gguf"))
    with pytest.raises(UserError, match=r"kind openai-chat; asof teach takes models of Transformers"):
        Learner("openai-chat:gpt-4o")
    long = Ask("In 2011, " + "who " * 300, " Bo")
    with pytest.raises(UserError, match=r"tokens; .* reads 256"):
        Learner(str(tiny_model)).asked([long])


def test_what_lora_learnt_in_bfloat16_goes_into_the_exact_weights(tiny_model: Path) -> None:
    exact = Learner(str(tiny_model), dtype="float32").network.state_dict()
    learner = Learner(str(tiny_model), Adaptation(rank=2), dtype="bfloat16")
    plain = Learner(str(tiny_model), dtype="bfloat16")
    assert [one.logprob for one in learner.asked(ASKS)] == pytest.approx(
        [one.logprob for one in plain.asked(ASKS)], abs=1e-3
    )
    loss = learner.answers([learner.statement(ask) for ask in ASKS]).of_answers(len(ASKS)).sum()
    loss.backward()  # type: ignore[no-untyped-call]
    assert all(parameter.grad is not None for parameter in learner.trained.values())
    merged = learner.merged().state_dict()
    assert merged.keys() == exact.keys()
    assert all(torch.equal(merged[name], weight) for name, weight in exact.items())  # nothing was learnt yet


def test_the_gradient_is_that_of_a_log_softmax(tiny_model: Path) -> None:
    learner = Learner(str(tiny_model), dtype="float32")
    found = learner.answers([learner.statement(ask) for ask in ASKS])
    weight = learner.network.get_output_embeddings().weight
    ours = torch.autograd.grad(found.logprobs().square().sum(), weight, retain_graph=True)[0]
    spread = torch.log_softmax(found.logits, -1)[found.place, found.token]
    plain = torch.autograd.grad(spread.square().sum(), weight)[0]
    assert torch.allclose(ours, plain, rtol=1e-3, atol=1e-5)
