"""Files behind http:// and https://: read whole or in parts, asked again where that helps, never believed when cut.

What breaks off goes on where it stopped, if the server sends parts and the file is still the same one.
"""

from __future__ import annotations

import base64
import io
import re
import ssl
import time
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, OpenerDirector, Request, build_opener

from asof.errors import UserError
from asof.places.address import hidden, under
from asof.places.place import BusyPlaceError, MissingPlaceError, PlaceState, TimedOutError
from asof.servers import asked_wait
from asof.whole_file import whole_file

_AGAIN = {408, 425, 429, 500, 502, 503, 504}
_BLOCK = 8 << 20  # bytes of a part
_CHUNK = 1 << 20
_RANGE = re.compile(r"bytes ([0-9]+)-([0-9]+)/([0-9]+|\*)")


class _BrokenOffError(Exception):
    """Fewer bytes came than were promised."""


@dataclass(frozen=True, kw_only=True)
class WebManners:
    """How patient to be with a server, and what to say of oneself."""

    tries: int = 5  # without a byte more
    first_wait: float = 1.0  # seconds; each wait is twice the one before
    longest_wait: float = 120.0  # a server that asks for more is an error
    timeout: float = 60.0  # seconds without a byte
    longest: float | None = None  # seconds for one answer, however it drips; None: as long as bytes come
    contact: str = ""  # what operators of public servers ask for: an address for mail, or a page


USUAL = WebManners()


class WebPlace:
    """A file of a web server, or a folder whose names are known."""

    def __init__(self, address: str, manners: WebManners | None = None) -> None:
        self.address = address
        self.manners = manners or USUAL

    def __str__(self) -> str:
        return hidden(self.address)

    def child(self, name: str) -> WebPlace:
        """Return what has a name in this folder."""
        return WebPlace(under(self.address, name), self.manners)

    def state(self) -> PlaceState:
        """Ask for the first byte alone: its reply tells all that a server knows."""
        patience = _Patience(self)
        while True:
            with patience, self._ask((0, 1)) as reply:
                return _state_in(reply)

    def read(self) -> bytes:
        """Return the whole content of a small file."""
        content = io.BytesIO()
        self._receive(content)
        return content.getvalue()

    def fetch(self, to: Path) -> None:
        """Copy the file to this disk, whole or not at all."""
        with whole_file(to) as temporary, temporary.open("w+b") as file:
            self._receive(file)

    def open(self) -> IO[bytes]:
        """Open it for reading in parts; a server that sends none is an error."""
        state = self.state()
        if not state.in_parts or state.size is None:
            raise UserError(f"The server of {self} sends whole files only. Download it, and give the file.")
        return io.BufferedReader(_WebFile(self, state), _BLOCK)

    def part(self, first: int, stop: int, state: PlaceState) -> bytes:
        """Return some bytes of a file that is still in the state in which it was."""
        patience, content = _Patience(self), b""
        while first + len(content) < stop:
            with patience, self._ask((first + len(content), stop), state.version) as reply:
                if reply.status != 206 or _state_in(reply) != state:
                    raise UserError(f"{self} has changed while it was read. Run the same command again.")
                while chunk := reply.read(_CHUNK):
                    content += chunk
                    patience.renew()
                if first + len(content) < stop:
                    raise _BrokenOffError(f"{len(content):,} of {stop - first:,} bytes came")
        return content

    def files(self) -> dict[str, int]:
        """Refuse: a web server lists no folders."""
        raise UserError(f"A web server does not list its folders, so {self} cannot be read as one. Give the file.")

    def put(self, file: Path) -> None:
        """Refuse."""
        raise self._only_read()

    def replace(self, content: bytes, *, seen: PlaceState | None) -> None:
        """Refuse."""
        raise self._only_read()

    def delete(self) -> None:
        """Refuse."""
        raise self._only_read()

    def _only_read(self) -> UserError:
        return UserError(
            f"{self} can only be read: nothing can be written to the web. Give a folder or an s3:// place."
        )

    def _receive(self, to: IO[bytes]) -> None:
        """Write the whole content to a file that can be truncated."""
        patience, done, version = _Patience(self), 0, ""
        longest = self.manners.longest
        while True:
            with patience, self._ask((done, None) if done else None, version) as reply:
                latest = None if longest is None else time.monotonic() + longest
                state = _state_in(reply)
                if reply.status == 200:  # from the beginning
                    done, version = _emptied(to), state.version
                elif state.version != version:
                    done = _emptied(to)
                    raise _BrokenOffError("it has changed in the meantime")
                while chunk := (reply.read if latest is None else reply.read1)(_CHUNK):
                    to.write(chunk)
                    done += len(chunk)
                    patience.renew()
                    if latest is not None and done != state.size and time.monotonic() > latest:
                        raise TimedOutError(f"{self} timed out: {done:,} bytes came in {longest:g} s.")
                if state.size is not None and done != state.size:
                    came = done
                    if not version:  # it cannot be told whether the rest would be of the same file
                        done = _emptied(to)
                    raise _BrokenOffError(f"{came:,} of {state.size:,} bytes came")
                return

    def _ask(self, wanted: tuple[int, int | None] | None, version: str = "") -> HTTPResponse:
        from asof import __version__

        who = f"asof/{__version__} (temporal facts{'; ' if self.manners.contact else ''}{self.manners.contact})"
        headers = {"User-Agent": who, "Accept-Encoding": "identity"}
        if wanted is not None:
            headers["Range"] = f"bytes={wanted[0]}-{'' if wanted[1] is None else wanted[1] - 1}"
            if version:
                headers["If-Range"] = version
        request = Request(self._login[0], headers=headers)  # noqa: S310
        for name, value in self._login[1].items():
            request.add_unredirected_header(name, value)
        reply: HTTPResponse = self._opener.open(request, timeout=self.manners.timeout)
        return reply

    @cached_property
    def _opener(self) -> OpenerDirector:
        return build_opener(_Redirection, HTTPHandler, HTTPSHandler(context=ssl.create_default_context()))

    @cached_property
    def _login(self) -> tuple[str, dict[str, str]]:
        """Return the address without the name and the password in it, and the header that sends them."""
        parts = urlsplit(self.address)
        login, _, host = parts.netloc.rpartition("@")
        address = urlunsplit(parts._replace(netloc=host, fragment=""))
        if not login:
            return address, {}
        return address, {"Authorization": f"Basic {base64.b64encode(unquote(login).encode()).decode()}"}


