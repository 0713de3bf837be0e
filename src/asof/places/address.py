"""What is the address of a place, and what is a path of this machine."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

# pathlib makes one slash of two; a single letter is a drive of Windows.
_ADDRESS = re.compile(r"([a-z][a-z0-9+]+):/{1,2}([^/].*)", re.IGNORECASE | re.DOTALL)
_WEB = ("http", "https")


def remote_address(location: str | os.PathLike[str]) -> str | None:
    """Return the address of a place, None for a path of this machine.

    >>> remote_address("s3://bucket/base/"), remote_address(Path("s3://bucket/base")), remote_address("bases/italy")
    ('s3://bucket/base', 's3://bucket/base', None)
    >>> remote_address("C:/bases/italy"), remote_address("openai-completions:http://127.0.0.1:8000/v1")
    (None, None)
    """
    found = _ADDRESS.fullmatch(os.fspath(location))
    if not found or found[1].lower() == "file" or Path(location).exists():
        return None
    return f"{found[1].lower()}://{found[2].rstrip('/')}"


def is_on_the_web(location: str | os.PathLike[str]) -> bool:
    """Tell whether an address is one of the web, where nothing can be written or listed.

    >>> is_on_the_web("https://host/facts.csv"), is_on_the_web("s3://bucket/facts.csv")
    (True, False)
    """
    address = remote_address(location)
    return address is not None and address.partition(":")[0] in _WEB


def hidden(address: str) -> str:
    """Return an address as it may be shown: without a name, a password or a signature in it.

    >>> hidden("https://ann:secret@host/facts.csv?signature=x"), hidden("s3://bucket/base")
    ('https://host/facts.csv', 's3://bucket/base')
    """
    parts = urlsplit(address)
    if parts.scheme not in _WEB:
        return address
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def under(address: str, name: str) -> str:
    """Return the address of a name in a folder.

    >>> under("s3://bucket/base", "manifest.json"), under("https://host/base?key=1", "manifest.json")
    ('s3://bucket/base/manifest.json', 'https://host/base/manifest.json?key=1')
    """
    if not is_on_the_web(address):
        return f"{address}/{name}"
    parts = urlsplit(address)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{name}"))
