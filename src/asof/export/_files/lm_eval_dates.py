"""Scores of TimeStress: is a fact likelier under its right dates than under wrong ones? Written by ``asof export``.

Ammar Khodja et al. 2025 (arXiv:2502.01220), equations 2 and 3. A fact counts when every one of its items was asked and
it has right and wrong dates at all three precisions, so ``--limit`` may leave out the last one.
"""

from bisect import bisect_left
from collections import defaultdict
from typing import Any

PRECISIONS = ("year", "month", "day")

Scored = tuple[str, int, str, str, float]  # fact, how many items it has, precision, verdict, log-probability
Fact = dict[str, float]


def process_results(item: dict[str, Any], results: list[Any]) -> dict[str, Scored]:
    """Keep what the scores of a fact are made from."""
    logprob = float(results[0][0])
    scored = (item["group"], item["items_of_fact"], item["tags"]["precision"], item["tags"]["verdict"], logprob)
    return {f"{name}_{of}": scored for name in ("win_rate", "robustness") for of in (*PRECISIONS, "global")}


def win_rate(right: list[float], wrong: list[float]) -> float:
    """Return the share of pairs in which the right date is strictly likelier."""
    ordered = sorted(wrong)
    return sum(bisect_left(ordered, one) for one in right) / (len(right) * len(wrong))


def robustness(right: list[float], wrong: list[float]) -> float:
    """Return 1 when every right date is strictly likelier than every wrong one."""
    return float(min(right) > max(wrong))


def facts(scored: list[Scored]) -> list[Fact]:
    """Return the scores of each fact that is complete."""
    by_fact: dict[str, list[Scored]] = defaultdict(list)
    for one in scored:
        by_fact[one[0]].append(one)
    return [fact for items in by_fact.values() if len(items) == items[0][1] and (fact := _fact(items))]


def _fact(items: list[Scored]) -> Fact:
    found: Fact = {}
    for of in PRECISIONS:
        right = [logprob for _, _, precision, verdict, logprob in items if (precision, verdict) == (of, "correct")]
        wrong = [logprob for _, _, precision, verdict, logprob in items if (precision, verdict) == (of, "incorrect")]
        if not right or not wrong:
            return {}
        found |= {f"win_rate_{of}": win_rate(right, wrong), f"robustness_{of}": robustness(right, wrong)}
    found["win_rate_global"] = sum(found[f"win_rate_{of}"] for of in PRECISIONS) / len(PRECISIONS)
    found["robustness_global"] = min(found[f"robustness_{of}"] for of in PRECISIONS)
    return found


def _mean(name: str, scored: list[Scored]) -> float:
    values = [fact[name] for fact in facts(scored)]
    return sum(values) / len(values) if values else float("nan")


def win_rate_year(scored: list[Scored]) -> float:
    """Return the mean win rate of facts for years."""
    return _mean("win_rate_year", scored)


def win_rate_month(scored: list[Scored]) -> float:
    """Return the mean win rate of facts for months."""
    return _mean("win_rate_month", scored)


def win_rate_day(scored: list[Scored]) -> float:
    """Return the mean win rate of facts for days."""
    return _mean("win_rate_day", scored)


def win_rate_global(scored: list[Scored]) -> float:
    """Return the mean win rate of facts over the three precisions."""
    return _mean("win_rate_global", scored)


def robustness_year(scored: list[Scored]) -> float:
    """Return the share of facts that are robust for years."""
    return _mean("robustness_year", scored)


def robustness_month(scored: list[Scored]) -> float:
    """Return the share of facts that are robust for months."""
    return _mean("robustness_month", scored)


def robustness_day(scored: list[Scored]) -> float:
    """Return the share of facts that are robust for days."""
    return _mean("robustness_day", scored)


def robustness_global(scored: list[Scored]) -> float:
    """Return the share of facts that are robust at all three precisions."""
    return _mean("robustness_global", scored)
