"""Page views as popularity: how often the page of an item was looked at, from the files that Wikimedia publishes.

Hourly files (``pageviews-20260901-000000.gz``) have lines ``en Main_Page 42 0``, with ``en.m`` for phones; monthly ones
(``pageviews-202609-user.bz2``) have ``en.wikipedia Main_Page 15580374 desktop 42 A1B2``. Views of all devices add up.
"""

import bz2
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from asof.errors import UserError
from asof.facts.database import open_database
from asof.facts.manifest import quoted

_ROWS_PER_BATCH = 100_000
_MEMORY_LIMIT = "300MB"
_HOURLY_CELLS = 4
_VIEWS = pa.schema({"title": pa.string(), "views": pa.int64()})
_TITLES = pa.schema({"title": pa.string(), "id": pa.int64()})


class PageViews:
    """Views by the number of an item."""

    def __init__(self, path: Path, language: str, titles: Iterator[tuple[str, int]], folder: Path) -> None:
        """Read a file of views and join it with the titles of items; large tables go to a folder, not to memory."""
        _write(folder / "views.parquet", _VIEWS, _views(path, language))
        _write(folder / "titles.parquet", _TITLES, titles)
        with open_database() as connection:
            connection.execute(f"SET memory_limit = '{_MEMORY_LIMIT}'")
            connection.execute(f"SET temp_directory = {quoted(folder / 'spill')}")
            joined = connection.sql(
                f"SELECT id, sum(views)::DOUBLE AS views FROM read_parquet({quoted(folder / 'titles.parquet')}) "
                f"JOIN read_parquet({quoted(folder / 'views.parquet')}) USING (title) GROUP BY id ORDER BY id"
            ).to_arrow_table()
        self._ids: npt.NDArray[np.int64] = joined["id"].to_numpy()
        self._views: npt.NDArray[np.float64] = joined["views"].to_numpy()

    def of(self, id: int) -> float:
        """Return the views of an item's page, 0 if it has none."""
        index = int(np.searchsorted(self._ids, id))
        return float(self._views[index]) if index < len(self._ids) and self._ids[index] == id else 0.0


def title_in_views(title: str) -> str:
    """Write the title of a sitelink as a file of views has it.

    >>> title_in_views("Barack Obama")
    'Barack_Obama'
    """
    return title.replace(" ", "_")


def _views(path: Path, language: str) -> Iterator[tuple[str, int]]:
    hourly = {language.encode(), f"{language}.m".encode()}
    monthly = f"{language}.wikipedia".encode()
    found = 0
    try:
        with _opened(path) as file:
            for line in file:
                cells = line.split()
                if not cells or (cells[0] != monthly and cells[0] not in hourly):
                    continue
                views = cells[2] if len(cells) == _HOURLY_CELLS else cells[-2]
                if len(cells) >= _HOURLY_CELLS and views.isdigit():
                    found += 1
                    yield cells[1].decode("utf-8", errors="replace"), int(views)
    except (OSError, EOFError) as error:
        raise UserError(f"{path} is broken or cut: {error}. Get the file again.") from error
    if not found:
        raise UserError(
            f"{path} has no views of pages in the Wikipedia of language {language!r}. Its lines should read "
            f"'{language} Main_Page 42 0' or '{language}.wikipedia Main_Page 15580374 desktop 42 A1B2'."
        )


def _opened(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    return cast(IO[bytes], bz2.open(path, "rb")) if path.suffix == ".bz2" else path.open("rb")


def _write(path: Path, schema: pa.Schema, rows: Iterator[tuple[str, int]]) -> None:
    with pq.ParquetWriter(path, schema, compression="lz4", write_statistics=False) as writer:
        while some := [row for row, _ in zip(rows, range(_ROWS_PER_BATCH), strict=False)]:
            columns = [
                pa.array(column, field.type) for column, field in zip(zip(*some, strict=True), schema, strict=True)
            ]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
