"""Gzip members and zstd frames: many compressed files in one, each of which can be read on its own.

The official .json.gz is written in batches, each a member with the same ten bytes as header. A header counts as a place
to start only if what follows can be decompressed. A member that is broken is lost; reading goes on at the next one.
"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import IO, Protocol, cast

import stringzilla
import zstandard
from isal import igzip_lib

from asof.places import open_bytes
from asof.sources.wikidata_dump.stretch import BORDER, Block, ByteRange, Piece, UnreadableBytes

_READ = 1 << 18  # compressed bytes at a time
_BLOCK = 1 << 18  # raw bytes at a time: they stay in the cache of the processor, and their memory is used again
_SEARCHED = 1 << 22
_TRIED = 1 << 16
_PADDING = b"\0"


class Decompressor(Protocol):
    """Decompresses one member."""

    @property
    def eof(self) -> bool:
        """Whether the member is at its end."""

    @property
    def needs_input(self) -> bool:
        """Whether more compressed bytes are needed to go on."""

    @property
    def unused_data(self) -> bytes:
        """The bytes behind the end."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Take compressed bytes and give raw ones, as many as wanted; the rest comes when called again."""


@dataclass(frozen=True)
class Format:
    """What differs between gzip and zstd."""

    word: str
    header: bytes
    reader: Callable[[], Decompressor]
    error: type[Exception]


class _ZstdReader:
    """Zstd as the others have it; it gives all raw bytes at once, which are few: its blocks have 128 kB."""

    needs_input = True

    def __init__(self) -> None:
        self._reader = zstandard.ZstdDecompressor().decompressobj()

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._reader.decompress(data)

    @property
    def eof(self) -> bool:
        return self._reader.eof

    @property
    def unused_data(self) -> bytes:
        return self._reader.unused_data


GZIP = Format(
    "gzip member",
    bytes.fromhex("1f8b0800000000000203"),  # deflate, no name, no time, slowest compression, Unix
    lambda: igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP),
    cast(type[Exception], igzip_lib.IsalError),
)
ZSTD = Format("zstd frame", bytes.fromhex("28b52ffd"), _ZstdReader, zstandard.ZstdError)


def member_pieces(stretch: ByteRange, format: Format) -> Iterator[Piece]:
    """Read the members that begin in a stretch, then those behind it."""
    with open_bytes(stretch.path) as file:
        begin: int | None = 0
        if stretch.first:
            begin = _next_member(file, stretch.first, stretch.stop, format)
        bordered = False
        while begin is not None:
            if begin >= stretch.stop and not bordered and _can_start(file, begin, format):
                bordered = True
                yield BORDER
            try:
                following = yield from _one_member(file, begin, format)
            except (format.error, EOFError) as error:
                following = _next_member(file, begin + 1, None, format)
                end = file.seek(0, 2) if following is None else following
                yield UnreadableBytes(begin, end, _reason(format, begin, error), at_the_end=following is None)
            begin = following


def _one_member(file: IO[bytes], begin: int, format: Format) -> Generator[Block, None, int | None]:
    """Read one member; return where the next one begins, None at the end of the file."""
    file.seek(begin)
    data = file.read(_READ)
    if not data.strip(_PADDING):
        return None
    reader = format.reader()
    while True:
        raw = reader.decompress(data, _BLOCK)
        if reader.eof:
            end = file.tell() - len(reader.unused_data)
            if raw:
                yield Block(raw, end)
            return end
        if raw:
            yield Block(raw, file.tell())
        data = file.read(_READ) if reader.needs_input else b""
        if not data and reader.needs_input:
            raise EOFError


def _next_member(file: IO[bytes], begin: int, stop: int | None, format: Format) -> int | None:
    """Return where the first member begins that can be read, from a byte on and before another one."""
    overlap = len(format.header) - 1
    while stop is None or begin < stop:
        file.seek(begin)
        data = file.read(_SEARCHED)
        found: int = stringzilla.find(data, format.header)
        while found >= 0:
            if stop is not None and begin + found >= stop:
                return None
            if _can_start(file, begin + found, format):
                return begin + found
            found = data.find(format.header, found + 1)
        if len(data) < _SEARCHED:
            return None
        begin += len(data) - overlap
    return None


def _can_start(file: IO[bytes], begin: int, format: Format) -> bool:
    file.seek(begin)
    data = file.read(_TRIED)
    if not data.startswith(format.header):
        return False
    try:
        format.reader().decompress(data, _BLOCK)
    except format.error:
        return False
    return True


def _reason(format: Format, begin: int, error: Exception) -> str:
    what = "ends too early" if isinstance(error, EOFError) else f"is broken ({error})"
    return f"the {format.word} at byte {begin:,} {what}"
