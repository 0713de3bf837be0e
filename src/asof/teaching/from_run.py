"""What a run found missing: facts that the model has wrong at some item, whatever the benchmark measures."""

from __future__ import annotations

from collections import defaultdict
from math import isnan

from asof.errors import UserError
from asof.metrics import SHARE
from asof.runs.folder import Run
from asof.runs.item_scores import scores_of


def missing_in(run: Run) -> frozenset[str]:
    """Return the groups of a run (facts, or subject and relation) of which a share is not as good as it can be.

    TimeStress: facts that are not robust at every precision. Benchmarks of answers: those with a wrong one, outdated or
    unknown.
    """
    scores = scores_of(run)
    units = scores.units
    shares = {name: metric.better for name, metric in units.metrics.items() if metric.range == SHARE}
    measured = [name for name in units.values if shares.get(name) in ("higher", "lower")]
    if not measured:
        raise UserError(
            f"{run.folder} measures no share of right answers ({', '.join(units.values) or 'nothing yet'}), so it does "
            "not tell what is missing. Choose facts with --relation and --limit, or run another probe."
        )
    group_of = dict(zip(scores.table["id"].to_pylist(), scores.table["group"].to_pylist(), strict=True))
    missing: dict[str, bool] = defaultdict(bool)
    for name in measured:
        best = 1.0 if shares[name] == "higher" else 0.0
        for id, value in zip(units.ids, units.values[name], strict=True):
            missing[group_of.get(id, id)] |= not isnan(value) and value != best
    found = frozenset(group for group, lacks in missing.items() if lacks)
    if not found:
        raise UserError(f"{run.folder}: the model knows all {len(missing):,} facts of this run. Nothing to teach.")
    return found
