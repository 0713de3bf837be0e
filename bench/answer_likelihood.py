"""Statements per second on SmolLM2-135M: asof, lm-evaluation-harness and one statement at a time, in one run.

    python bench/answer_likelihood.py [FACTS]      default: 6 facts of the almanac's TimeStress

All three score the same statements; the scores are compared too. Writes results/answer_likelihood.json.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import torch

from asof.benchmarks import build
from asof.benchmarks.timestress import TimeStress
from asof.facts import FactStore
from asof.models import AnswerRequest
from asof.models._weights import fetch
from asof.models.transformers_causal import TransformersCausal
from asof.probes.answer_likelihood import requests_for
from asof.sources.almanac import almanac_base
from asof.wording import Wording

RESULTS = Path(__file__).parent / "results"
ROUND = 600  # statements per round: two facts
ONE_BY_ONE = 60  # of them, enough to know the slow rate
MOST = 1800


def statements(facts: int, model: TransformersCausal) -> list[AnswerRequest]:
    """Return the statements of the most popular facts, as a run would score them."""
    with tempfile.TemporaryDirectory() as folder:
        made = build(Path(folder) / "b", TimeStress(facts=facts), FactStore(almanac_base()), Wording())
        requests = requests_for(list(made.items()), model, "raw")
    return requests[:MOST]


Score = Callable[[list[AnswerRequest]], list[float]]


def timed(score: Score, requests: list[AnswerRequest]) -> tuple[float, list[float]]:
    """Return statements per second, and the scores."""
    began = time.perf_counter()
    scores = score(requests)
    return len(requests) / (time.perf_counter() - began), scores


def one_by_one(model: TransformersCausal) -> Score:
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


def harness(folder: str) -> Score:
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
    scorers: dict[str, Score] = {
        "asof": model.answer_logprob,
        "lm_eval": harness(folder),
        "one_by_one": one_by_one(model),
    }
    rates: dict[str, list[float]] = {name: [] for name in scorers}
    differences: dict[str, float] = dict.fromkeys(scorers, 0.0)
    timed(model.answer_logprob, requests[:64])  # warm
    for start in range(0, len(requests), ROUND):  # in turns, so that a noisy moment hits all three alike
        chunk = requests[start : start + ROUND]
        found: dict[str, list[float]] = {}
        for name, score in scorers.items():
            part = chunk[:ONE_BY_ONE] if name == "one_by_one" else chunk
            rate, found[name] = timed(score, part)
            rates[name].append(rate)
            gaps = [abs(a - b) for a, b in zip(found["asof"], found[name], strict=False)]
            differences[name] = max(differences[name], *gaps)
    result = {"statements": len(requests), "rounds": len(rates["asof"])}
    for name in scorers:
        result[f"{name}_per_s"] = median(rates[name])
    for name in ("lm_eval", "one_by_one"):
        ratios = [ours / theirs for ours, theirs in zip(rates["asof"], rates[name], strict=True)]
        result[f"ratio_to_{name}"] = median(ratios)
        result[f"lowest_ratio_to_{name}"] = min(ratios)
        result[f"largest_difference_to_{name}"] = differences[name]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "answer_likelihood.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for name, value in result.items():
        print(f"{name:36} {value:.4g}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 6)
