"""The command reference, from what click knows: each verb with its text, arguments, options and examples."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click

from asof import cli
from asof.cli import asof


def command_reference() -> str:
    """Write the page of all verbs, in the order of the work."""
    return "\n".join(_page())


def _page() -> Iterator[str]:
    yield "# Commands\n"
    yield f"{asof.help}\n"
    yield "Data go to stdout, talk to stderr. On a terminal you see tables, on a pipe tab separated text, with `--json`"
    yield "one object per line. Exit code 1 is yours to mend, 2 is wrong usage, 3 is a failed check.\n"
    context = click.Context(asof, info_name="asof")
    commands = [(verb, asof.get_command(context, verb)) for verb in asof.list_commands(context)]
    yield "| verb | what it does |\n|---|---|"
    for verb, command in commands:
        yield f"| [`asof {verb}`](#asof-{verb}) | {_cell(command.get_short_help_str(limit=200))} |"
    yield ""
    for verb, command in commands:
        yield from _command(command, click.Context(command, info_name=verb, parent=context), level=2)
        for words, form in _other_forms(verb):
            yield from _command(form, click.Context(form, info_name=words, parent=context), level=3)


def _other_forms(verb: str) -> Iterator[tuple[str, click.Command]]:
    """Find commands that a verb hands its words to: train_memorize.py is ``asof train memorize``."""
    for path in sorted(Path(cli.__file__).parent.glob(f"{verb}_*.py")):
        form = getattr(import_module(f"asof.cli.{path.stem}"), "command", None)
        if isinstance(form, click.Command):
            yield path.stem.replace("_", " "), form


def _command(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    yield f"{'#' * level} {context.command_path}\n"
    yield f"    {context.command_path} {' '.join(command.collect_usage_pieces(context))}\n"
    yield _text(command.help or "") + "\n"
    options = [param for param in command.params if isinstance(param, click.Option) and not param.hidden]
    if options:
        yield "| option | what it says |\n|---|---|"
        for option in options:
            yield f"| {_names(option, context)} | {_meaning(option, context)} |"
        yield ""
    if command.epilog:
        examples = inspect.cleandoc(command.epilog.replace("\b", "")).removeprefix("Examples:")
        yield f"```text\n{inspect.cleandoc(examples)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner:
                yield from _command(inner, click.Context(inner, info_name=name, parent=context), level + 1)


def _names(option: click.Option, context: click.Context) -> str:
    shown = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    return shown if option.is_flag else f"{shown} `{_cell(option.make_metavar(context))}`"


def _meaning(option: click.Option, context: click.Context) -> str:
    notes = []
    if option.required:
        notes.append("required")
    if option.show_default and option.default is not None:
        notes.append(f"default: {option.default}")
    if option.multiple:
        notes.append("may be repeated")
    told = option.help or ""
    if option.multiple and "repeated" in told:
        notes.remove("may be repeated")
    return _cell(told + (f" ({'; '.join(notes)})" if notes else ""))


def _text(help: str) -> str:
    """Unwrap a help text into paragraphs of Markdown; words in quotes that are commands become code."""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(help.replace("\b", "")))
    joined = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    return _marked(joined)


def _cell(text: str) -> str:
    return _marked(" ".join(text.split())).replace("|", "\\|")


def _marked(text: str) -> str:
    """Mark commands and _X_ as code, which Markdown would else read in its own way."""
    return re.sub(r"'(asof [^']+)'|(_X_)", lambda found: f"`{found[1] or found[2]}`", text).replace("<", "&lt;")
