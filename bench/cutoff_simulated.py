"""How good is the estimate of a knowledge cutoff where the truth is known? Simulated answers of three kinds.

    python bench/cutoff_simulated.py [WORKERS]  # bench/results/cutoff_simulated.json, and the tables of docs/cutoff.md

Facts change at random in 40 quarters. A model whose knowledge ends with a quarter takes an answer by the weights of the
estimate (likelihood: the best of all candidates); or writes it, wrongly or not at all in some cases, and only in one
period (written); or chooses between the answer of a period and the one before, in both orders (chosen). Beside that,
how often do several cutoffs seem to be there when there is one? Ends with an error when intervals hold the truth in
less than 93 % of cases, or that errs in more than 5 %.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from growth import keep

from asof.runs.cutoff_likelihood import ChangedFact, current_at, posterior
from asof.runs.cutoff_partial import relation_parts

PERIODS = 40
FACTS = (40, 100, 200)
NOISES = {
    "little noise": (0.05, 0.05, 0.0),
    "more noise": (0.3, 0.1, 0.25),
    "much noise, some unknown": (0.4, 0.2, 0.5),
}
KINDS = ("likelihood", "written", "chosen")
REPEATED = 40
PARTS_REPEATED = 100
SHARES = 4  # in which the repetitions are put to workers
ENDS = {"false": (20, 20), "a year apart": (18, 22), "two years apart": (16, 24)}
LEAST_HELD, MOST_WRONG = 0.93, 0.05
PAGE = Path(__file__).parents[1] / "docs" / "cutoff.md"


def histories(random: np.random.Generator, facts: int) -> Iterator[npt.NDArray[np.bool_]]:
    """Draw facts that had two to four answers; in some quarters of a change both are right."""
    for _ in range(facts):
        count = int(random.integers(2, 5))
        borders = [0, *np.sort(random.choice(np.arange(1, PERIODS), count - 1, replace=False)), PERIODS]
        holds = np.zeros((count, PERIODS), bool)
        for answer in range(count):
            holds[answer, borders[answer] : borders[answer + 1] + int(random.random() < 0.6)] = True
        yield holds


def known_as_of(random: np.random.Generator, end: int, lag: float) -> int:
    """Draw the quarter as of which a fact is known."""
    behind = int(random.geometric(1 - np.exp(-1 / (4 * lag)))) - 1 if lag else 0
    return max(0, end - behind)


def weights(holds: npt.NDArray[np.bool_], known: int, over: float, later: float) -> npt.NDArray[np.float64]:
    """Return how readily a model takes each answer that knows a fact as of a quarter."""
    now, begun = current_at(holds)[:, known], holds[:, : known + 1].any(1)
    return np.where(now, 1 / max(1, now.sum()), np.where(begun, over, later))


def answered(
    random: np.random.Generator, kind: str, facts: int, end: int, noise: tuple[float, float, float]
) -> list[ChangedFact]:
    """Draw the answers of a model; a fifth of the facts of the noisiest one are unknown to it."""
    over, later, lag = noise
    found: list[ChangedFact] = []
    for holds in histories(random, facts):
        known = known_as_of(random, end, lag)
        unknown = over > 0.35 and random.random() < 0.2
        if kind == "chosen":
            found += chosen(random, holds, known, (1.0, 1.0) if unknown else (over, later))
            continue
        if kind == "written" and random.random() < 0.3:
            continue  # wrong, or refused
        period = int(random.integers(PERIODS // 2, PERIODS)) if kind == "written" else None
        seen = known if period is None else min(known, period)
        shares = np.ones(len(holds)) if unknown else weights(holds, seen, over, later)
        found.append(ChangedFact(holds, int(random.choice(len(holds), p=shares / shares.sum())), period=period))
    return found


def chosen(
    random: np.random.Generator, holds: npt.NDArray[np.bool_], known: int, noise: tuple[float, float]
) -> Iterator[ChangedFact]:
    """Draw choices between each answer and the one before; a model that hesitates takes one in each order."""
    for right in range(1, len(holds)):
        began = int(holds[right].argmax())
        pair = (right - 1, right)
        shares = weights(holds, min(known, began), *noise)[list(pair)]
        share = shares[1] / shares.sum()
        taken = float(np.mean(random.random(2) < share))
        for given, weight in ((right, taken), (right - 1, 1 - taken)):
            if weight:
                yield ChangedFact(holds, given, pair, weight, began)


def measured(kind: str, noise: str, facts: int) -> dict[str, Any]:
    """Estimate many cutoffs, and tell how often the estimate is exact, and how often the interval holds the truth."""
    random = np.random.default_rng([KINDS.index(kind), list(NOISES).index(noise), facts])
    exact, near, held, wide = 0, 0, 0, []
    for _ in range(REPEATED):
        end = int(random.integers(4, PERIODS - 4))
        found = posterior(answered(random, kind, facts, end, NOISES[noise]), periods_per_year=4)
        low, high = found.interval()
        exact += found.best == end
        near += abs(found.best - end) <= 1
        held += low <= end <= high
        wide.append(high - low + 1)
    shares = {"exact": exact / REPEATED, "within one": near / REPEATED, "held": held / REPEATED}
    of = {"kind": kind, "noise": noise, "facts": facts}
    return of | shares | {"quarters wide": float(np.median(wide)), "n": REPEATED}


def parts_found(first: int, second: int, share: int) -> int:
    """Return how often several cutoffs are found for four relations, of which two end with each of two quarters.

    Args:
        share: Which quarter of all repetitions this is.
    """
    random = np.random.default_rng([first, second, share])
    ends, found = (first, second), 0
    for _ in range(PARTS_REPEATED // SHARES):
        noise = NOISES[str(random.choice(list(NOISES)))]
        shift = int(random.integers(-5, 6))
        relations = {
            str(number): answered(random, "likelihood", int(random.integers(20, 60)), ends[number % 2] + shift, noise)
            for number in range(4)
        }
        parts = relation_parts(relations, periods_per_year=4)
        found += parts is not None and len(parts.relations) > 1
    return found


def table(rows: list[dict[str, Any]]) -> str:
    """Write the results as a table."""
    lines = ["| answers | noise | " + " | ".join(f"{count} facts" for count in FACTS) + " |"]
    lines.append("|---" * (2 + len(FACTS)) + "|")
    for kind in KINDS:
        for noise in NOISES:
            cells = [next(row for row in rows if (row["kind"], row["noise"], row["facts"]) == (kind, noise, count))
                     for count in FACTS]  # fmt: skip
            said = [f"{100 * one['exact']:.0f} / {100 * one['within one']:.0f} / **{100 * one['held']:.0f}** "
                    f"({one['quarters wide']:.0f})" for one in cells]  # fmt: skip
            lines.append(f"| {kind} | {noise} | {' | '.join(said)} |")
    return "\n".join(lines)


def write_tables(rows: list[dict[str, Any]], parts: dict[str, Any]) -> None:
    """Put the results into the page."""
    shares = [f"{100 * parts[name]:.0f} %" for name in ENDS]
    text = PAGE.read_text(encoding="utf-8")
    for name, content in {
        "simulated": table(rows),
        "parts": f"| one cutoff | a year apart | two years apart |\n|---|---|---|\n| {' | '.join(shares)} |",
    }.items():
        begins, ends = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begins)
        text = f"{before}{begins}{content}\n{ends}{rest.partition(ends)[2]}"
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    """Simulate, keep the results, and write the table of the page."""
    with ProcessPoolExecutor(int(sys.argv[1]) if len(sys.argv) > 1 else 2) as pool:
        cells = [pool.submit(measured, kind, noise, count) for kind in KINDS for noise in NOISES for count in FACTS]
        tests = {
            name: [pool.submit(parts_found, *ends, share) for share in range(SHARES)] for name, ends in ENDS.items()
        }
        rows = [cell.result() for cell in cells]
        parts = {name: sum(one.result() for one in some) / PARTS_REPEATED for name, some in tests.items()}
    parts["n"] = PARTS_REPEATED
    keep("cutoff_simulated", {"rows": rows, "parts": parts})
    write_tables(rows, parts)
    held = float(np.mean([row["held"] for row in rows]))
    if held < LEAST_HELD or parts["false"] > MOST_WRONG:
        sys.exit(f"intervals hold the truth in {held:.1%} of cases; parts are found wrongly in {parts['false']:.1%}")


if __name__ == "__main__":
    main()
