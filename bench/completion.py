"""How training and filtered evaluation grow with facts, entities and the length of intervals, beside slower ways.

    python bench/completion.py [--quick] [YAGO11k]

One epoch of TIMEPLEX base is measured beside the same epoch with the framework's own cross-entropy, and the filtered
evaluation beside the way of the paper's table 1: a mask and a rank for each instant. Both share the product that scores
all candidates. Each pair runs in turns. Given the folder of a dataset, the whole evaluation of its test is measured,
too, under both protocols. The published program needs about 92 CPU seconds for an epoch of YAGO11k's size (16,408
facts, 10,622 entities, rank 200) on two cores like those that gave the figures here; it does not run on a current
stack, so it cannot be timed beside ours.
Writes results/completion.json and .png.
"""

import sys
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from growth import cpu_seconds, keep, mark_sizes, panels

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Protocol, Quadruples, read_dataset
from asof.completion.queries import Queries, queries_of
from asof.completion.ranking import in_instants, known_to, protocol_ties, rank, ranks_of
from asof.completion.scorers.timeplex_base import TimeplexBase
from asof.completion.training import trainer
from asof.completion.training.trainer import Training, link_scores, protocol_instants, sizes_of, train

YAGO = {"facts": 16_408, "entities": 10_622, "length": 10}
PUBLISHED_EPOCH = 92.0  # CPU seconds
RANK = 200
TEST = 1_000  # facts whose both ends are asked for


def made_up(facts: int, entities: int, length: int, seed: int = 3) -> Dataset:
    """Make a dataset of a size; intervals last up to twice ``length`` years, a few entities have most of the facts."""
    random = np.random.default_rng(seed)
    count = facts + TEST
    popular = np.minimum(random.zipf(1.5, count) - 1, entities - 1)
    start = random.integers(1800, 2000, count)
    everything = Quadruples(
        random.integers(0, entities, count),
        random.integers(0, 10, count),
        popular,
        start,
        start + random.integers(0, 2 * length + 1, count),
    )
    return Dataset(
        name="made up",
        entities=tuple(map(str, range(entities))),
        relations=tuple(map(str, range(10))),
        points=np.unique(np.concatenate([everything.start, everything.end, [BEFORE_ALL, AFTER_ALL]])),
        train=everything[:facts],
        valid=everything[:0],
        test=everything[facts:],
        granularity="year",
        protocol=Protocol.CORRECTED,
    )


def epoch(dataset: Dataset) -> None:
    """Train for one epoch."""
    train(TimeplexBase(sizes_of(dataset), RANK), dataset, Training(epochs=1, squares=0.03))


def plain_epoch(dataset: Dataset) -> None:
    """Train for one epoch with scores that autograd keeps and torch's own cross-entropy."""
    ours = trainer.one_versus_all
    trainer.one_versus_all = lambda query, candidates, answer: torch.nn.functional.cross_entropy(
        query @ candidates.T, answer
    )
    try:
        epoch(dataset)
    finally:
        trainer.one_versus_all = ours


def by_instants(scorer: TimeplexBase, dataset: Dataset, queries: Queries) -> float:
    """Rank queries instant by instant, as the paper describes it; return the mean reciprocal rank."""
    everything = in_instants(dataset, Queries.of(dataset.all_facts, len(dataset.relations)))
    known: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for row in zip(
        everything.entity, everything.relation, everything.answer, everything.start, everything.end, strict=True
    ):
        known.setdefault((int(row[0]), int(row[1])), []).append((int(row[2]), int(row[3]), int(row[4])))
    tie = 1.0 if protocol_ties(dataset) == "against" else 0.5
    scores = link_scores(scorer, dataset, protocol_instants(dataset))(queries)
    asked = in_instants(dataset, queries)
    found = []
    for place in range(len(queries)):
        facts = known[int(asked.entity[place]), int(asked.relation[place])]
        ranks = []
        for instant in range(int(asked.start[place]), int(asked.end[place]) + 1):
            row = scores[place].clone()
            gold = row[asked.answer[place]].item()
            row[[answer for answer, start, end in facts if start <= instant <= end]] = -torch.inf
            ranks.append(1 + int((row > gold).sum()) + tie * int((row == gold).sum()))
        found.append(1 / np.mean(ranks))
    return float(np.mean(found))


