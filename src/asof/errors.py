"""Errors that a user can mend. The command line prints them without a traceback."""

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(Exception):
    """What is wrong with which value, where, and what to do next."""


class FailedCheckError(UserError):
    """A check that failed; the command ends with 3."""


class DateError(UserError, ValueError):
    """A text or a set of numbers that is no date."""


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """Return a question that names the nearest known word, or nothing when none is near.

    >>> did_you_mean("timestres", ["lama-tk", "timestress"])
    " Did you mean 'timestress'?"
    >>> did_you_mean("xyz", ["lama-tk", "timestress"])
    ''
    """
    near = get_close_matches(wrong, list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
