"""Errors that name options of the command line, in the words of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from asof.errors import UserError

_WITH_A_NAME = re.compile(r"--(probe|reading|contrast) ([a-z]+(?:-[a-z]+)*)")
_OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)\b")


def in_python(message: str) -> str:
    """Write options as arguments.

    >>> in_python("Use --probe choose or --probe write-answer. Choose another folder with --to.")
    "Use probe='choose' or probe='write-answer'. Choose another folder with to=."
    >>> in_python("Stopped at --max-calls 4.")
    'Stopped at max_calls=4.'
    >>> in_python("Add it to a table and give that with --prices FILE, or use --max-calls.")
    'Add it to a table and give that with prices=FILE, or use max_calls=.'
    """
    named = _WITH_A_NAME.sub(r"\1='\2'", message)
    valued = re.sub(r"--([a-z]+(?:-[a-z]+)*) (?=[A-Z]{2,}|\d)", lambda found: f"{_argument(found)}=", named)
    return _OPTION.sub(lambda found: f"{_argument(found)}=", valued)


def _argument(found: re.Match[str]) -> str:
    return found[1].replace("-", "_")


@contextmanager
def says_it_in_python() -> Iterator[None]:
    """Let errors name arguments, not options."""
    try:
        yield
    except UserError as error:
        error.args = (in_python(str(error)), *error.args[1:])
        raise
