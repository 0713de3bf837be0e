"""In which encoding a text is: UTF-8, UTF-16 or the one of western Windows (cp1252). Everything goes on as UTF-8.

Every byte is a letter or a sign in cp1252, so a Russian or Polish table would become a table of wrong names. What does
not read like words is therefore refused, with how it reads in the encodings that it may have.
"""

import codecs
import io
import re
import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from asof.errors import UserError

UTF8, WESTERN = "utf-8", "cp1252"
_BLOCK = 1 << 20
_NOT_WESTERN = (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d", b"\xff\xfe", b"\xfe\xff")  # not letters, or stray marks
# What words of western languages have not: three letters beyond ASCII in a row, signs within words (ł of cp1250 is ³ in
# cp1252, ö of DOS is ”), a capital between small letters (ü of old Macs is Ÿ).
_NO_WESTERN_WORD = re.compile(
    r"[À-ÖØ-öø-ÿŠŒŽšœžŸ]{3}|[¢-¨¬¯±-´¶¸¹¼-¾×÷](?=[^\W\d_])|(?<=[^\W\d_])[¡¿]|(?<=[a-z])[À-Þ](?=[a-z])|(?<=[A-Za-z])[ŠŒŽŸ](?=[a-z])"
    r"|(?<=[^\W\d_])[„†‡ˆ‰‹•˜™“”](?=[^\W\d_])"
)
_WORDS_LOOKED_AT = 2_000
_MOST_STRANGE = 0.1  # of words with letters beyond ASCII; by chance there are some
_OTHERS = (
    "cp1250",
    "cp1251",
    "cp1253",
    "cp1254",
    "shift_jis",
    "euc_jp",
    "euc_kr",
    "gb18030",
    "big5",
    "mac_roman",
    "cp850",
)
_FEW = 4  # a quarter of all lines is more than some broken rows
_SHOWN = 4
_WORD = re.compile(r"[^\s,;|]+")


def encoding_of(file: IO[bytes], path: Path | None = None) -> str:
    """Find the encoding from the whole file: where there are no letters beyond ASCII there is nothing to decide.

    >>> encoding_of(io.BytesIO("Zürich".encode("cp1252"))), encoding_of(io.BytesIO("Zürich".encode("utf-16")))
    ('cp1252', 'utf-16')
    """
    block = file.read(_BLOCK)
    if block.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if (half := len(block) // 2) and max(block[0::2].count(0), block[1::2].count(0)) > half // 2:
        return "utf-16-le" if block[1::2].count(0) > block[0::2].count(0) else "utf-16-be"
    good = bad = lines = 0
    western = True
    strange: list[bytes] = []  # lines that are no UTF-8
    while block:
        block += file.readline()
        lines += block.count(b"\n")
        if not block.isascii():
            for line in block.splitlines():
                if line.isascii():
                    continue
                if _is_utf8(line):
                    good += 1
                else:
                    bad += 1
                    if len(strange) < _WORDS_LOOKED_AT:
                        strange.append(line)
                    western &= not any(sign in line for sign in _NOT_WESTERN)
        block = file.read(_BLOCK)
    if bad <= good:  # lines of another encoding hardly ever happen to be UTF-8, so where most are, the rest is broken
        return UTF8
    if western and _reads_western(strange):
        return WESTERN
    if bad * _FEW < lines:
        return UTF8  # and these rows are refused
    raise UserError(_which_encoding(strange, path))


def _reads_western(lines: list[bytes]) -> bool:
    words = [word for line in lines for word in _WORD.findall(line.decode(WESTERN, "replace")) if not word.isascii()]
    strange = sum(bool(_NO_WESTERN_WORD.search(word)) for word in words[:_WORDS_LOOKED_AT])
    return strange <= _MOST_STRANGE * len(words[:_WORDS_LOOKED_AT])


def _which_encoding(lines: list[bytes], path: Path | None) -> str:
    """Show how the first line reads in the encodings that can be, so that somebody can tell."""
    line = max(lines[:_SHOWN], key=lambda raw: sum(byte > 127 for byte in raw))
    ways = []
    for name in _OTHERS:
        with suppress(UnicodeDecodeError):
            text = line.decode(name)
            if not any(unicodedata.category(letter) in ("Cc", "Co", "Cn") and letter != "\t" for letter in text):
                ways.append(f"{name}: {text[:60]}")
    shown = "".join(f"\n  {way}" for way in ways) or "\n  none of " + ", ".join(_OTHERS)
    return (
        f"{path} is neither UTF-8 nor western (cp1252). Say what it is with --encoding NAME. "
        f"A line of it reads as{shown}"
    )


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
