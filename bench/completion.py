"""How training and filtered evaluation grow with facts, entities and the length of intervals, beside slower ways.

    python bench/completion.py [--quick] [YAGO11k] [ICEWS14]

One epoch of TIMEPLEX base is measured beside the same epoch with the framework's own cross-entropy, and the filtered
evaluation beside the way of the paper's table 1: a mask and a rank for each instant. Both share the product that scores
all candidates; what that takes by itself is measured, too. Each pair runs in turns. Given the folders of datasets, the
whole evaluation of their test is measured under both protocols, and beside the steps of published programs: of
TIMEPLEX's where intervals are asked about under its protocol (``published_ranks.py``), of TNTComplEx's where facts are
events, there with an epoch, too (``published_events.py``). Writes results/completion.json and .png.
"""

import sys
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from growth import cpu_seconds, keep, mark_sizes, panels
from published_events import known_by_day, published_event_epoch, published_event_ranks
from published_ranks import known_by_instant, published_ranks

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Protocol, Quadruples, read_dataset
from asof.completion.queries import Queries, queries_of
from asof.completion.ranking import Scores, in_instants, known_to, protocol_ties, rank, ranks_of
from asof.completion.scorers import Scorer
from asof.completion.scorers.timeplex_base import TimeplexBase
from asof.completion.scorers.tntcomplex import TNTComplEx
from asof.completion.training import trainer
from asof.completion.training.trainer import CompletionTraining, link_scores, protocol_instants, sizes_of, train

YAGO = {"facts": 16_408, "entities": 10_622, "length": 10}
RANK = 200
EVENT_RANK = 156  # of TNTComplEx, as published
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
    train(TimeplexBase(sizes_of(dataset), RANK), dataset, CompletionTraining(epochs=1, squares=0.03))


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


def scorer_of(dataset: Dataset) -> Scorer:
    """Make the scorer whose evaluation is measured: TNTComplEx for events, else TIMEPLEX base."""
    torch.manual_seed(0)
    sizes = sizes_of(dataset)
    scorer = TNTComplEx(sizes, EVENT_RANK) if dataset.granularity == "day" else TimeplexBase(sizes, RANK)
    scorer.initialise(0.05)
    return scorer


Known = dict[tuple[int, int], list[tuple[int, int, int]]]  # by entity and relation: answers, when they begin and end


def known_facts(dataset: Dataset) -> Known:
    """Look up what all three splits know."""
    known: Known = {}
    every = in_instants(dataset, Queries.of(dataset.all_facts, len(dataset.relations)))
    for row in zip(every.entity, every.relation, every.answer, every.start, every.end, strict=True):
        known.setdefault((int(row[0]), int(row[1])), []).append((int(row[2]), int(row[3]), int(row[4])))
    return known


def by_instants(scores: Scores, dataset: Dataset, queries: Queries, known: Known) -> float:
    """Rank queries instant by instant, as the paper describes it; return the mean reciprocal rank."""
    tie = 1.0 if protocol_ties(dataset) == "against" else 0.5
    found = []
    scored = scores(queries)
    asked = in_instants(dataset, queries)
    for place in range(len(queries)):
        facts = known[int(asked.entity[place]), int(asked.relation[place])]
        ranks = []
        for instant in range(int(asked.start[place]), int(asked.end[place]) + 1):
            row = scored[place].clone()
            gold = row[asked.answer[place]].item()
            row[[answer for answer, start, end in facts if start <= instant <= end]] = -torch.inf
            ranks.append(1 + int((row > gold).sum()) + tie * int((row == gold).sum()))
        found.append(1 / np.mean(ranks))
    return float(np.mean(found))


def evaluated(dataset: Dataset, *, sample: int, repeats: int) -> dict[str, float]:
    """Measure a filtered evaluation of test beside a sample of it instant by instant, and that both agree."""
    scorer = scorer_of(dataset)
    scores = link_scores(scorer, dataset, protocol_instants(dataset))
    queries = queries_of(dataset, "test")
    few = queries[np.sort(np.random.default_rng(0).choice(len(queries), sample, replace=False))]

    def product() -> None:
        for start in range(0, len(queries), 512):
            scores(queries[start : start + 512])

    turns = [(cpu_seconds(lambda: rank(scores, dataset, "test")), cpu_seconds(product)) for _ in range(repeats)]
    ours = median(whole for whole, _ in turns)
    known = known_facts(dataset)
    looked_up = cpu_seconds(lambda: known_facts(dataset))
    slow = cpu_seconds(lambda: by_instants(scores, dataset, few, known))
    mrr = float(np.mean(1 / ranks_of(scores(few), few, known_to(dataset, few, "instants"), protocol_ties(dataset))))
    asked = in_instants(dataset, queries)
    found = {
        "questions": len(queries),
        "instants": float(np.mean(asked.end - asked.start + 1)),
        "evaluation": ours,
        "share_of_product": median(product / whole for whole, product in turns),
        "by_instants_ratio": (looked_up + slow / sample * len(queries)) / ours,
        "difference": abs(mrr - by_instants(scores, dataset, few, known)),
    }
    if dataset.protocol is Protocol.JAIN2020 and dataset.name != "made up":
        found |= beside_published_steps(scorer, dataset, scores, queries, repeats)
    if isinstance(scorer, TNTComplEx) and dataset.protocol is Protocol.JAIN2020:
        found |= beside_published_epoch(dataset, repeats)
    return found


