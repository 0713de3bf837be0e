"""How evidence, an epoch and their memory grow to a million facts; an epoch beside the published steps.

    python bench/completion_scale.py [SIZE ...]            sizes in facts; entities are a fifth of them
    python bench/completion_scale.py --epochs ICEWS14 [TURNS [FACTS]]
        epochs of TNTComplEx, in turns with the published steps; of so many sampled facts of train (default: all)

Each size runs in a process of its own: an epoch of TIMEPLEX base with shared negatives, then the questions of
``evidence`` with trees that were grown on noise, whose time does not depend on what they learnt. The made-up graph has
five hubs with a thirtieth of all facts each, a power law of popularity, and answers that go together. Writes
results/completion_scale.json.
"""

import json
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import lightgbm as lgb
import numpy as np
import torch
from completion import EVENT_RANK, scorer_of
from growth import RESULTS, cpu_seconds, of_sizes
from published_events import published_event_epoch

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Protocol, Quadruples, read_dataset
from asof.completion.queries import queries_of
from asof.completion.ranking import rank
from asof.completion.scorers.timeplex_base import TimeplexBase
from asof.completion.scorers.tntcomplex import TNTComplEx
from asof.completion.training.plan import CompletionPlan
from asof.completion.training.trainer import CompletionTraining, link_scores, sizes_of, train

SIZES = (10_000, 100_000, 1_000_000)
RELATIONS, RANK, QUESTIONS = 20, 100, 128


def people_and_places(facts: int, seed: int = 3) -> Dataset:
    """Make a graph: people with kinds of their own, popular places, a symmetric relation, open and missing ends."""
    random = np.random.default_rng(seed)
    entities = facts // 5
    people = entities * 4 // 5
    count = facts + facts // 50
    relation = np.minimum(random.zipf(1.6, count) - 1, RELATIONS - 1)
    subject = random.integers(0, people, count)
    kind = np.where(random.random(count) < 0.3, random.integers(0, 50, count), random.integers(0, 50, people)[subject])
    popular = np.minimum((random.pareto(1.0, count) * 3).astype(np.int64), entities - people - 1)
    object = people + (popular * 7919 + relation * 104_729 + kind * 1_299_709) % (entities - people)
    object = np.where(random.random(count) < 0.15, people + random.integers(0, 5, count), object)
    object = np.where(relation == 3, np.minimum(subject ^ 1, entities - 1), object)
    born = random.integers(1850, 1970, people)[subject]
    start = np.where(random.random(count) < 0.05, BEFORE_ALL, born + 18 + 2 * relation + random.integers(0, 12, count))
    end = np.where(start > BEFORE_ALL, start + random.integers(0, 15, count), born + 60)
    end = np.where(random.random(count) < 0.1, AFTER_ALL, end)
    every = Quadruples(subject, relation, object, start, end)
    half = facts + facts // 100
    return Dataset(
        name="made up",
        entities=tuple(f"e{number}" for number in range(entities)),
        relations=tuple(f"r{number}" for number in range(RELATIONS)),
        points=np.unique(np.concatenate([start, end, [BEFORE_ALL, AFTER_ALL]])),
        train=every[:facts],
        valid=every[facts:half],
        test=every[half:],
        granularity="year",
        protocol=Protocol.CORRECTED,
    )


def one_size(facts: int) -> dict[str, float]:
    """Measure one size: CPU seconds of an epoch, of opening, milliseconds a question, gigabytes."""
    torch.set_num_threads(1)
    dataset = people_and_places(facts)
    unjudged = replace(dataset, valid=dataset.valid[:0])
    settings = CompletionTraining(epochs=1, shared_negatives=1000)
    base = TimeplexBase(sizes_of(dataset), RANK)
    epoch = cpu_seconds(lambda: train(base, unjudged, settings))
    after_epoch = gigabytes()
    plan = CompletionPlan.of("evidence", {"rank": RANK})
    began = time.process_time()
    scorer: Any = plan.new_scorer(dataset)
    scorer.look_at(dataset.without_test)
    counted = time.process_time() - began
    scorer.load_state_dict(base.state_dict(), strict=False)
    asked = queries_of(dataset, "test")
    asked = asked[np.random.default_rng(0).choice(len(asked), QUESTIONS + 16, replace=False)].unanswered
    ranker = scorer._ranker.weighed_by(trees_of_noise(len(scorer._ranker.names)))
    with torch.inference_mode():
        ranker.scores(asked[:16])
        asking = cpu_seconds(lambda: ranker.scores(asked[16:]))
    return {
        "facts": facts,
        "entities": len(dataset.entities),
        "largest_hub": int(np.bincount(dataset.train.object).max()),
        "epoch": epoch,
        "epoch_gigabytes": after_epoch,
        "counting": counted,
        "ms_a_question": asking / QUESTIONS * 1e3,
        "gigabytes": gigabytes(),
    }


