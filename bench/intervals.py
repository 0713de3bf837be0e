"""How often do 95 % intervals hold the truth, and how often do two equal runs seem to differ? Simulated.

    python bench/intervals.py            # bench/results/intervals.json, and the tables of docs/uncertainty.md

Facts are drawn again and again from a population whose mean is known. Shares are computed, not simulated. A percentile
bootstrap stands beside each row. Ends with an error when an interval holds the truth in less than 93 % of cases, or a
test errs in more than 6 %.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from growth import keep

from asof.metrics import UNBOUNDED, Result, interval_of, mean_of_facts, mean_of_items, sign_flip_test

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, float], Floats]

SIZES = (4, 10, 20, 50, 100, 200)
MEANS = (0.02, 0.05, 0.1, 0.2, 0.5)
DRAWN = 2000
DRAWN_LOGS = 10_000  # of log-probabilities, where it is close
BOOTSTRAPPED = 200  # draws for the bootstrap beside, which is slow
LEAST_HELD, MOST_WRONG = 0.93, 0.06
OTHER_SHAPE = "two runs of equal means, one near 0 or near 1, one in between"  # the test asks for more than means
PAGE = Path(__file__).parents[1] / "docs" / "uncertainty.md"


def skewed(random: np.random.Generator, n: int, p: float) -> Floats:
    """Draw values near 0 or near 1, as win rates of facts are."""
    return random.beta(0.3 * p, 0.3 * (1 - p), n)


def zero_inflated(random: np.random.Generator, n: int, p: float) -> Floats:
    """Draw values most of which are 0, as reciprocal ranks of a weak model are."""
    some = min(1.0, 2 * p)
    return np.where(random.random(n) < some, random.beta(1, some / p - 1, n), 0.0)


def close_together(random: np.random.Generator, n: int, p: float) -> Floats:
    """Draw values that lie close together."""
    return random.beta(20 * p, 20 * (1 - p), n)


def known(random: np.random.Generator, n: int, p: float) -> Floats:
    """Draw whether facts are known."""
    return (random.random(n) < p).astype(float)


Items = Callable[[np.random.Generator, int, float], tuple[Floats, npt.NDArray[np.int64]]]


def items(alike: float, *, larger_if_known: bool = False) -> Items:
    """Return how items by fact are drawn: how alike those of one fact are, from 0 to 1; one fact in ten has many.

    Args:
        larger_if_known: Facts that are known have twice as many items, so that size and score go together.
    """

    def draw(random: np.random.Generator, n: int, p: float) -> tuple[Floats, npt.NDArray[np.int64]]:
        weight = 1 / alike - 1
        # With twice the items for what is known, fewer facts must be known for the same share of items.
        of_facts = p / (2 - p) if larger_if_known else p
        chances = (
            random.beta(of_facts * weight, (1 - of_facts) * weight, n) if alike < 1 else known(random, n, of_facts)
        )
        sizes = random.geometric(0.25, n) * np.where(random.random(n) < 0.1, 5, 1)
        sizes = sizes * (1 + chances.astype(int)) if larger_if_known else sizes
        facts = np.repeat(np.arange(n), sizes)
        return (random.random(len(facts)) < chances[facts]).astype(float), facts

    return draw


MEANS_OF_FACTS: dict[str, Draw] = {
    "means, near 0 or near 1": skewed,
    "means, mostly 0": zero_inflated,
    "means, close together": close_together,
}
SHARES_OF_ITEMS: dict[str, Items] = {
    "items by fact, a little alike": items(0.3),
    "items by fact, all alike": items(1.0),
    "items by fact, known facts have more": items(1.0, larger_if_known=True),
}


LEAST_SHAPE = 3.0  # of gamma-distributed values: those below are more skewed, and nothing is promised of them
SHAPES = {"log-probabilities": LEAST_SHAPE, "log-probabilities, as skewed as an exponential": 1.0}


def main() -> None:
    """Simulate all, write the figures, and see that they are good enough."""
    rows = [*held_shares(), *held_means(), *held_items(), *held_unbounded(), *wrong_tests()]
    keep("intervals", rows)
    write_page(rows)
    bad = [row for row in rows if row["promised"] and (row["held"] < LEAST_HELD or row.get("wrong", 0) > MOST_WRONG)]
    if bad:
        sys.exit(f"not as promised: {bad}")


def held_shares() -> Iterator[dict[str, Any]]:
    """Compute how often the interval of a share holds it, from the chance of each number of successes."""
    for n in SIZES:
        results = [mean_of_facts([1.0] * k + [0.0] * (n - k)) for k in range(n + 1)]
        random = np.random.default_rng(0)
        boots = [percentiles(np.array([1.0] * k + [0.0] * (n - k)), np.ones(n), random) for k in range(n + 1)]
        for p in MEANS:
            chances = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
            yield {
                "kind": "shares of facts", "n": n, "p": p, "promised": True,
                "held": sum(c for c, one in zip(chances, results, strict=True) if one.low <= p <= one.high),
                "bootstrap": sum(c for c, (low, high) in zip(chances, boots, strict=True) if low <= p <= high),
                "width": sum(c * (one.high - one.low) for c, one in zip(chances, results, strict=True)),
            }  # fmt: skip


def held_means() -> Iterator[dict[str, Any]]:
    """Count how often the interval of a mean over facts holds it."""
    for kind, draw in MEANS_OF_FACTS.items():
        for n, p, random in cells():
            drawn = [draw(random, n, p) for _ in range(DRAWN)]
            boots = [percentiles(values, np.ones(n), random) for values in drawn[:BOOTSTRAPPED]]
            yield counted(kind, n, p, [mean_of_facts(values) for values in drawn], boots)


def held_items() -> Iterator[dict[str, Any]]:
    """Count how often the interval of a share of items holds it."""
    for kind, draw in SHARES_OF_ITEMS.items():
        for n, p, random in cells():
            drawn = [draw(random, n, p) for _ in range(DRAWN)]
            results = [mean_of_items(values, facts.tolist()) for values, facts in drawn]
            boots = []
            for values, facts in drawn[:BOOTSTRAPPED]:
                counts = np.bincount(facts).astype(float)
                boots.append(percentiles(np.bincount(facts, values) / counts, counts, random))
            yield counted(kind, n, p, results, boots)


def held_unbounded() -> Iterator[dict[str, Any]]:
    """Count how often the t interval holds the mean of values without bounds: log-probabilities, skewed to the left."""
    for kind, shape in SHAPES.items():
        for n in SIZES:
            random = np.random.default_rng(n)
            drawn = [-random.gamma(shape, 1, n) for _ in range(DRAWN_LOGS)]
            boots = [percentiles(values, np.ones(n), random) for values in drawn[:BOOTSTRAPPED]]
            results = [mean_of_facts(values, within=UNBOUNDED) for values in drawn]
            yield counted(kind, n, -shape, results, boots) | {"promised": shape >= LEAST_SHAPE}


def wrong_tests() -> Iterator[dict[str, Any]]:
    """Count how often two runs that are equally good differ with p of at most 0.05, and how often intervals hold 0."""
    kinds: dict[str, Callable[[np.random.Generator, int, float], tuple[Floats, Floats]]] = {
        "two runs, shares of facts": lambda random, n, p: (known(random, n, p) - known(random, n, p), np.ones(n)),
        "two runs, means near 0 or near 1": lambda random, n, p: (
            skewed(random, n, p) - skewed(random, n, p),
            np.ones(n),
        ),
        "two runs, items by fact": _item_gaps,
        OTHER_SHAPE: lambda random, n, p: (skewed(random, n, p) - close_together(random, n, p), np.ones(n)),
    }
    for kind, draw in kinds.items():
        for n, p, random in cells():
            held, wrong, boots = 0, 0, 0
            for number in range(DRAWN):
                gaps, counts = draw(random, n, p)
                low, high, _ = interval_of(gaps, counts, (-1.0, 1.0))
                held += low <= 0 <= high
                wrong += sign_flip_test(gaps * counts, seed=number)[0] <= 0.05
                if number < BOOTSTRAPPED:
                    low, high = percentiles(gaps, counts, random)
                    boots += gaps.any() and not low <= 0 <= high
            yield {
                "kind": kind, "n": n, "p": p, "promised": kind != OTHER_SHAPE,
                "held": held / DRAWN, "wrong": wrong / DRAWN,
                "bootstrap": boots / BOOTSTRAPPED,
            }  # fmt: skip


def _item_gaps(random: np.random.Generator, n: int, p: float) -> tuple[Floats, Floats]:
    """Draw two runs on the same items: each knows facts of its own."""
    sizes = random.geometric(0.25, n)
    chances = random.beta(p, 1 - p, (2, n))
    gaps = (random.binomial(sizes, chances[1]) - random.binomial(sizes, chances[0])) / sizes
    return gaps, sizes.astype(float)


def cells() -> Iterator[tuple[int, float, np.random.Generator]]:
    """Go through all numbers of facts and all means, each with draws of its own."""
    for n in SIZES:
        for p in MEANS:
            yield n, p, np.random.default_rng([n, round(100 * p)])


def counted(
    kind: str, n: int, p: float, results: Sequence[Result], boots: Sequence[tuple[float, float]]
) -> dict[str, Any]:
    """Return how many intervals hold the truth."""
    return {
        "kind": kind, "n": n, "p": p, "promised": True,
        "held": sum(one.low <= p <= one.high for one in results) / len(results),
        "bootstrap": sum(low <= p <= high for low, high in boots) / len(boots),
        "width": float(np.mean([one.high - one.low for one in results])),
    }  # fmt: skip


def percentiles(values: Floats, weights: Floats, random: np.random.Generator) -> tuple[float, float]:
    """Return the interval in which 95 % of resampled means lie, as it was made before."""
    drawn = random.multinomial(len(values), np.full(len(values), 1 / len(values)), 300)
    low, high = np.quantile(drawn @ (values * weights) / (drawn @ weights), [0.025, 0.975])
    return float(low), float(high)


def write_page(rows: Sequence[dict[str, Any]]) -> None:
    """Put the tables into the page of the docs."""
    page = PAGE.read_text(encoding="utf-8")
    for name, table in tables(rows).items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = page.partition(begin)
        page = before + begin + table + end + rest.partition(end)[2]
    PAGE.write_text(page, encoding="utf-8")


def tables(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return the tables of the docs: the worst over all means, for each kind and number of facts."""
    tests = [row for row in rows if "wrong" in row]
    intervals = [row for row in rows if "wrong" not in row]
    return {
        "coverage": _table("interval of", intervals, "held", "bootstrap", min),
        "false positives": _table("", tests, "wrong", "bootstrap", max),
    }


def _table(head: str, rows: Sequence[dict[str, Any]], now: str, before: str, worst: Callable[..., float]) -> str:
    lines = [f"| {head} | " + " | ".join(f"n = {n}" for n in SIZES) + " |\n", "|---" * (len(SIZES) + 1) + "|\n"]
    for kind in dict.fromkeys(row["kind"] for row in rows):
        found = [[row for row in rows if row["kind"] == kind and row["n"] == n] for n in SIZES]
        cells = [f"**{100 * worst(row[now] for row in some):.1f}** ({_plain(some, before, worst)})" for some in found]
        lines.append(f"| {kind} | " + " | ".join(cells) + " |\n")
    return "".join(lines)


def _plain(rows: Sequence[dict[str, Any]], name: str, worst: Callable[..., float]) -> str:
    return f"{100 * worst(row[name] for row in rows):.0f}"


if __name__ == "__main__":
    main()
