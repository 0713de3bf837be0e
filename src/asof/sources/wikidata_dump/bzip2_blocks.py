"""Blocks of a bzip2 file: each can be decompressed on its own, wherever its first bit lies.

A block begins with 48 fixed bits, a stream ends with 48 others, and neither cares for the borders of bytes. Cut out,
shifted to a byte and put between the header and the end of a stream, a block is a bzip2 file of its own, with its own
check sum. So one stream can be read by several processes, and a broken block costs nothing but itself.
"""

import bz2
from collections.abc import Iterator
from typing import IO, NamedTuple

import stringzilla

from asof.places import open_bytes
from asof.sources.wikidata_dump.stretch import BORDER, Block, ByteRange, Piece, UnreadableBytes

_BLOCK_BEGINS = 0x314159265359  # the digits of pi
_STREAM_ENDS = 0x177245385090  # the digits of its square root
_MARK_BITS = 48
_CHECK_SUM_BITS = 32
_HEADER = b"BZh9"  # blocks of up to 900,000 bytes; smaller ones fit
_READ = 1 << 22
_BEFORE, _BEHIND = 1, 6  # bytes around the five that a mark fills whole, whatever its shift
_TRIED_ENDS = 3  # once in some hundred gigabytes, the bits of a mark stand inside a block


class BlockMark(NamedTuple):
    """The bit at which a block begins or a stream ends."""

    bit: int
    begins: bool


def bzip2_pieces(stretch: ByteRange) -> Iterator[Piece]:
    """Read the blocks that begin in a stretch, then those behind it."""
    with open_bytes(stretch.path) as file:
        bordered = False
        marks = _marks(file, stretch.first)
        ahead: list[BlockMark] = []
        while _fill(ahead, marks, 1):
            begin = ahead.pop(0)
            if not begin.begins:
                continue
            if begin.bit >= 8 * stretch.stop and not bordered:
                bordered = True
                yield BORDER
            yield _block(file, begin, ahead, marks)


def _block(
    file: IO[bytes], begin: BlockMark, ahead: list[BlockMark], marks: Iterator[BlockMark]
) -> Block | UnreadableBytes:
    """Decompress the block that begins at a mark; it ends at the next one, or, if that was none, at a later one."""
    for tried in range(_TRIED_ENDS):
        if not _fill(ahead, marks, tried + 1):
            break
        end = ahead[tried].bit
        raw = _decompressed(file, begin.bit, end)
        if raw is not None:
            del ahead[:tried]
            return Block(raw, end // 8)
    size = file.seek(0, 2)
    last = ahead[0].bit // 8 if ahead else size
    what = "is broken" if ahead else "ends too early"
    return UnreadableBytes(
        begin.bit // 8, last, f"the bzip2 block at byte {begin.bit // 8:,} {what}", at_the_end=not ahead
    )


def _fill(ahead: list[BlockMark], marks: Iterator[BlockMark], count: int) -> bool:
    """Look so many marks ahead; tell whether there are so many."""
    while len(ahead) < count:
        mark = next(marks, None)
        if mark is None:
            return False
        ahead.append(mark)
    return True


def _decompressed(file: IO[bytes], begin: int, end: int) -> bytes | None:
    """Decompress the bits from one mark to another, None if they are no whole block."""
    first, last = begin // 8, (end + 7) // 8
    file.seek(first)
    length = end - begin
    bits = (int.from_bytes(file.read(last - first)) >> (8 * last - end)) & ((1 << length) - 1)
    check_sum = (bits >> (length - _MARK_BITS - _CHECK_SUM_BITS)) & ((1 << _CHECK_SUM_BITS) - 1)
    stream = ((bits << _MARK_BITS | _STREAM_ENDS) << _CHECK_SUM_BITS) | check_sum
    length += _MARK_BITS + _CHECK_SUM_BITS
    padding = -length % 8
    reader = bz2.BZ2Decompressor()
    try:
        raw = reader.decompress(_HEADER + (stream << padding).to_bytes((length + padding) // 8))
    except (OSError, ValueError):
        return None
    return raw if reader.eof else None


def _marks(file: IO[bytes], first: int) -> Iterator[BlockMark]:
    """Find all marks from a byte on, in order."""
    begin = max(0, first - _BEFORE)
    latest = 8 * first - 1
    while True:
        file.seek(begin)
        data = file.read(_READ)
        for mark in sorted(_marks_in(data, 8 * begin)):
            if mark.bit > latest:
                latest = mark.bit
                yield mark
        if len(data) < _READ:
            return
        begin += len(data) - _BEFORE - _BEHIND


def _marks_in(data: bytes, offset: int) -> Iterator[BlockMark]:
    for value in (_BLOCK_BEGINS, _STREAM_ENDS):
        for shift in range(1, 9):
            shifted = (value << (8 - shift)).to_bytes(7)
            found = stringzilla.find(data, shifted[1:6])
            while found >= 0:
                around = int.from_bytes(data[max(0, found - _BEFORE) : found + _BEHIND])
                if found >= _BEFORE and (around >> (8 - shift)) & ((1 << _MARK_BITS) - 1) == value:
                    yield BlockMark(offset + 8 * (found - _BEFORE) + shift, value == _BLOCK_BEGINS)
                found = stringzilla.find(data, shifted[1:6], found + 1)
