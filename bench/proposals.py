"""How right are proposals? Parts of the almanac are hidden, a model learns from the rest, its proposals are judged.

    python bench/proposals.py --seeds 0 1 2 --rank 50 --epochs 12

Hidden are ends (6 %), starts (3 %) and whole facts (3 %). A proposed end or start of a hidden one is right if it is
that very year; a proposed object if the whole almanac has that fact at a time that meets the proposed one. What the
whole lacks cannot be judged for dates, and counts as wrong for objects. Of the first 100 and 1,000: the share that is
right, with its 95 % interval, beside the mean probability; and the calibration error over all.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Quadruples, read_dataset
from asof.completion.trained.calibration import expected_calibration_error
from asof.completion.trained.folder import train_into
from asof.completion.trained.proposals import ProposedFact, review_of
from asof.completion.trained.reasons import ReasonWriter
from asof.completion.training.plan import CompletionPlan
from asof.metrics import SHARE, interval_of
from asof.sources.almanac import almanac_base

COLUMNS = ("subject", "relation", "object", "start", "end")
HIDDEN = {"end": 0.06, "start": 0.03, "fact": 0.03}


def with_parts_hidden(dataset: Dataset, seed: int) -> tuple[Dataset, Quadruples]:
    """Hide ends, starts and facts; also return the facts as they were of which an end or start is hidden."""
    random = np.random.default_rng(seed)
    every = dataset.all_facts
    chance = random.random(len(every))
    dated = every.dated
    no_fact = chance < HIDDEN["fact"]
    no_start = ~no_fact & dated & (chance < HIDDEN["fact"] + HIDDEN["start"])
    no_end = ~no_fact & ~no_start & dated & (chance < sum(HIDDEN.values()))
    less = replace(every, start=np.where(no_start, BEFORE_ALL, every.start), end=np.where(no_end, AFTER_ALL, every.end))
    ongoing = np.zeros(len(every), bool) if dataset.ongoing is None else dataset.ongoing
    borders = np.cumsum([0, len(dataset.train), len(dataset.valid), len(dataset.test)])
    parts = [np.flatnonzero(~no_fact[first:after]) + first for first, after in pairwise(borders.tolist())]
    train, valid, test = (less[rows] for rows in parts)
    changed = replace(dataset, train=train, valid=valid, test=test, ongoing=ongoing[np.concatenate(parts)])
    return changed, every[no_start | no_end]


def judged(
    one: ProposedFact, hidden: dict[tuple[int, ...], int], has: dict[tuple[int, int, int], list[tuple[int, int]]]
) -> bool | None:
    """Tell whether a proposal is right; None where the whole does not say."""
    fact = one.subject, one.relation, one.object
    if one.what == "object":
        return any(start <= one.end and one.start <= end for start, end in has.get(fact, ()))
    key = (*fact, one.start, 0) if one.what == "end" else (*fact, one.end, 1)
    told = hidden.get(key)
    return None if told is None else told == (one.end if one.what == "end" else one.start)


def figures(chances: list[float], right: list[bool]) -> dict[str, float]:
    """Return the share of right ones with its interval, beside what was said."""
    low, high, _ = interval_of(np.array(right, float), np.ones(len(right)), SHARE)
    return {"n": len(right), "right": round(float(np.mean(right)), 4), "low": round(low, 4), "high": round(high, 4),
            "said": round(float(np.mean(chances)), 4)}  # fmt: skip


def measured(seed: int, rank: int, epochs: int, scorer: str) -> dict[str, object]:
    """Hide, train, propose and judge."""
    whole = read_dataset(almanac_base())
    dataset, changed = with_parts_hidden(whole, seed)
    begun = time.process_time()
    every = whole.all_facts
    has: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for s, r, o, start, end in zip(*(getattr(every, name).tolist() for name in COLUMNS), strict=True):
        has.setdefault((s, r, o), []).append((start, end))
    columns = (getattr(changed, name) for name in COLUMNS)
    hidden: dict[tuple[int, ...], int] = {}
    for s, r, o, start, end in zip(*(column.tolist() for column in columns), strict=True):
        hidden[s, r, o, start, 0], hidden[s, r, o, end, 1] = end, start
    with tempfile.TemporaryDirectory() as folder:
        plan = CompletionPlan.of(scorer, {"rank": rank, "epochs": epochs, "seed": seed})
        trained = train_into(Path(folder) / "model", plan, dataset, almanac_base())
        review = review_of(trained, least=0.05)
        answers = [(one, judged(one, hidden, has)) for one in review.proposals]
        told = [(one, bool(right)) for one, right in answers if right is not None]
        why = ReasonWriter(trained, review.ends)
        for one, right in told[:3] + [pair for pair in told if not pair[1]][:12]:
            names = trained.entities.labels
            said = f"{names[one.subject]}, {trained.relations.labels[one.relation]}: {names[one.object]}"
            row = {"right": right, "p": round(one.probability, 3), "what": one.what, "fact": said, "start": one.start}
            print(json.dumps(row | {"end": one.end, "why": why.why(one)}, ensure_ascii=False))
    found: dict[str, object] = {"seed": seed, "scorer": scorer, "proposals": len(answers), "judged": len(told)}
    for what in ("all", "end", "start", "object"):
        part = [(one.probability, right) for one, right in told if what in ("all", one.what)]
        for most in (100, 1000):
            if len(part) >= min(most, 100):
                found[f"{what}, first {most}"] = figures(*map(list, zip(*part[:most], strict=True)))
        if part:
            sure, right = (np.array(column, float) for column in zip(*part, strict=True))
            found[f"{what}, calibration error"] = round(expected_calibration_error(sure, right), 4)
    found["cpu_seconds"] = round(time.process_time() - begun, 1)
    return found


def main() -> None:
    """Measure each seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--rank", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--scorer", default="timeplex-base")
    given = parser.parse_args()
    for seed in given.seeds:
        print(json.dumps(measured(seed, given.rank, given.epochs, given.scorer)), flush=True)


if __name__ == "__main__":
    main()
