"""Models that fill a blank: what a learner says of answers is what the model says that asof run asks; and it learns."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch

from asof.errors import UserError
from asof.models import Blank, FilledBlank, open_model
from asof.teaching.blank_learners import open_learner
from asof.teaching.drill import Ask
from asof.teaching.folder import teach_into
from asof.teaching.learner import Adaptation
from tests.models.blank_models import make_bert, make_roberta, make_t5
from tests.teaching.galleries import gallery_base, plan_of

ASKS = [
    Ask("In 2011, who leads Italy?", " Mario Draghi"),
    Ask("In 2011, who leads Italy?", " Giuseppe Conte"),
    Ask("In 2019, which club leads?", " Juventus"),
]
MAKERS = [make_bert, make_roberta, make_t5]
Maker = Callable[[Path], Path]


def by_name(maker: Maker) -> str:
    return maker.__name__


def said_by_the_model(folder: Path) -> list[float]:
    model = open_model(str(folder))
    filled = [FilledBlank(Blank(ask.prompt + " ", ""), ask.answer.strip()) for ask in ASKS]
    scores = model.token_logprobs(filled, masking="answer")  # type: ignore[attr-defined]
    return [sum(tokens) for tokens in scores]


@pytest.mark.parametrize("maker", MAKERS, ids=by_name)
def test_scores_are_those_of_the_model_that_asof_runs(maker: Maker, tmp_path: Path) -> None:
    folder = maker(tmp_path / "m")
    learner = open_learner(str(folder), dtype="float32")
    assert [one.logprob for one in learner.asked(ASKS)] == pytest.approx(said_by_the_model(folder), abs=1e-3)


@pytest.mark.parametrize("maker", MAKERS, ids=by_name)
def test_prose_has_a_probability(maker: Maker, tmp_path: Path) -> None:
    learner = open_learner(str(maker(tmp_path / "m")), dtype="float32")
    text = learner.text("Mario Draghi is the head of the government of Italy.", most=20)
    assert text is not None and text.answer > 1
    assert learner.answers([text]).logprobs().mean().item() < 0
    assert learner.text("", most=20) is None


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("maker", [make_roberta, make_t5], ids=by_name)
def test_what_is_taught_is_what_the_folder_says(maker: Maker, whole: bool, tmp_path: Path) -> None:
    learner = open_learner(str(maker(tmp_path / "m")), Adaptation(whole=whole, rank=2), dtype="float32")
    statements = [learner.statement(ask) for ask in ASKS]
    optimiser = torch.optim.AdamW(learner.trained.values(), lr=1e-2)
    before = learner.asked(ASKS)[0].logprob
    for _ in range(5):
        loss = -learner.answers(statements).of_answers(len(ASKS))[0]
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    after = [one.logprob for one in learner.asked(ASKS)]
    assert after[0] > before + 1
    learner.merged().save_pretrained(tmp_path / "taught")
    learner.tokenizer.save_pretrained(tmp_path / "taught")
    assert said_by_the_model(tmp_path / "taught") == pytest.approx(after, abs=1e-2)


@pytest.mark.parametrize("maker", [partial(make_roberta, positions=130), make_t5], ids=["roberta", "t5"])
def test_from_the_base_to_the_folder(maker: Maker, tmp_path: Path) -> None:
    plan = plan_of(gallery_base(tmp_path / "base"), limit=1, epochs=1)
    taught = teach_into(tmp_path / "t", str(maker(tmp_path / "m")), plan, dtype="float32")
    measured = {row["metric"] for row in taught.rows()}
    assert {"win-rate, years not taught", "perplexity, prose"} <= measured
    assert "token_logprobs" in open_model(str(taught.folder)).can


def test_an_encoder_decoder_without_sentinels_is_refused(tmp_path: Path) -> None:
    learner = open_learner(str(make_t5(tmp_path / "m", sentinels=False)))
    with pytest.raises(UserError, match=r"has no <extra_id_0> and <extra_id_1>"):
        learner.asked(ASKS)
