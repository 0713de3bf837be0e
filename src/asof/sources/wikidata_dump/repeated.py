"""Items that stand in a dump more than once: the latest revision counts, of equal ones the last in the file.

Real dumps have such items, because they are written while Wikidata is edited. The items of all parts are walked over
once for their numbers; only where one comes again, a second time for its lines.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from asof.sources.wikidata_dump.item_set import ItemSet
from asof.sources.wikidata_dump.mining import ITEMS, rows_of

Reports = list[dict[str, Any]]


class _Position(NamedTuple):
    """Where an item stands; of two places, the later counts."""

    revision: int
    part: int
    line: int


class RepeatedItems:
    """The lines of a dump whose items stand in it again.

    Args:
        reports: Of all parts, in the order of the file.
    """

    def __init__(self, reports: Reports) -> None:
        self.count = 0  # lines that do not count
        self._old: dict[int, set[int]] = {}  # the lines that do not count, by part
        best: dict[int, _Position] = {}
        again = _come_again(reports)
        for part, batch in _batches(reports, "id", "revision", "line") if len(again) else ():
            here = np.isin(batch["id"].to_numpy(), again)
            columns = (batch[name].to_numpy()[here].tolist() for name in ("id", "revision", "line"))
            for id, revision, line in zip(*columns, strict=True):
                position = _Position(revision, part, line)
                if id in best:
                    old, position = sorted((best[id], position))
                    self._old.setdefault(old.part, set()).add(old.line)
                    self.count += 1
                best[id] = position

    def without(self, part: int, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Leave out the rows of a batch, of facts or of items, whose lines do not count."""
        old = self._old.get(part)
        if not old:
            return batch
        return batch.filter(pa.array(~np.isin(batch["line"].to_numpy(), sorted(old))))

    def counts(self, part: int, line: int) -> bool:
        """Tell whether a line counts."""
        return line not in self._old.get(part, ())


def _batches(reports: Reports, *columns: str) -> Iterator[tuple[int, pa.RecordBatch]]:
    for part, report in enumerate(reports):
        for batch in rows_of(report, ITEMS, list(columns)):
            yield part, batch


def _come_again(reports: Reports) -> npt.NDArray[np.int64]:
    """Return the numbers of items that stand in a dump more than once."""
    seen = ItemSet()
    again: list[npt.NDArray[np.int64]] = [np.zeros(0, np.int64)]
    for _, batch in _batches(reports, "id"):
        numbers, times = np.unique(batch["id"].to_numpy(), return_counts=True)
        again.append(numbers[(times > 1) | seen.mask(numbers)])
        seen.add(numbers)
    return np.unique(np.concatenate(again))