def beside_published_steps(
    scorer: Scorer, dataset: Dataset, scores: Scores, queries: Queries, repeats: int
) -> dict[str, float]:
    """Measure the whole evaluation in turns with the steps of the published program, and that both agree."""

    def steps() -> np.ndarray:
        if isinstance(scorer, TNTComplEx):
            return published_event_ranks(scorer, dataset, queries, known_by_day(dataset))
        return published_ranks(scorer, dataset, queries, known_by_instant(dataset))

    turns = [(cpu_seconds(lambda: rank(scores, dataset, "test")), cpu_seconds(steps)) for _ in range(repeats)]
    return {
        "published_steps_ratio": median(theirs / ours for ours, theirs in turns),
        "published_steps_difference": abs(rank(scores, dataset, "test").mrr - float(np.mean(1 / steps()))),
    }


def beside_published_epoch(dataset: Dataset, repeats: int) -> dict[str, float]:
    """Measure an epoch of TNTComplEx, over all entities and over some, in turns with the published steps."""
    untested = replace(dataset, valid=dataset.valid[:0])

    def ours(shared_negatives: int) -> float:
        settings = CompletionTraining(
            epochs=1, batch=1000, cubes=1e-2, roughness=1e-2, instants="start", shared_negatives=shared_negatives
        )
        return cpu_seconds(lambda: train(TNTComplEx(sizes_of(dataset), EVENT_RANK), untested, settings))

    def theirs() -> float:
        scorer = scorer_of(dataset)
        return cpu_seconds(lambda: published_event_epoch(scorer, dataset))

    turns = [(ours(0), ours(1000), theirs()) for _ in range(repeats)]
    return {
        "epoch": median(one for one, _, _ in turns),
        "published_epoch_ratio": median(steps / one for one, _, steps in turns),
        "published_epoch_ratio_shared_negatives": median(steps / one for _, one, steps in turns),
    }


def measured(size: dict[str, int], *, sample: int, repeats: int) -> dict[str, float]:
    """Measure one size: seconds of CPU for an epoch, once, and for an evaluation."""
    dataset = made_up(**size)
    seconds = cpu_seconds(lambda: epoch(dataset))
    return {**size, "epoch": seconds, **evaluated(dataset, sample=sample, repeats=repeats)}


def measured_beside(size: dict[str, int], *, sample: int, repeats: int) -> dict[str, float]:
    """Measure one size, and epochs in turns with slower ones."""
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
    with panels(path, size=(12, 4), columns=3, sharey=True) as axes:
        for axis, (name, rows) in zip(axes, result["curves"].items(), strict=True):
            sizes = [row[name] for row in rows]
            slower = [row["evaluation"] * row["by_instants_ratio"] for row in rows]
            axis.loglog(sizes, [row["epoch"] for row in rows], "o-", label="one epoch of TIMEPLEX base, rank 200")
            axis.loglog(sizes, slower, "x:", label="filtered ranks of 2,000 questions, instant by instant")
            axis.loglog(sizes, [row["evaluation"] for row in rows], "s-", label="the same ranks in one pass")
            fixed = {key: value for key, value in YAGO.items() if key != name}
            axis.set_title(", ".join(f"{value:,} {_SAID[key]}" for key, value in fixed.items()), fontsize=9)
            axis.set_xlabel(_SAID[name])
            mark_sizes(axis, sizes)
        axes[0].set_ylabel("CPU seconds")
        axes[0].set_ylim(top=4 * axes[0].get_ylim()[1])  # room for the key
        axes[0].yaxis.set_major_formatter("{x:g}")


_SAID = {"facts": "facts", "entities": "entities", "length": "years a fact, on average"}


def main(quick: bool, places: list[str]) -> None:
    """Measure, print ratios, write JSON and a plot."""
    sample, repeats = (40, 1) if quick else (100, 3)
    grows = {"facts": (2_000, 8_000, 32_000), "entities": (2_500, 10_000, 40_000), "length": (1, 10, 50)}
    real = {
        f"{Path(place).name}, {protocol}": evaluated(read_dataset(place, protocol), sample=2 * sample, repeats=repeats)
        for place in places
        for protocol in Protocol
    }
    like_yago = measured_beside(YAGO, sample=sample, repeats=repeats)
    curves = {
        name: [measured({**YAGO, name: size}, sample=sample, repeats=repeats) for size in sizes]
        for name, sizes in grows.items()
    }
    result = {
        "test of datasets": real,
        "size of YAGO11k": like_yago,
        "curves": curves,
    }
    print(f"an epoch of YAGO11k's size: {like_yago['epoch']:.1f} CPU s")
    print(f"  with torch's cross-entropy {like_yago['plain_epoch_ratio']:.2f} times that")
    for name, row in {**real, "made up, of YAGO11k's size": like_yago}.items():
        print(f"filtered evaluation, {name}: {row['evaluation']:.2f} CPU s for {row['questions']:,} questions")
        print(
            f"  instant by instant, {row['instants']:.0f} of them a question, {row['by_instants_ratio']:.1f} times "
            f"that, apart by {row['difference']:.1g}; the product of matrices alone {row['share_of_product']:.0%} of it"
        )
        if "published_steps_ratio" in row:
            print(
                f"  the steps of the published program {row['published_steps_ratio']:.1f} times that, in turns, "
                f"apart by {row['published_steps_difference']:.1g}"
            )
        if "published_epoch_ratio" in row:
            print(
                f"  an epoch {row['epoch']:.1f} CPU s; the published steps {row['published_epoch_ratio']:.1f} times "
                f"that, {row['published_epoch_ratio_shared_negatives']:.1f} times one with shared negatives, in turns"
            )
    for name, rows in curves.items():
        for row in rows:
            print(f"{name:>9} {row[name]:>7}: epoch {row['epoch']:7.2f} s, evaluation {row['evaluation']:6.2f} s")
    keep("completion", result, plot)


if __name__ == "__main__":
    main("--quick" in sys.argv[1:], [word for word in sys.argv[1:] if word != "--quick"])