def trees_of_noise(features: int) -> list[lgb.Booster]:
    """Grow three times 300 trees of the size that evidence has."""
    random = np.random.default_rng(0)
    table = random.normal(size=(60_000, features))
    right = (table[:, 0] + table[:, 1] * table[:, 2] + random.normal(size=len(table))) > 2.5
    settings = {"objective": "lambdarank", "num_leaves": 15, "min_data_in_leaf": 200, "verbose": -1, "num_threads": 1}
    return [
        lgb.train({**settings, "seed": seed}, lgb.Dataset(table, right.astype(int), group=[300] * 200), 300)
        for seed in range(3)
    ]


def gigabytes() -> float:
    """Return the most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def epochs(place: str, repeats: int, facts: int | None = None) -> dict[str, Any]:
    """Measure epochs of TNTComplEx in turns with the published steps, and what the products change."""
    torch.set_num_threads(1)
    dataset = read_dataset(place, Protocol.JAIN2020)
    if facts:
        rows = np.random.default_rng(0).choice(len(dataset.train), facts, replace=False)
        dataset = replace(dataset, train=dataset.train[rows])
    untested = replace(dataset, valid=dataset.valid[:0])

    def ours(products: str, shared: int = 0) -> tuple[float, float]:
        scorer = TNTComplEx(sizes_of(dataset), EVENT_RANK)
        settings = CompletionTraining(
            epochs=1, batch=1000, cubes=1e-2, roughness=1e-2, instants="start", shared_negatives=shared,
            products=products,  # type: ignore[arg-type]
        )  # fmt: skip
        seconds = cpu_seconds(lambda: train(scorer, untested, settings))
        return seconds, rank(link_scores(scorer, dataset, "start"), dataset, "valid", most=1000).mrr

    def theirs() -> float:
        scorer = scorer_of(dataset)
        return cpu_seconds(lambda: published_event_epoch(scorer, dataset))

    ours("auto")  # the first product in bfloat16 takes a second: its kernels are made
    turns = [(ours("auto"), ours("float32"), ours("auto", 1000), theirs()) for _ in range(repeats)]
    return {
        "dataset": dataset.name,
        "rank": EVENT_RANK,
        "facts": len(dataset.train),
        "turns": repeats,
        "published_epoch": median(turn[3] for turn in turns),
        **{
            name: {
                "epoch": median(turn[place][0] for turn in turns),
                "published_steps_ratio": median(turn[3] / turn[place][0] for turn in turns),
                "valid_mrr": turns[0][place][1],
            }
            for place, name in enumerate(("auto", "float32", "auto, 1,000 shared negatives"))
        },
    }


def main(words: list[str]) -> None:
    """Measure what is asked for, and keep it beside what was measured before."""
    path = RESULTS / "completion_scale.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if words[:1] == ["--epochs"]:
        kept["epochs"] = epochs(words[1], *(int(word) for word in words[2:] or ("3",)))
        print(json.dumps(kept["epochs"], indent=1))
    else:
        rows = list(of_sizes(str(Path(__file__)), [int(size) for size in words] or SIZES))
        kept["growth"] = sorted(
            [*(row for row in kept.get("growth", []) if row["facts"] not in {new["facts"] for new in rows}), *rows],
            key=lambda row: row["facts"],
        )
        for row in rows:
            print(json.dumps(row))
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one_size(int(sys.argv[2]))))
    else:
        main(sys.argv[1:])
