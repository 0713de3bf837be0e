"""What is fetched and written is told to whoever listens: the command line tells the user; the library is silent."""

from collections.abc import Callable

_listeners: list[Callable[[str], None]] = []


def listen(tell: Callable[[str], None]) -> None:
    """Have a function called with what is fetched and written from now on."""
    if tell not in _listeners:
        _listeners.append(tell)


def tell(said: str) -> None:
    """Tell those who listen."""
    for listener in _listeners:
        listener(said)


def megabytes(size: int) -> str:
    """Write a number of bytes for people.

    >>> megabytes(1_530_000), megabytes(40_000), megabytes(12)
    ('1.5 MB', '40 kB', '12 bytes')
    """
    if size < 1_000:
        return f"{size} bytes"
    return f"{size / 1e3:.0f} kB" if size < 1_000_000 else f"{size / 1e6:,.1f} MB"
