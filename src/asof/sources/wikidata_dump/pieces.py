"""Raw bytes of a stretch of a dump, whatever its compression: blocks in order, and what could not be read.

A stretch is cut anywhere in the file. It begins at the first place in it from which reading can start (a gzip member, a
bzip2 block, a zstd frame, any byte of a plain file) and says with ``BORDER`` where the next stretch begins; blocks go
on behind it, so that a line over the border can be read to its end.
"""

from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from asof.places import name_of, open_bytes
from asof.sources.wikidata_dump.bzip2_blocks import bzip2_pieces
from asof.sources.wikidata_dump.members import GZIP, ZSTD, member_pieces
from asof.sources.wikidata_dump.stretch import BORDER, Block, ByteRange, Piece

_PLAIN_BLOCK = 1 << 20


class Compression(Enum):
    """How a dump is compressed; the value is the end of its name."""

    GZIP = ".json.gz"
    BZIP2 = ".json.bz2"
    ZSTD = ".json.zst"
    PLAIN = ".json"

    @classmethod
    def of(cls, path: Path | str) -> "Compression | None":
        """Tell the compression by the name of a file, None if it is no name of a dump."""
        return next((kind for kind in cls if name_of(path).lower().endswith(kind.value)), None)


def pieces_of(stretch: ByteRange) -> Iterator[Piece]:
    """Read a stretch."""
    compression = Compression.of(stretch.path)
    if compression is Compression.GZIP:
        return member_pieces(stretch, GZIP)
    if compression is Compression.ZSTD:
        return member_pieces(stretch, ZSTD)
    if compression is Compression.BZIP2:
        return bzip2_pieces(stretch)
    return _plain_pieces(stretch)


def _plain_pieces(stretch: ByteRange) -> Iterator[Piece]:
    with open_bytes(stretch.path) as file:
        file.seek(stretch.first)
        while (left := stretch.stop - file.tell()) > 0:
            raw = file.read(min(_PLAIN_BLOCK, left))
            if not raw:
                return
            yield Block(raw, file.tell())
        yield BORDER
        while raw := file.read(_PLAIN_BLOCK):
            yield Block(raw, file.tell())
