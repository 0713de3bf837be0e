"""Some rows of a table, and what every form of a table gives: a header and its rows in chunks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from asof.facts.rejects import Rejects

ROWS_PER_CHUNK = 50_000


@dataclass(frozen=True)
class Chunk:
    """Some rows of a table: the line of each, and its columns by their place in the header."""

    lines: npt.NDArray[np.int64]
    columns: Mapping[int, pa.Array]

    def filter(self, keep: pa.Array) -> "Chunk":
        """Return the rows that are marked."""
        mask = np.asarray(keep)
        return Chunk(self.lines[mask], {place: column.filter(keep) for place, column in self.columns.items()})


class TableFile(Protocol):
    """A file that is a table."""

    @property
    def header(self) -> Sequence[str]:
        """The names of its columns."""

    @property
    def notes(self) -> Sequence[str]:
        """What was found by itself about the form of the file."""

    def chunks(self, wanted: Sequence[int], rejects: Rejects) -> Iterator[Chunk]:
        """Give some columns of all rows; what is no row goes to the rejects."""


def chunk_of(lines: Sequence[int], rows: Sequence[Sequence[str]], wanted: Sequence[int]) -> Chunk:
    """Put rows of texts into a chunk."""
    columns = {place: pa.array([row[place] for row in rows], pa.string()) for place in wanted}
    return Chunk(np.array(lines, dtype=np.int64), columns)
