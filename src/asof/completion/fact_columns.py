"""Facts as numbers, read part by part: of each part the numbers are kept, and every name once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Codes = npt.NDArray[np.int32]
COLUMNS = ("subject", "relation", "object", "source", "start_first", "start_precision", "end_last", "end_precision")
_TIMES = ("start_first", "start_precision", "end_last", "end_precision")


class NameNumbers:
    """Numbers names in the order in which they come up."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def of(self, column: pa.Array) -> Codes:
        """Return the number of each name of a column."""
        words = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
        encoded = words.dictionary_encode()
        known = self._numbers
        numbers = [known.setdefault(name, len(known)) for name in encoded.dictionary.to_pylist()]
        found: Codes = np.array(numbers, np.int32)[encoded.indices.to_numpy()]
        return found

    @property
    def names(self) -> list[str]:
        """All names, by their numbers."""
        return list(self._numbers)


@dataclass(frozen=True)
class FactColumns:
    """The columns of facts that a dataset is made from.

    Args:
        entities: The names behind the numbers of subjects and objects.
        times: The columns of dates; their precisions are numbers, too.
    """

    entities: list[str]
    relations: list[str]
    sources: list[str]
    subject: Codes
    relation: Codes
    object: Codes
    source: Codes
    times: pa.Table

    def __len__(self) -> int:
        return len(self.subject)

    @classmethod
    def of(cls, parts: Iterable[pa.RecordBatch]) -> FactColumns:
        """Read parts one after the other; none of them stays in memory."""
        entities, relations, sources = NameNumbers(), NameNumbers(), NameNumbers()
        numbering = {"subject": entities, "relation": relations, "object": entities, "source": sources}
        found: dict[str, list[Codes]] = {name: [np.zeros(0, np.int32)] for name in numbering}
        times = []
        for part in parts:
            for name, names in numbering.items():
                found[name].append(names.of(part.column(name)))
            columns = (part.column(name) for name in _TIMES)
            times.append(pa.table([_compact(column) for column in columns], _TIMES))
        columns_of = {name: np.concatenate(codes) for name, codes in found.items()}
        dates = pa.concat_tables(times).unify_dictionaries() if times else pa.table({})
        return cls(entities.names, relations.names, sources.names, **columns_of, times=dates)


def _compact(column: pa.Array) -> pa.Array:
    """Copy a column out of the part that it is from; words become numbers."""
    if pa.types.is_dictionary(column.type) or pa.types.is_string(column.type):
        return column.cast(pa.string()).dictionary_encode()
    return pc.if_else(column.is_valid(), column, pa.scalar(None, column.type))  # of a part, one column keeps all
