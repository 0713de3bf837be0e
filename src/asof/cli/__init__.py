"""The command ``asof``: one file per verb, imported only when it is called."""

import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import click
import pyarrow

from asof import __version__
from asof.errors import FailedCheckError, UserError, did_you_mean

# In the order of the work.
_VERBS = (
    "mine", "ask", "read", "readers", "facts", "timeline", "diff", "check", "select", "build", "annotate", "export",
    "run", "score", "compare", "cutoff", "report", "train", "recite", "rank", "diagnose", "predict", "complete",
    "search", "reproduce", "mcp", "serve", "models", "list",
)  # fmt: skip


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        there = {path.stem for path in Path(__file__).parent.glob("*.py")}
        return [verb for verb in _VERBS if verb in there or f"{verb}_" in there]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(ctx):
            return None
        _keep_pandas_out()
        command = import_module(f"asof.cli.{name}").command
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
    """Facts that are true for a time: mine them, ask what held on a date, see what changed."""


def main() -> None:
    """Run the command. Exit 1 is the user's to mend, 2 is wrong usage, 3 is a failed check."""
    try:
        code = asof.main(standalone_mode=False)  # what a verb gave to ctx.exit
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("Stopped.", err=True)
        sys.exit(130)
    except UserError as error:
        click.echo(str(error), err=True)
        sys.exit(3 if isinstance(error, FailedCheckError) else 1)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has seen enough
        sys.exit(0)
