"""Do the probes that need no log-probabilities agree with likelihoods? The same pairs, asked in every way.

    python reproductions/probe_agreement.py MODEL FOLDER --facts 12

Builds TimeStress and DynamicTempLAMA of the almanac in FOLDER, runs ``choose``, ``yes-no`` and ``write-answer``, and
compares the likelihoods of the very pairs that ``choose`` drew. Prints one JSON object for each benchmark and way: its
measures with intervals, how often it prefers the same one of a pair as the likelihood does, seconds, and tokens. What
was asked is kept in FOLDER, so the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asof
from asof.benchmarks import Benchmark, Item, read_benchmark
from asof.metrics import Result, mean_of_items
from asof.models import AnswerRequest, open_model
from asof.probes import Probe, open_probe
from asof.probes.choose import Choose
from asof.probes.write_answer import WriteAnswer
from asof.runs.folder import Run
from asof.runs.item_scores import scores_of
from asof.runs.runner import fit_items, run
from asof.wording.dated_questions import question_of

PAIRS = 6


class CountingModel:
    """A model that counts the tokens it reads, and the seconds that it takes."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.tokens = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def answer_logprob(self, requests: list[AnswerRequest]) -> list[float]:
        """Count what the model reads."""
        self.tokens += sum(self._model.count_tokens([request.text for request in requests]))
        return list(self._model.answer_logprob(requests))

    def write(self, prompts: list[str], **more: Any) -> list[str]:
        """Count what the model reads and writes."""
        texts = self._model.write(prompts, **more)
        self.tokens += sum(self._model.count_tokens([*prompts, *texts]))
        return list(texts)


def main() -> None:
    """Ask one model in every way that it can."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("model")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--facts", type=int, default=12)
    wanted = parser.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    periods = {"first": "2012", "last": "2024", "by": "year", "relations": "P6,P35,P169,P54,P286"}
    built: dict[str, dict[str, Any]] = {"dynamic-templama": periods, "timestress": {}}
    model = CountingModel(open_model(wanted.model))
    for name, settings in built.items():
        folder = wanted.folder / name
        if not folder.exists():
            asof.build(name, to=folder, facts=wanted.facts, **settings)
        for way, told in measured(read_benchmark(folder), model, wanted.folder):
            print(json.dumps({"model": wanted.model, "benchmark": name, "way": way} | told), flush=True)


def measured(benchmark: Benchmark, model: CountingModel, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Ask in every way, and compare each with the likelihood, pair by pair."""
    choose = Choose(pairs=PAIRS, per_fact=3)
    items = fit_items(benchmark, model, choose).items  # type: ignore[arg-type]
    before, seconds = model.tokens, time.process_time()
    likelier = preferred_by_likelihood(items, model)
    asked: dict[str, Any] = {"facts": len({item.group for item in items}), "pairs": len(items)}
    yield "likelihood", asked | told_of(items, likelier) | cost(model, before, seconds)
    ways: list[Probe] = [open_probe("yes-no", {"pairs": PAIRS, "per_fact": 3}), choose]
    ways += [WriteAnswer(per_fact=3, most_tokens=16)] if "write" in model.can else []
    for probe in ways:
        before, seconds = model.tokens, time.process_time()
        done = run(benchmark, model, folder / f"{benchmark.name}-{probe.name}", probe=probe)  # type: ignore[arg-type]
        found: dict[str, Any] = {name: figures(result) for name, result in scores_of(done).results().items()}
        found |= cost(model, before, seconds)
        if probe.name != "write-answer":
            found["agreement"] = agreement(items, likelier, preferred_by_run(done))
        yield probe.name, found


def preferred_by_likelihood(items: list[Item], model: CountingModel) -> dict[str, float]:
    """Return for each pair 1 where the right one is likelier, else 0: the answer under two dates, or two answers."""
    requests = []
    for item in items:
        if "stratum" in item.tags:
            prompts = (text.removesuffix(f" {item.answers[0]}") for text in item.candidates)
            requests += [AnswerRequest(prompt, f" {item.answers[0]}") for prompt in prompts]
        else:
            question = question_of(item.prompt, item.tags)
            requests += [AnswerRequest(question, f" {answer}") for answer in item.candidates]
    scores = iter(model.answer_logprob(requests))
    return {item.id: float(next(scores) > next(scores)) for item in items}


def preferred_by_run(done: Run) -> dict[str, float]:
    """Return who wins each pair of a run; a half where nobody does."""
    rows = done.table().to_pylist()
    return {row["id"]: done.probe.measures(row)["win-rate"] for row in rows}


def told_of(items: list[Item], wins: dict[str, float]) -> dict[str, Any]:
    """Return the win rate over pairs by their weights, fact by fact as ``asof score`` does."""
    if "stratum" not in items[0].tags:
        return {"win-rate": figures(mean_of_items([wins[item.id] for item in items], [item.group for item in items]))}
    of_fact: defaultdict[str, list[float]] = defaultdict(list)
    for item in items:
        of_fact[item.group].append(wins[item.id] * float(item.tags["weight"] or 0) / 3)  # of three precisions
    rates = [min(1.0, sum(some)) for some in of_fact.values()]
    return {"win-rate global": figures(mean_of_items(rates, list(of_fact)))}


def agreement(items: list[Item], likelier: dict[str, float], wins: dict[str, float]) -> dict[str, Any]:
    """Return how often a way that decides prefers the same one as the likelihood, and how often it decides."""
    decided = [item for item in items if wins[item.id] != 0.5]
    same = [float(wins[item.id] == likelier[item.id]) for item in decided]
    return {
        "decided": len(decided),
        "same": figures(mean_of_items(same, [item.group for item in decided])) if decided else None,
    }


def figures(result: Result) -> list[float]:
    """Return value, low and high."""
    return [round(one, 3) for one in (result.value, result.low, result.high)]


def cost(model: CountingModel, tokens: int, seconds: float) -> dict[str, float]:
    """Return what was spent since."""
    return {"tokens": model.tokens - tokens, "cpu_seconds": round(time.process_time() - seconds, 1)}


if __name__ == "__main__":
    main()
