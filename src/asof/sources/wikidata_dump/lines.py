"""Whole lines of a stretch. A line belongs to the stretch in which the newline before it lies, or the border itself.

So each line is read once, wherever a dump is cut: a stretch leaves out what comes before its first newline and reads
the line over its border to the end.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from asof.sources.wikidata_dump.pieces import pieces_of
from asof.sources.wikidata_dump.stretch import BORDER, ByteRange, UnreadableBytes

_ENTITY = b'{"type":"'


@dataclass(frozen=True)
class Lines:
    """Some whole lines, and where they end: in the raw bytes of the stretch, and in the file."""

    raw: bytes
    end: int
    at: int


@dataclass(frozen=True)
class CutLine:
    """A line whose rest could not be read."""

    raw: bytes


def lines_of(stretch: ByteRange, *, resume: int = 0) -> Iterator[Lines | CutLine | UnreadableBytes]:
    """Read the lines of a stretch.

    Args:
        resume: Begin at this raw byte, which begins a line; what comes before it was read earlier.
    """
    begun: list[bytes] = []  # a line without its end
    seen = 0  # raw bytes
    skipping = stretch.first > 0 and not resume
    lost = bordered = False
    for piece in pieces_of(stretch):
        if piece is BORDER:
            if (skipping and not lost) or resume > seen:
                return  # no line begins here, or the one over the border was read earlier
            bordered = True
        elif isinstance(piece, UnreadableBytes):
            if seen < resume:
                continue
            if begun:
                yield CutLine(b"".join(begun))
            if bordered:
                return  # the next stretch tells of it
            begun, skipping, lost = [], True, True
            yield piece
        else:
            raw = piece.raw
            seen += len(raw)
            if seen <= resume:
                continue
            raw = raw[max(0, resume - (seen - len(raw))) :]
            if skipping:
                begin = _line_begin(raw, lost=lost)
                if bordered and begin != 0:
                    return  # what follows belongs to the next stretch
                if begin < 0:
                    continue
                raw = raw[begin:]
                skipping = False
            last = raw.find(b"\n") if bordered else raw.rfind(b"\n")
            if last < 0:
                begun.append(raw)
                continue
            yield Lines(b"".join((*begun, memoryview(raw)[: last + 1])), seen - len(raw) + last + 1, piece.at)
            if bordered:
                return
            begun = [raw[last + 1 :]] if last + 1 < len(raw) else []
    if begun:
        yield Lines(b"".join(begun), seen, stretch.stop)


def _line_begin(raw: bytes, *, lost: bool) -> int:
    """Return where the first line begins, -1 if none does; behind a loss, an entity may begin at once."""
    if lost and raw.startswith(_ENTITY):
        return 0
    newline = raw.find(b"\n")
    return newline + 1 if newline >= 0 else -1
