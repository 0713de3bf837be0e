"""A page by its address; a page of Wikipedia as its plain HTML."""

from __future__ import annotations

from urllib.error import URLError
from urllib.request import Request, urlopen

from asof import __version__
from asof.errors import UserError

_SECONDS = 30.0
_MOST = 20_000_000  # bytes
_AGENT = f"asof/{__version__} (reads one page for its user)"


def is_address(location: str) -> bool:
    """Tell whether a page is named by an address of the web."""
    return location.startswith(("http://", "https://"))


def fetched(address: str) -> bytes:
    """Fetch a page."""
    try:
        with urlopen(Request(address, headers={"User-Agent": _AGENT}), timeout=_SECONDS) as answer:  # noqa: S310
            data: bytes = answer.read(_MOST + 1)
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise UserError(f"{address} could not be fetched: {reason}. Save the page and give its file.") from error
    if len(data) > _MOST:
        raise UserError(f"{address} has more than {_MOST // 1_000_000} MB. Save the part you need and give its file.")
    return data
