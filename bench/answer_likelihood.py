"""Statements per second on SmolLM2-135M: asof, lm-evaluation-harness and one statement at a time, in one run.

    python bench/answer_likelihood.py [FACTS]      default: 6 facts of the almanac's TimeStress

All three score the same statements; the scores are compared too. Writes results/answer_likelihood.json.
"""

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

from asof.benchmarks import build
from asof.benchmarks.timestress import TimeStress
from asof.facts import FactStore
from asof.models import AnswerRequest
from asof.models.transformers_causal import TransformersCausal
from asof.models.weights import fetch
from asof.probes.answer_likelihood import requests_for
from asof.sources.almanac import almanac_base
from asof.wording import Wording

RESULTS = Path(__file__).parent / "results"
ONE_BY_ONE = 150  # so many statements are enough to know the slow rate
MOST = 1500


def statements(facts: int, model: TransformersCausal) -> list[AnswerRequest]:
    """Return the statements of the most popular facts, as a run would score them."""
    with tempfile.TemporaryDirectory() as folder:
        made = build(Path(folder) / "b", TimeStress(facts=facts), FactStore(almanac_base()), Wording())
        requests = requests_for(list(made.items()), model, "raw")
    return requests[:MOST]


def timed(score: Callable[[list[AnswerRequest]], list[float]], requests: list[AnswerRequest]) -> tuple[float, list[float]]:
    """Return statements per second, and the scores."""
    began = time.perf_counter()
    scores = score(requests)
    return len(requests) / (time.perf_counter() - began), scores


def one_by_one(model: TransformersCausal) -> Callable[[list[AnswerRequest]], list[float]]:
    """Score as a plain loop does: one forward pass, all logits, both cores."""
    tokenizer, network = model._tokenizer, model._model

    @torch.inference_mode()
    def score(requests: list[AnswerRequest]) -> list[float]:
        torch.set_num_threads(2)
        scores = []
        for request in requests:
            ids = tokenizer(request.text, return_tensors="pt")["input_ids"]
            answer = ids.shape[1] - len(tokenizer(request.prompt)["input_ids"])
            logprobs = torch.log_softmax(network(ids).logits[0], -1)
            places = range(ids.shape[1] - answer, ids.shape[1])
            scores.append(float(sum(logprobs[place - 1, ids[0, place]] for place in places)))
        return scores

    return score


def harness(folder: str) -> Callable[[list[AnswerRequest]], list[float]]:
    """Score with lm-evaluation-harness' own Hugging Face model, batches of 32, both cores."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    torch.set_num_threads(2)
    model = HFLM(pretrained=folder, device="cpu", dtype="float32", batch_size=32)

    def score(requests: list[AnswerRequest]) -> list[float]:
        torch.set_num_threads(2)
        instances = [
            Instance(request_type="loglikelihood", doc={}, arguments=(request.prompt, request.answer), idx=0)
            for request in requests
        ]
        return [float(score) for score, _ in model.loglikelihood(instances, disable_tqdm=True)]

    return score


def main(facts: int) -> None:
    """Measure, print ratios, write JSON."""
    folder = str(fetch("smollm2"))
    model = TransformersCausal(folder)
    requests = statements(facts, model)
    random.Random(1).shuffle(requests)
    timed(model.answer_logprob, requests[:64])  # warm
    ours, our_scores = timed(model.answer_logprob, requests)
    slow, slow_scores = timed(one_by_one(model), requests[:ONE_BY_ONE])
    peer, peer_scores = timed(harness(folder), requests)
    furthest = max(abs(a - b) for a, b in zip(our_scores, peer_scores, strict=True))
    furthest_slow = max(abs(a - b) for a, b in zip(our_scores, slow_scores, strict=False))
    result = {
        "statements": len(requests),
        "asof_per_s": ours,
        "lm_eval_per_s": peer,
        "one_by_one_per_s": slow,
        "ratio_to_lm_eval": ours / peer,
        "ratio_to_one_by_one": ours / slow,
        "largest_difference_to_lm_eval": furthest,
        "largest_difference_to_one_by_one": furthest_slow,
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "answer_likelihood.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for name, value in result.items():
        print(f"{name:36} {value:.4g}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 6)
