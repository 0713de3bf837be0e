"""How a command that fails says so: a sentence for people, with ``--json`` one object on stderr; and its exit code."""

import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import click

from asof.errors import FailedCheckError, UserError

_STOPPED = 130  # what a shell makes of Ctrl-C
# "facts.tsv, line 128: ..." names a place; what begins with an option or a file names that.
_WHERE = re.compile(r"(--[a-z-]+\b|[^\s:]+, line \d+)")
_COMMAND = re.compile(r"""\b(?:asof|pip install)((?: (?:'[^'\n]*'|"[^"\n]*"|[^\s'"(),;]+))+)""")


class StoppedError(UserError):
    """Somebody stopped the work: what is kept, and how to go on."""


@contextmanager
def says_what_is_kept(kept: Callable[[], str]) -> Iterator[None]:
    """On Ctrl-C, say what is kept of the work and the command that resumes it.

    Args:
        kept: Says in whole sentences what is kept; asked when it is stopped.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise StoppedError(f"Stopped. {kept()} To resume: {resumed_by()}") from None


def resumed_by() -> str:
    """Return the command that was given."""
    return shlex.join(["asof", *sys.argv[1:]])


def training_kept(folder: Path) -> str:
    """Say what is kept of a training."""
    if any(folder.glob("checkpoint*")):
        return f"The training is kept in {folder}, up to its last checkpoint."
    return "No checkpoint was written yet, so nothing is kept."


def fail(error: UserError | click.ClickException | click.Abort, verbs: list[str]) -> NoReturn:
    """Tell what failed, and end: 1 for an error that a user can correct, 2 for wrong usage, 3 for a failed check."""
    if isinstance(error, click.ClickException):
        code = error.exit_code
    elif isinstance(error, click.Abort | StoppedError):
        code = _STOPPED
    else:
        code = 3 if isinstance(error, FailedCheckError) else 1
    if _wants_json(sys.argv[1:]):
        click.echo(json.dumps({"error": as_row(error, verbs)}, ensure_ascii=False), err=True)
    elif isinstance(error, click.ClickException):
        error.show()
    else:
        click.echo(_message(error), err=True)
    sys.exit(code)


def as_row(error: UserError | click.ClickException | click.Abort, verbs: list[str]) -> dict[str, str | None]:
    """Return what an error says: all of it, the file and line or the option it is about, the command that it names.

    >>> as_row(UserError("facts.tsv, line 2: it ends before it starts. See: asof mine --help"), ["mine"])
    {'message': 'facts.tsv, line 2: it ends before it starts. See: asof mine --help',
     'place': 'facts.tsv, line 2', 'next': 'asof mine --help'}
    >>> as_row(UserError("Is it a table? asof mine x.py --to BASE. See: asof list sources"), ["mine", "list"])["next"]
    'asof mine x.py --to BASE'
    """
    message = _message(error)
    where = _WHERE.match(message)
    found = where[1] if where else None
    if isinstance(error, click.BadParameter) and error.param:
        found = error.param.opts[0] if isinstance(error.param, click.Option) else error.param.human_readable_name
    elif isinstance(error, click.NoSuchOption):
        found = error.option_name
    named = [one for one in _COMMAND.finditer(message) if one[0].startswith("pip") or one[1].split()[0] in verbs]
    return {"message": message, "place": found, "next": re.split(r"[.:] |[.:]$", named[0][0])[0] if named else None}


def _message(error: UserError | click.ClickException | click.Abort) -> str:
    if isinstance(error, click.Abort):
        return "Stopped."
    return error.format_message() if isinstance(error, click.ClickException) else str(error)


def _wants_json(words: list[str]) -> bool:
    """Tell whether JSON is wanted; looked up by hand, as it counts for wrong usage, too."""
    return "--json" in (words[: words.index("--")] if "--" in words else words)