def evaluated(dataset: Dataset, *, sample: int, repeats: int) -> dict[str, float]:
    """Measure a filtered evaluation of test beside a sample of it instant by instant, and that both agree."""
    scorer = TimeplexBase(sizes_of(dataset), RANK)
    torch.manual_seed(0)
    scorer.initialise(0.05)
    scores = link_scores(scorer, dataset, protocol_instants(dataset))
    queries = queries_of(dataset, "test")
    few = queries[np.sort(np.random.default_rng(0).choice(len(queries), sample, replace=False))]
    ours = median(cpu_seconds(lambda: rank(scores, dataset, "test")) for _ in range(repeats))
    slow = cpu_seconds(lambda: by_instants(scorer, dataset, few))
    mrr = float(np.mean(1 / ranks_of(scores(few), few, known_to(dataset, few, "instants"), protocol_ties(dataset))))
    asked = in_instants(dataset, queries)
    return {
        "questions": len(queries),
        "instants": float(np.mean(asked.end - asked.start + 1)),
        "evaluation": ours,
        "by_instants_ratio": slow / sample * len(queries) / ours,
        "difference": abs(mrr - by_instants(scorer, dataset, few)),
    }


def measured(size: dict[str, int], *, sample: int, repeats: int) -> dict[str, float]:
    """Measure one size: seconds of CPU for ours and for the slower ways."""
    dataset = made_up(**size)
    epochs = [(cpu_seconds(lambda: epoch(dataset)), cpu_seconds(lambda: plain_epoch(dataset))) for _ in range(repeats)]
    return {
        **size,
        "epoch": median(ours for ours, _ in epochs),
        "plain_epoch_ratio": median(plain / ours for ours, plain in epochs),
        **evaluated(dataset, sample=sample, repeats=repeats),
    }


def plot(result: dict[str, Any], path: Path) -> None:
    """Draw the growth of an epoch and of an evaluation."""
    with panels(path, size=(12, 3.6), columns=3, sharey=True) as axes:
        for axis, (name, rows) in zip(axes, result["curves"].items(), strict=True):
            sizes = [row[name] for row in rows]
            axis.loglog(sizes, [row["epoch"] for row in rows], "o-", label="one epoch")
            axis.loglog(sizes, [row["evaluation"] for row in rows], "s-", label="filtered evaluation, 2,000 questions")
            slower = [row["evaluation"] * row["by_instants_ratio"] for row in rows]
            axis.loglog(sizes, slower, "x:", label="the same, instant by instant")
            axis.set_xlabel({"length": "mean length of an interval, years"}.get(name, name))
            mark_sizes(axis, sizes)
        axes[0].set_ylabel("CPU seconds")


def main(quick: bool, places: list[str]) -> None:
    """Measure, print ratios, write JSON and a plot."""
    sample, repeats = (40, 1) if quick else (100, 3)
    grows = {"facts": (2_000, 8_000, 32_000), "entities": (2_500, 10_000, 40_000), "length": (1, 10, 50)}
    real = {
        f"{Path(place).name}, {protocol}": evaluated(read_dataset(place, protocol), sample=2 * sample, repeats=repeats)
        for place in places
        for protocol in Protocol
    }
    like_yago = measured(YAGO, sample=sample, repeats=repeats)
    curves = {
        name: [measured({**YAGO, name: size}, sample=sample, repeats=1) for size in sizes]
        for name, sizes in grows.items()
    }
    result = {
        "test of datasets": real,
        "size of YAGO11k": like_yago,
        "ratio_of_published_epoch": PUBLISHED_EPOCH / like_yago["epoch"],
        "curves": curves,
    }
    print(f"an epoch of YAGO11k's size: {like_yago['epoch']:.1f} CPU s")
    print(
        f"  the published program needs {result['ratio_of_published_epoch']:.1f} times that (its figure, not this run)"
    )
    print(f"  with torch's cross-entropy {like_yago['plain_epoch_ratio']:.2f} times that")
    for name, row in {**real, "made up, of YAGO11k's size": like_yago}.items():
        print(f"filtered evaluation, {name}: {row['evaluation']:.2f} CPU s for {row['questions']:,} questions")
        print(
            f"  instant by instant, {row['instants']:.0f} of them a question, {row['by_instants_ratio']:.1f} times "
            f"that, apart by {row['difference']:.1g}"
        )
    for name, rows in curves.items():
        for row in rows:
            print(f"{name:>9} {row[name]:>7}: epoch {row['epoch']:7.2f} s, evaluation {row['evaluation']:6.2f} s")
    keep("completion", result, plot)


if __name__ == "__main__":
    main("--quick" in sys.argv[1:], [word for word in sys.argv[1:] if word != "--quick"])
