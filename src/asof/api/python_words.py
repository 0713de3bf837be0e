"""Messages that name options of the command line, in the words of Python: the one place for all verbs of the door."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from asof.errors import UserError

_COMMAND = re.compile(r"(\basof [a-z][^\n;]*?(?=[.,] |[.,]?$|[;)\n]))", re.MULTILINE)
_MINED = re.compile(r"\basof mine (\S+) --to BASE")
_COLUMNS = re.compile(r"--columns (\w+=[^\s,;.]+(?:,\w+=[^\s,;.]+)*)")
_ALL_REJECTS = "--max-rejects, as in --max-rejects 100%"
_SETTING = re.compile(r"--set (\w+)=?")
_WITH_A_NAME = re.compile(r"--(probe|reading|contrast|protocol|query|inverted)[ =]([a-z]+[a-z0-9]*(?:-[a-z]+)*)")
_WITH_A_VALUE = re.compile(r"--([a-z]+(?:-[a-z]+)*) (?='|N\b|\d|[A-Z]{2,})")
_OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)\b")
_OTHERWISE = {"from": "first"}  # where an option is a word of Python's own


def in_python(message: str) -> str:
    """Write options as arguments; a whole command that is named stays as it is.

    >>> in_python("Use --probe choose or --probe write-answer. Choose another folder with --to.")
    "Use probe='choose' or probe='write-answer'. Choose another folder with to=."
    >>> in_python("Stopped at --max-calls 4.")
    'Stopped at max_calls=4.'
    >>> in_python("Add it to a table and give that with --prices FILE, or use --max-calls.")
    'Add it to a table and give that with prices=FILE, or use max_calls=.'
    >>> in_python("More of them: --limit N, or --set last_year=YEAR; another time with --from and --until.")
    'More of them: limit=N, or last_year=YEAR; another time with first= and until=.'
    >>> in_python("Say which one with: --columns object=team, or --relation 'coach of'. See: asof mine --help")
    "Say which one with: columns={'object': team}, or relation='coach of'. See: asof mine --help"
    """
    opened = _MINED.sub(r"asof.open('\1')", message).replace(_ALL_REJECTS, "asof.open(..., max_rejects=1.0)")
    parts = _COMMAND.split(opened)
    return "".join(part if index % 2 else _arguments(part) for index, part in enumerate(parts))


def _arguments(text: str) -> str:
    named = _WITH_A_NAME.sub(r"\1='\2'", _SETTING.sub(r"\1=", _COLUMNS.sub(_mapping, text)))
    return _OPTION.sub(_argument, _WITH_A_VALUE.sub(_argument, named))


def _argument(found: re.Match[str]) -> str:
    name = found[1].replace("-", "_")
    return f"{_OTHERWISE.get(name, name)}="


def _mapping(found: re.Match[str]) -> str:
    pairs = (pair.split("=", 1) for pair in found[1].split(","))
    return "columns={" + ", ".join(f"{ours!r}: {theirs}" for ours, theirs in pairs) + "}"


@contextmanager
def says_it_in_python(instead: Mapping[str, str] | None = None) -> Iterator[None]:
    """Let errors name arguments, not options.

    Args:
        instead: What else of a message the user has never seen, and what is said for it.
    """
    try:
        yield
    except UserError as error:
        told = str(error)
        for unseen, said in (instead or {}).items():
            told = told.replace(unseen, said)
        error.args = (in_python(told), *error.args[1:])
        raise
