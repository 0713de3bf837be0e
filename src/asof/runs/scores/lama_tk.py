"""The measures of LAMA-TK: Acc@k asks for any right answer, Hit@k for the one that was taken out.

A row says either which rank the best right answer and the first one have (fill-one), or which texts the model wrote
(fill-many); those stand in the order of their mean log-probability. Rows of other probes keep their own measures.
"""

from collections.abc import Mapping
from math import inf, nan
from typing import Any

import pyarrow as pa

from asof.metrics import metric_of
from asof.metrics.acc_at_k import acc_at_k
from asof.metrics.hit_at_k import hit_at_k
from asof.probes import Probe
from asof.registry import scores
from asof.runs.item_scores import ItemScores
from asof.wording.normalised import without_articles

_KS = (1, 5, 10)  # the paper has Acc@1, Acc@5, Hit@5 and Hit@10
_METRICS = {f"{name}@{k}": metric_of(f"{name.lower()}-at-k") for name in ("Acc", "Hit") for k in _KS}


@scores.register("lama-tk")
def recall_scores(table: pa.Table, probe: Probe) -> ItemScores:
    """Acc@k and Hit@k of every item."""
    return ItemScores(table, probe, recall_measures, _METRICS)


def recall_measures(row: Mapping[str, Any]) -> dict[str, float] | None:
    """Return Acc@k and Hit@k of a row, None where it has neither ranks nor texts.

    >>> recall_measures({"rank": 1, "first_rank": 7})
    {'Acc@1': 1.0, 'Acc@5': 1.0, 'Acc@10': 1.0, 'Hit@1': 0.0, 'Hit@5': 0.0, 'Hit@10': 1.0}
    """
    if "first_rank" in row:
        first = row["first_rank"]
        return _measures([row["rank"]], nan if first is None else first, _KS)
    if "texts" in row:
        ranks = [_rank(answer, row) for answer in row["answers"]]
        return _measures(ranks, ranks[0], [k for k in _KS if k <= max(1, len(row["texts"]))])
    return None


def _measures(ranks: list[float], first: float, ks: tuple[int, ...] | list[int]) -> dict[str, float]:
    found = {f"Acc@{k}": acc_at_k(ranks, k=k) for k in ks}
    return found | {f"Hit@{k}": nan if first != first else hit_at_k(first, k=k) for k in ks}


def _rank(answer: str, row: Mapping[str, Any]) -> float:
    """Return the place of an answer among the texts that a model wrote, the likeliest first."""
    order = sorted(zip(row["mean_logprobs"], row["texts"], strict=True), key=lambda one: -one[0])
    wanted = without_articles(answer)
    return next((index for index, (_, text) in enumerate(order, 1) if without_articles(text) == wanted), inf)
