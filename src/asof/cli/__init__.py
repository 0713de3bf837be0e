"""The command ``asof``: one file per verb, imported only when it is called."""

import sys
from contextlib import suppress
from importlib import import_module

import click
import pyarrow

from asof import __version__
from asof.cli.failures import fail
from asof.errors import UserError, did_you_mean
from asof.places.news import listen

# By task, in the order of the work.
_VERBS = {
    "Facts": (
        "mine",
        "update",
        "facts",
        "timeline",
        "ask",
        "query",
        "verify",
        "diff",
        "relations",
        "check",
        "select",
        "serve",
        "mcp",
    ),
    "Benchmarks": ("build", "annotate", "export"),
    "Language models": (
        "run",
        "import-log",
        "score",
        "compare",
        "cutoff",
        "audit",
        "watch",
        "report",
        "models",
        "teach",
        "recite",
    ),
    "Texts": ("read", "readers"),
    "Completion": ("completion", "train", "search", "rank", "diagnose", "predict", "complete", "add"),
    "Reference": ("list", "show", "schema", "reproduce"),
}


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return [verb for verbs in _VERBS.values() for verb in verbs]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, self.list_commands(ctx)))
        for task, verbs in _VERBS.items():
            commands = [(verb, self.get_command(ctx, verb)) for verb in verbs]
            room = formatter.width - widest - 6
            rows = [(verb.ljust(widest), command.get_short_help_str(room)) for verb, command in commands if command]
            with formatter.section(task):
                formatter.write_dl(rows)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(ctx):
            return None
        _keep_pandas_out()
        command = import_module(f"asof.cli.{name.replace('-', '_')}").command
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            known = self.list_commands(ctx)
            raise click.UsageError(
                f"asof has no verb {args[0]!r}.{did_you_mean(args[0], known)} Known: {', '.join(known)}."
            )
        return super().resolve_command(ctx, args)


def _keep_pandas_out() -> None:
    """Let pyarrow find no pandas at its first array: it would import it, which takes longer than most verbs.

    Whoever asks pyarrow for a data frame later still gets one: then it looks again.
    """
    if "pandas" not in sys.modules:
        sys.modules["pandas"] = None  # type: ignore[assignment]  # so that importing it fails
        with suppress(AttributeError, ImportError):
            pyarrow.array([])
        del sys.modules["pandas"]


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="asof")
def asof() -> None:
    """Temporal knowledge graphs: mine facts, ask as of a date, evaluate language models, predict links."""
    listen(_tell)


def _tell(said: str) -> None:
    from asof.cli.output import talk

    talk(said)


def main() -> None:
    """Run the command."""
    try:
        code = asof.main(standalone_mode=False)  # what a verb gave to ctx.exit
        sys.exit(code if isinstance(code, int) else 0)
    except (click.ClickException, click.Abort, UserError) as error:
        fail(error, asof.list_commands(click.Context(asof)))
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has seen enough
        sys.exit(0)
