"""Items put to a model behind an address: several under way, each by itself.

Whatever a probe asks for an item is counted for that item; one that gets no answer costs itself alone; and all that was
answered is handed on before an error ends the run, so that nothing is asked twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import reduce
from typing import Any

from asof.benchmarks import Item
from asof.errors import UserError
from asof.models import Model, UnansweredError
from asof.models.usage import Usage, tallied
from asof.probes import FAILED, LEFT_OUT, Probe, failed
from asof.runs.spending import Budget

_LOST_IN_A_ROW = 5  # then it is not about the items


def predicted_by_themselves(
    items: Sequence[Item], probe: Probe, model: Model, at_once: int, budget: Budget, before: Sequence[Usage]
) -> Iterator[dict[str, Any]]:
    """Give the rows of items as they come, with the item's id and what was spent for it.

    Args:
        at_once: How many items are under way.
        budget: What may be spent; the run ends before an item that may cost as much as the dearest so far exceeds it.
        before: What was spent for each item before the run was resumed.
    """
    pool = ThreadPoolExecutor(at_once)
    waiting, under_way = iter(items), set[Future[dict[str, Any]]]()
    spent, lost = sum(before, Usage()), 0
    dearest = reduce(_dearer, before, Usage())
    trouble: BaseException | None = None
    try:
        while True:
            while trouble is None and len(under_way) < (1 if budget.is_limited and not dearest.calls else at_once):
                if not budget.holds(spent, _dearer(dearest, Usage(1)).times(len(under_way) + 1)):
                    trouble = None if under_way else budget.used_up(spent)
                    break
                item = next(waiting, None)
                if item is None:
                    break
                under_way.add(pool.submit(_row_of, item, probe, model))
            if not under_way:
                break
            try:
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            except KeyboardInterrupt as stopped:  # what is under way is paid for, so its answers are waited for
                trouble = stopped
                continue
            for one in done:
                error = one.exception()
                if error is not None:
                    trouble = trouble or error
                    continue
                row = one.result()
                used = Usage(*(row.get(name, 0) for name in ("calls", "tokens_in", "tokens_out")))
                spent, dearest = spent + used, _dearer(dearest, used)
                lost = lost + 1 if FAILED in row else 0
                yield row
                if lost >= _LOST_IN_A_ROW:
                    trouble = trouble or UserError(
                        f"{lost} items in a row were lost, the last one: {row[LEFT_OUT]}\n"
                        "What was answered is kept; check the server, then run the same command again."
                    )
    finally:
        pool.shutdown(cancel_futures=True)
    if trouble is not None:
        raise trouble


def _row_of(item: Item, probe: Probe, model: Model) -> dict[str, Any]:
    with tallied() as tally:
        try:
            [row] = probe.predict([item], model)
        except UnansweredError as error:
            row = failed(str(error))
    return {"id": item.id} | row | tally.as_row()


def _dearer(usage: Usage, other: Usage) -> Usage:
    return Usage(
        max(usage.calls, other.calls), max(usage.tokens_in, other.tokens_in), max(usage.tokens_out, other.tokens_out)
    )
