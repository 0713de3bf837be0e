"""In which encoding a text is: UTF-8, UTF-16 or the one of western Windows (cp1252). Everything goes on as UTF-8."""

import codecs
import io
from pathlib import Path
from typing import IO, Any

from asof.errors import UserError

UTF8, WESTERN = "utf-8", "cp1252"
_BLOCK = 1 << 20
_NOT_WESTERN = (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d", b"\xff\xfe", b"\xfe\xff")  # not letters, or stray marks


def encoding_of(file: IO[bytes]) -> str:
    """Find the encoding from the whole file: where there are no letters beyond ASCII there is nothing to decide.

    >>> encoding_of(io.BytesIO("Zürich".encode("cp1252"))), encoding_of(io.BytesIO("Zürich".encode("utf-16")))
    ('cp1252', 'utf-16')
    """
    block = file.read(_BLOCK)
    if block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if (half := len(block) // 2) and max(block[0::2].count(0), block[1::2].count(0)) > half // 2:
        return "utf-16-le" if block[1::2].count(0) > block[0::2].count(0) else "utf-16-be"
    good = bad = 0
    western = True
    while block:
        block += file.readline()
        if not block.isascii():
            for line in block.splitlines():
                if line.isascii():
                    continue
                if _is_utf8(line):
                    good += 1
                else:
                    bad += 1
                    western &= not any(sign in line for sign in _NOT_WESTERN)
        block = file.read(_BLOCK)
    # Lines of the other encoding hardly ever happen to be UTF-8, so where most are, the rest is broken.
    return WESTERN if western and bad > good else UTF8


def known_encoding(name: str) -> str:
    """Return the encoding that a name means, or say that there is none."""
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise UserError(f"--encoding {name!r} is unknown. Write utf-8, utf-16, cp1252 or latin-1.") from None


def as_utf8(file: IO[bytes], encoding: str, path: Path, *, returns: bool = False) -> IO[bytes]:
    """Give the bytes of a file as UTF-8.

    Args:
        returns: Whether its lines end with a carriage return alone.
    """
    if encoding == UTF8 and not returns:
        return file
    return io.BufferedReader(_Recoded(file, encoding, path, returns=returns), _BLOCK)


class _Recoded(io.RawIOBase):
    """A stream in another encoding, read as UTF-8."""

    def __init__(self, file: IO[bytes], encoding: str, path: Path, *, returns: bool) -> None:
        self._file, self._encoding, self._path, self._returns = file, encoding, path, returns
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._left = b""

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with UTF-8."""
        view = memoryview(buffer).cast("B")
        while not self._left:
            raw = self._file.read(max(4, len(view) // 4))
            try:
                text = self._decoder.decode(raw, final=not raw)
            except UnicodeDecodeError as error:
                raise UserError(
                    f"{self._path} is not all {self._encoding} ({error.reason}). Leave out --encoding, or give the "
                    "right one."
                ) from error
            self._left = (text.replace("\r", "\n") if self._returns else text).encode(UTF8)
            if not raw:
                break
        taken = self._left[: len(view)]
        self._left = self._left[len(view) :]
        view[: len(taken)] = taken
        return len(taken)

    def close(self) -> None:
        """Close the file, too."""
        self._file.close()
        super().close()


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode(UTF8)
    except UnicodeDecodeError:
        return False
    return True
