"""What all that speaks with a server shares: reading its address, and waiting as long as it asks to."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from asof.errors import UserError

if TYPE_CHECKING:
    import httpx


def read_address(written: str, *, example: str) -> tuple[httpx.URL, httpx.BasicAuth | None]:
    """Read an address and take name and password out of it, so that they are never shown.

    Args:
        example: What to write instead of something that is no address.
    """
    import httpx

    try:
        url = httpx.URL(written)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        shown = re.sub(r"//[^/]*@", "//", written)
        raise UserError(f"{shown!r} is not a valid address. Write {example}")
    login = httpx.BasicAuth(url.username, url.password) if url.userinfo else None
    return url.copy_with(userinfo=b"", fragment=None), login


def asked_wait(retry_after: str) -> float | None:
    """Return the seconds that a server asks to wait, as a number or until a date; None when it does not.

    >>> asked_wait("2.5"), asked_wait("Sun, 06 Nov 1994 08:49:37 GMT"), asked_wait("soon"), asked_wait("")
    (2.5, 0.0, None, None)
    """
    text = retry_after.strip()
    try:
        if text[:1].isdigit():
            return float(text)
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