class _Redirection(HTTPRedirectHandler):
    """Sends name and password on to another address of the same server only."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        request = super().redirect_request(req, fp, code, msg, headers, newurl)
        login = req.unredirected_hdrs.get("Authorization")
        if request is not None and login and urlsplit(newurl)[:2] == urlsplit(req.full_url)[:2]:
            request.add_unredirected_header("Authorization", login)
        return request


class _WebFile(io.RawIOBase):
    """A file that is read in parts; ``io.BufferedReader`` asks it for large ones."""

    def __init__(self, place: WebPlace, state: PlaceState) -> None:
        self._place, self._state, self._at = place, state, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._state.size or 0}[whence]
        self._at = max(0, begin + offset)
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        stop = min(self._state.size or 0, self._at + len(buffer))
        if stop <= self._at:
            return 0
        content = self._place.part(self._at, stop, self._state)
        buffer[: len(content)] = content
        self._at += len(content)
        return len(content)


@dataclass
class _Patience:
    """A context in which a request may fail some times; whoever entered it then tries again."""

    place: WebPlace
    tried: int = 0

    def renew(self) -> None:
        """Count from the beginning: bytes came."""
        self.tried = 0

    def __enter__(self) -> _Patience:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if error is None or isinstance(error, UserError):
            return False
        if isinstance(error, HTTPError):
            error.close()
            if error.code not in _AGAIN:
                raise _refused(self.place, error) from error
            return self._wait(f"status {error.code}", asked_wait(error.headers.get("Retry-After", "")))
        if isinstance(error, URLError) and isinstance(error.reason, ssl.SSLError):
            raise UserError(f"{self.place}: the certificate of the server is not good ({error.reason}).") from error
        if isinstance(error, TimeoutError) or isinstance(getattr(error, "reason", None), TimeoutError):
            return self._wait(f"timed out after {self.place.manners.timeout:g} s", late=True)
        if isinstance(error, URLError) and not self.tried and isinstance(error.reason, OSError):
            raise BusyPlaceError(
                f"{self.place} does not respond ({error.reason.strerror or error.reason}). Is there a network, and is "
                "the address right?"
            ) from error
        if isinstance(error, OSError | HTTPException | _BrokenOffError):
            return self._wait(str(error) or type(error).__name__)
        return False

    def _wait(self, problem: str, asked: float | None = None, *, late: bool = False) -> bool:
        self.tried += 1
        manners = self.place.manners
        too_long = (asked or 0) > manners.longest_wait
        if self.tried >= manners.tries or too_long:
            waiting = f", and it asks to wait {asked:,.0f} seconds" if too_long else ""
            tries = "1 try" if self.tried == 1 else f"{self.tried} tries"
            said = f"{self.place} could not be read: {problem}{waiting} ({tries}). Run the same command again later."
            raise TimedOutError(said) if late else BusyPlaceError(said)
        time.sleep(manners.first_wait * 2 ** (self.tried - 1) if asked is None else asked)
        return True


def _state_in(reply: HTTPResponse) -> PlaceState:
    """Read what the headers of a reply say of the whole file."""
    tag = reply.headers.get("ETag", "")
    version = tag if tag and not tag.startswith("W/") else reply.headers.get("Last-Modified", "")
    if reply.status == 206:
        found = _RANGE.fullmatch(reply.headers.get("Content-Range", ""))
        return PlaceState(int(found[3]) if found and found[3] != "*" else None, version)
    length = reply.headers.get("Content-Length", "")
    return PlaceState(int(length) if length.isdigit() else None, version, in_parts=False)


def _emptied(file: IO[bytes]) -> int:
    file.seek(0)
    file.truncate()
    return 0


def _refused(place: WebPlace, error: HTTPError) -> UserError:
    status = f"{place} answered with status {error.code} ({error.reason})."
    if error.code in (404, 410):
        return MissingPlaceError(f"{place} does not exist: its server answered with status {error.code}.")
    if error.code in (401, 403):
        return UserError(f"{status} It wants a name and a password: https://NAME:PASSWORD@...")
    return UserError(f"{status} Is the address right?")
