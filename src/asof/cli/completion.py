"""``asof completion``: the verbs of completion under one name; each is a verb by itself, too."""

from importlib import import_module

import click

from asof.errors import did_you_mean

_VERBS = ("train", "search", "rank", "diagnose", "predict", "complete", "add")


class _Completion(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _VERBS:
            known = ", ".join(_VERBS)
            raise click.UsageError(f"completion has no verb {name!r}.{did_you_mean(name, _VERBS)} Known: {known}.")
        command = import_module(f"asof.cli.{name}").command
        return command if isinstance(command, click.Command) else None


@click.group("completion", cls=_Completion)
def command() -> None:
    """Knowledge graph completion: train, rank, predict, complete, add facts.

    Each of these is also a command of its own: 'asof completion train' is 'asof train'.
    """
