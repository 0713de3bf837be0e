"""A stretch of a dump: the part of the file, in bytes as they lie on the disk, that one process mines."""

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


@dataclass(frozen=True)
class ByteRange:
    """From a first byte up to, and without, a last one."""

    path: str
    first: int
    stop: int


@dataclass(frozen=True)
class Block:
    """Raw bytes, and the byte of the file that the reader has come to."""

    raw: bytes
    at: int


@dataclass(frozen=True)
class UnreadableBytes:
    """Bytes of the file that could not be read."""

    first: int
    stop: int
    reason: str
    at_the_end: bool = False  # nothing can be read behind it


class Border(Enum):
    """The place where the next stretch begins."""

    HERE = "here"


BORDER = Border.HERE
Piece: TypeAlias = Block | UnreadableBytes | Border
